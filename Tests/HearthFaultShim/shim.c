// See include/HearthFaultShim.h.

#if defined(__linux__)
#define _GNU_SOURCE
#include <features.h>
#endif

#if defined(__linux__) && defined(__GLIBC__)

#include "HearthFaultShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// MARK: Classes of calls

enum class {
  OPEN, READ, PWRITE, WRITEV, WRITE, META, FDATASYNC, FSYNC, DIRSYNC, FTRUNCATE, ALLOCATE, RENAME,
  UNLINK, MKDIR, RMDIR, MMAP, LOCK, MALLOC, THREAD, CLASSES
};

static const char *const names[CLASSES] = {
    "open",     "read",   "pwrite", "writev", "write", "meta", "fdatasync", "fsync",  "dirsync",
    "ftruncate", "allocate", "rename", "unlink", "mkdir", "rmdir", "mmap",   "lock", "malloc",
    "thread"};

enum mode { ONCE, ON, LATE, GONE, SHORT };

static atomic_bool armed;
static atomic_ulong counts[CLASSES];
static atomic_ulong hits;
static int failing_class = -1;
static unsigned long failing_at;
static enum mode failing_mode;
static int failing_code;
static atomic_int next_write_fails;
static bool lies_about_syncs, lies_about_fsync, lies_about_writes;
static atomic_ulong data_writes;

static char root[PATH_MAX];
static size_t root_length;
static int trace = -1;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t lmdb_start, lmdb_end;

// MARK: Descriptors below the root

enum { DESCRIPTORS = 4096 };
static struct descriptor {
  uint32_t tag;  // 0: none of ours
  bool through;  // writes are on disk when they return
  bool directory;
} descriptors[DESCRIPTORS];
static uint32_t last_tag;

static struct descriptor *descriptor(int fd) {
  return fd >= 0 && fd < DESCRIPTORS && descriptors[fd].tag ? &descriptors[fd] : NULL;
}

// The path below the root, empty for the root itself, NULL if it is elsewhere.
static const char *below(const char *path) {
  if (!root_length || !path || strncmp(path, root, root_length) != 0) return NULL;
  if (!path[root_length]) return path + root_length;
  return path[root_length] == '/' ? path + root_length + 1 : NULL;
}

// MARK: Failing

// The code to fail with, or 0; *late is set if the call is to be done first.
static int fault(enum class class, bool *late) {
  unsigned long number = atomic_fetch_add(&counts[class], 1) + 1;
  if (class != (enum class)failing_class || !atomic_load(&armed)) return 0;
  bool fails = failing_mode == ON ? number >= failing_at : number == failing_at;
  if (!fails) return 0;
  atomic_fetch_add(&hits, 1);
  if (late) *late = failing_mode == LATE || failing_mode == GONE;
  if (failing_mode == GONE) atomic_store(&next_write_fails, failing_code);
  return failing_code;
}

static bool is_short(enum class class) {
  return failing_class == (int)class && failing_mode == SHORT;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// A call that just does or does not happen.
#define FAIL(class, failure) \
  do { \
    bool late = false; \
    int code = fault(class, &late); \
    if (code && !late) { \
      errno = code; \
      return failure; \
    } \
  } while (0)

// MARK: The trace

struct __attribute__((packed)) record {
  uint8_t kind;
  uint8_t flags;
  uint16_t name_length;
  uint32_t tag;
  uint64_t offset;
  uint64_t length;
};

enum kind {
  OPENED = 1, WROTE, WROTE_THROUGH, SYNCED, TRUNCATED, RENAMED, UNLINKED, MADE, REMOVED, NOTED,
  SYNC_FAILED
};

static void put(const void *bytes, size_t length) {
  while (length > 0) {
    long done = syscall(SYS_write, trace, bytes, length);
    if (done <= 0) _exit(97);
    bytes = (const char *)bytes + done;
    length -= (size_t)done;
  }
}

static void record(
    enum kind kind, uint32_t tag, uint64_t offset, const void *bytes, uint64_t length,
    const char *name, const char *second, uint8_t flags) {
  if (trace < 0) return;
  int saved = errno;
  size_t first = name ? strlen(name) : 0, rest = second ? strlen(second) + 1 : 0;
  struct record head = {
      (uint8_t)kind, flags, (uint16_t)(first + rest), tag, offset, length};
  put(&head, sizeof head);
  if (name) put(name, first);
  if (second) {
    put("", 1);
    put(second, rest - 1);
  }
  if (bytes) put(bytes, length);
  errno = saved;
}

// One operation at a time while tracing, so that the trace has them in their order.
static void begin(void) { if (trace >= 0) pthread_mutex_lock(&order); }
static void end(void) { if (trace >= 0) pthread_mutex_unlock(&order); }

// MARK: Control

static int find_lmdb(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "liblmdb")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    lmdb_start = info->dlpi_addr + segment->p_vaddr;
    lmdb_end = lmdb_start + segment->p_memsz;
  }
  return 1;
}

