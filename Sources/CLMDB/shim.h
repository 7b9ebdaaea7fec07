#include <lmdb.h>

#ifdef __linux__
#include <pthread.h>
#include <sys/vfs.h>

// Declared by glibc for _GNU_SOURCE only, which Swift's importer does not set.
extern int pthread_setname_np(pthread_t thread, const char *name);
#endif
