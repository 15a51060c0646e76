/*
 * CTestSupport.h: system calls for the tests that Swift's Glibc module lacks.
 */
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes a pipe with close-on-exec ends. Returns 0 or an errno value. */
int test_pipe(int ends[2]);

/* Makes a pseudo-terminal: stores the descriptor of its master side, and the
   name of the side that programs open. Returns 0 or an errno value. */
int test_terminal(int *side, char *name, size_t size);

/* Starts a program from PATH in a new process group, with default signals. Its
   descriptors 0, 1 and 2 are copies of the given ones; -1 closes one. Argument 0
   may be another name. Returns the process id, or a negated errno value. */
pid_t test_spawn(const char *program, char *const arguments[],
                 char *const environment[], const char *directory,
                 const int descriptors[3]);

/* Removes a file, or a directory and its contents. */
void test_remove_tree(const char *path);

/* Returns the number of heap bytes in use; 0 with a sanitizer. */
size_t test_bytes_in_use(void);

/* Returns a hash of bytes, which a loop in unoptimized Swift would take seconds
   for. */
uint64_t test_hash(const void *bytes, size_t count);

/* The numbers of system calls. */
extern const long test_call_lseek, test_call_fstatat, test_call_openat2,
    test_call_getdents, test_call_clone3;

/* From now on, the calls of one system call by this process fail with an errno
   value: all of them, or those whose argument of an index is a value. Returns 0
   or an errno value. */
int test_refuse_calls(long number, int error);
int test_refuse_calls_with(long number, unsigned argument, unsigned value,
                           int error);

/* From now on, the calls of one system call by this process never return. Leaves
   a descriptor open. Returns 0 or an errno value. */
int test_hold_calls(long number);

#endif /* CTESTSUPPORT_H */