static int class_named(const char *name, size_t length) {
  for (int i = 0; i < CLASSES; i++)
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) return i;
  return -1;
}

static void parse_failure(const char *text) {
  failing_class = -1;
  const char *colon = text ? strchr(text, ':') : NULL;
  if (!colon) return;
  failing_class = class_named(text, (size_t)(colon - text));
  char *rest;
  failing_at = strtoul(colon + 1, &rest, 10);
  if (*rest) rest++;
  failing_mode = strncmp(rest, "on", 3) == 0 || strncmp(rest, "on:", 3) == 0 ? ON
                 : rest[0] == 'l'                                            ? LATE
                 : rest[0] == 'g'                                            ? GONE
                 : rest[0] == 's'                                            ? SHORT
                                                                             : ONCE;
  const char *last = strchr(rest, ':');
  failing_code = last ? atoi(last + 1) : EIO;
}

EXPORT void hearth_fault_configure(void) {
  dl_iterate_phdr(find_lmdb, NULL);
  const char *path = getenv("HEARTH_FAULT_ROOT");
  root_length = path && strlen(path) < sizeof root ? strlen(path) : 0;
  if (root_length) memcpy(root, path, root_length + 1);
  if (trace >= 0) syscall(SYS_close, trace);
  trace = -1;
  const char *file = getenv("HEARTH_FAULT_TRACE");
  if (file) {
    int fd = (int)syscall(
        SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    trace = fcntl(fd, F_DUPFD_CLOEXEC, 200);
    syscall(SYS_close, fd);
    if (trace < 0) _exit(97);
  }
  const char *lie = getenv("HEARTH_FAULT_LIE");
  lies_about_syncs = lie && strcmp(lie, "sync") == 0;
  lies_about_fsync = lie && strcmp(lie, "fsync") == 0;
  lies_about_writes = lie && strcmp(lie, "write") == 0;
  parse_failure(getenv("HEARTH_FAULT_FAIL"));
  memset(descriptors, 0, sizeof descriptors);
  for (int i = 0; i < CLASSES; i++) atomic_store(&counts[i], 0);
  atomic_store(&hits, 0);
  atomic_store(&data_writes, 0);
  atomic_store(&next_write_fails, 0);
  atomic_store(&armed, true);
}

EXPORT void hearth_fault_disarm(void) {
  atomic_store(&armed, false);
}

EXPORT void hearth_fault_note(const void *bytes, size_t length) {
  begin();
  record(NOTED, 0, 0, bytes, length, NULL, NULL, 0);
  end();
}

EXPORT uint64_t hearth_fault_count(const char *name) {
  int class = class_named(name, strlen(name));
  return class < 0 ? 0 : atomic_load(&counts[class]);
}

EXPORT uint64_t hearth_fault_hits(void) { return atomic_load(&hits); }

__attribute__((constructor)) static void start(void) { hearth_fault_configure(); }

// MARK: Opening and closing

static int opened(int fd, const char *name, int flags) {
  if (fd < 0 || fd >= DESCRIPTORS || !name) return fd;
  struct stat status;
  bool directory = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  descriptors[fd] = (struct descriptor){
      ++last_tag, (flags & O_DSYNC) != 0, directory};
  record(
      OPENED, descriptors[fd].tag, 0, NULL, 0, name, NULL,
      (uint8_t)((directory ? 1 : 0) | (flags & O_TRUNC ? 2 : 0)));
  return fd;
}

#define OPEN_AS(function) \
  EXPORT int function(const char *path, int flags, ...) { \
    REAL(function); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list list; \
      va_start(list, flags); \
      mode = (mode_t)va_arg(list, int); \
      va_end(list); \
    } \
    const char *name = below(path); \
    if (!name) return real(path, flags, mode); \
    FAIL(OPEN, -1); \
    begin(); \
    int fd = opened(real(path, flags, mode), name, flags); \
    end(); \
    return fd; \
  }

OPEN_AS(open)
OPEN_AS(open64)

EXPORT int close(int fd) {
  REAL(close);
  if (descriptor(fd)) {
    begin();
    descriptors[fd].tag = 0;
    end();
  }
  return real(fd);
}

// MARK: Writing and reading

