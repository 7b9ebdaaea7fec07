// Preloaded into a process (LD_PRELOAD), it watches what that process asks of the file system and
// of malloc, and can make any of these calls fail. Linux with glibc only; elsewhere it is empty.
//
// Controlled by environment variables, read at start and by hearth_fault_configure():
//
//   HEARTH_FAULT_ROOT   only files below this directory count
//   HEARTH_FAULT_TRACE  a file to which every operation is appended, with the bytes written
//   HEARTH_FAULT_FAIL   class:k:mode:errno, e.g. meta:12:on:5; mode is once, on (from k on), late
//                       (done, then reported as failed), gone (late, and the next pwrite fails) or
//                       short (half is written, once)
//   HEARTH_FAULT_LIE    sync (flushes of files do nothing), fsync (only fsync of them) or write
//                       (from the 40th on, every fifth write of data does nothing): what a check
//                       must notice
#ifndef HEARTH_FAULT_SHIM_H
#define HEARTH_FAULT_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Reads the variables again and counts from zero.
void hearth_fault_configure(void);

// No faults and no lies from here on; tracing goes on.
void hearth_fault_disarm(void);

// Adds a note to the trace.
void hearth_fault_note(const void *bytes, size_t length);

// How many calls of the class there were.
uint64_t hearth_fault_count(const char *name);

// How many calls were made to fail, or lied about.
uint64_t hearth_fault_hits(void);

#endif
