/*
 * CTestSupport.h: what the tests need of the system and Swift's Glibc module
 * does not offer.
 */
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stddef.h>
#include <sys/types.h>

/* Makes a pipe that a program started meanwhile does not inherit. Returns 0 or
   an errno value. */
int test_pipe(int ends[2]);

/* Starts a program, found by PATH, in a process group of its own, with default
   signals. Its descriptors 0, 1 and 2 are copies of those given, closed where
   that is -1. Returns its process id, or a negated errno value. */
pid_t test_spawn(char *const arguments[], char *const environment[],
                 const char *directory, const int descriptors[3]);

/* Removes a file, or a directory and all that is in it. */
void test_remove_tree(const char *path);

/* How many bytes of this process's heap are in use; 0 under a sanitizer. */
size_t test_bytes_in_use(void);

#endif /* CTESTSUPPORT_H */