static bool swallows_write(enum class class) {
  if (!lies_about_writes || class == META || !atomic_load(&armed)) return false;
  unsigned long number = atomic_fetch_add(&data_writes, 1);
  if (number < 40 || number % 5 != 0) return false;
  atomic_fetch_add(&hits, 1);
  return true;
}

static void wrote(struct descriptor *to, off_t offset, const void *bytes, ssize_t done) {
  if (done <= 0) return;
  record(
      to->through ? WROTE_THROUGH : WROTE, to->tag, (uint64_t)offset, bytes, (uint64_t)done, NULL,
      NULL, 0);
}

#define PWRITE_AS(function) \
  EXPORT ssize_t function(int fd, const void *bytes, size_t length, off_t offset) { \
    REAL(function); \
    struct descriptor *to = descriptor(fd); \
    if (!to) return real(fd, bytes, length, offset); \
    enum class class = to->through ? META : PWRITE; \
    int next = atomic_load(&armed) ? atomic_exchange(&next_write_fails, 0) : 0; \
    if (next) { \
      errno = next; \
      return -1; \
    } \
    bool late = false; \
    int code = fault(class, &late); \
    if (code && is_short(class)) { \
      length /= 2; \
    } else if (code && !late) { \
      errno = code; \
      return -1; \
    } \
    if (swallows_write(class)) return (ssize_t)length; \
    begin(); \
    ssize_t done = real(fd, bytes, length, offset); \
    if (late) { \
      if (done > 0) \
        record(WROTE, to->tag, (uint64_t)offset, bytes, (uint64_t)done, NULL, NULL, 0); \
      record(SYNC_FAILED, to->tag, 0, NULL, 0, NULL, NULL, 0); \
    } else { \
      wrote(to, offset, bytes, done); \
    } \
    end(); \
    if (late) { \
      errno = code; \
      return -1; \
    } \
    return done; \
  }

PWRITE_AS(pwrite)
PWRITE_AS(pwrite64)

EXPORT ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write);
  struct descriptor *to = descriptor(fd);
  if (!to) return real(fd, bytes, length);
  int code = fault(WRITE, NULL);
  if (code && is_short(WRITE)) {
    length /= 2;
  } else if (code) {
    errno = code;
    return -1;
  }
  begin();
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t done = real(fd, bytes, length);
  wrote(to, offset, bytes, done);
  end();
  return done;
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  struct descriptor *to = descriptor(fd);
  if (!to) return real(fd, parts, count);
  int code = fault(WRITEV, NULL);
  if (code && is_short(WRITEV) && count > 1) {
    count /= 2;
  } else if (code) {
    errno = code;
    return -1;
  }
  if (swallows_write(WRITEV)) {
    ssize_t all = 0;
    for (int i = 0; i < count; i++) all += (ssize_t)parts[i].iov_len;
    lseek(fd, all, SEEK_CUR);
    return all;
  }
  begin();
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t done = real(fd, parts, count), left = done;
  for (int i = 0; i < count && left > 0; i++) {
    ssize_t length = (ssize_t)parts[i].iov_len < left ? (ssize_t)parts[i].iov_len : left;
    wrote(to, offset, parts[i].iov_base, length);
    offset += length;
    left -= length;
  }
  end();
  return done;
}

#define PREAD_AS(function) \
  EXPORT ssize_t function(int fd, void *bytes, size_t length, off_t offset) { \
    REAL(function); \
    if (descriptor(fd)) FAIL(READ, -1); \
    return real(fd, bytes, length, offset); \
  }

PREAD_AS(pread)
PREAD_AS(pread64)

// MARK: Syncing and lengths

static int synced(int fd, enum class class, int (*real)(int)) {
  struct descriptor *to = descriptor(fd);
  if (!to) return real(fd);
  if (to->directory) class = DIRSYNC;
  int fails = fault(class, NULL);
  if (fails) {
    begin();
    if (!to->directory) record(SYNC_FAILED, to->tag, 0, NULL, 0, NULL, NULL, 0);
    end();
    errno = fails;
    return -1;
  }
  if ((lies_about_syncs && class != DIRSYNC) || (lies_about_fsync && class == FSYNC)) {
    atomic_fetch_add(&hits, 1);
    return 0;
  }
  begin();
  int code = real(fd);
  if (code == 0) record(SYNCED, to->tag, 0, NULL, 0, NULL, NULL, 0);
  end();
  return code;
}

EXPORT int fdatasync(int fd) {
  REAL(fdatasync);
  return synced(fd, FDATASYNC, real);
}

EXPORT int fsync(int fd) {
  REAL(fsync);
  return synced(fd, FSYNC, real);
}

