/*
 * CTestSupport.h: system calls for the tests that Swift's Glibc module lacks.
 */
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stddef.h>
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

#endif /* CTESTSUPPORT_H */