#define LENGTH_AS(function, class, ...) \
  { \
    REAL(function); \
    struct descriptor *to = descriptor(fd); \
    if (!to) return real(__VA_ARGS__); \
    int code = fault(class, NULL); \
    if (code) return failed; \
    begin(); \
    int result = real(__VA_ARGS__); \
    if (result == 0) record(TRUNCATED, to->tag, (uint64_t)size, NULL, 0, NULL, NULL, grows); \
    end(); \
    return result; \
  }

#define failed (errno = code, -1)
#define grows 0
EXPORT int ftruncate(int fd, off_t size) LENGTH_AS(ftruncate, FTRUNCATE, fd, size)
EXPORT int ftruncate64(int fd, off64_t size) LENGTH_AS(ftruncate64, FTRUNCATE, fd, size)
#undef failed
#undef grows
#define failed code
#define grows 1
EXPORT int posix_fallocate(int fd, off_t from, off_t size)
    LENGTH_AS(posix_fallocate, ALLOCATE, fd, from, size)
EXPORT int posix_fallocate64(int fd, off64_t from, off64_t size)
    LENGTH_AS(posix_fallocate64, ALLOCATE, fd, from, size)
#undef failed
#undef grows

// MARK: Names

#define NAME_AS(class, kind, call) \
  { \
    const char *name = below(path); \
    if (!name) return call; \
    FAIL(class, -1); \
    begin(); \
    int result = call; \
    if (result == 0) record(kind, 0, 0, NULL, 0, name, NULL, 0); \
    end(); \
    return result; \
  }

EXPORT int unlink(const char *path) {
  REAL(unlink);
  NAME_AS(UNLINK, UNLINKED, real(path))
}

EXPORT int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  NAME_AS(MKDIR, MADE, real(path, mode))
}

EXPORT int rmdir(const char *path) {
  REAL(rmdir);
  NAME_AS(RMDIR, REMOVED, real(path))
}

EXPORT int rename(const char *from, const char *to) {
  REAL(rename);
  const char *old = below(from), *new = below(to);
  if (!old || !new) return real(from, to);
  FAIL(RENAME, -1);
  begin();
  int result = real(from, to);
  if (result == 0) record(RENAMED, 0, 0, NULL, 0, old, new, 0);
  end();
  return result;
}

// MARK: Maps and locks

#define MMAP_AS(function) \
  EXPORT void *function( \
      void *address, size_t length, int protection, int flags, int fd, off_t offset) { \
    REAL(function); \
    if (descriptor(fd)) FAIL(MMAP, MAP_FAILED); \
    return real(address, length, protection, flags, fd, offset); \
  }

MMAP_AS(mmap)
MMAP_AS(mmap64)

EXPORT int flock(int fd, int operation) {
  REAL(flock);
  if (descriptor(fd) && !(operation & LOCK_UN)) FAIL(LOCK, -1);
  return real(fd, operation);
}

#define FCNTL_AS(function) \
  EXPORT int function(int fd, int command, ...) { \
    REAL(function); \
    va_list list; \
    va_start(list, command); \
    void *argument = va_arg(list, void *); \
    va_end(list); \
    if (descriptor(fd) && (command == F_SETLK || command == F_SETLKW)) FAIL(LOCK, -1); \
    return real(fd, command, argument); \
  }

FCNTL_AS(fcntl)
FCNTL_AS(fcntl64)

// MARK: Memory and threads of liblmdb

// Called before anything can be looked up, so the real ones are called by their other names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

#define CALLED_BY_LMDB \
  ((uintptr_t)__builtin_return_address(0) >= lmdb_start && \
   (uintptr_t)__builtin_return_address(0) < lmdb_end)

EXPORT void *malloc(size_t size) {
  if (CALLED_BY_LMDB) FAIL(MALLOC, NULL);
  return __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size) {
  if (CALLED_BY_LMDB) FAIL(MALLOC, NULL);
  return __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size) {
  if (CALLED_BY_LMDB) FAIL(MALLOC, NULL);
  return __libc_realloc(old, size);
}

EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
  REAL(posix_memalign);
  if (CALLED_BY_LMDB && fault(MALLOC, NULL)) return ENOMEM;
  return real(result, alignment, size);
}

#undef strdup
EXPORT char *strdup(const char *text) {
  if (CALLED_BY_LMDB) FAIL(MALLOC, NULL);
  size_t size = strlen(text) + 1;
  char *copy = __libc_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

EXPORT int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  REAL(pthread_create);
  if (CALLED_BY_LMDB && fault(THREAD, NULL)) return EAGAIN;
  return real(thread, attributes, body, argument);
}

#else

// An empty translation unit is not allowed.
typedef int hearth_fault_shim_is_for_linux;

#endif
