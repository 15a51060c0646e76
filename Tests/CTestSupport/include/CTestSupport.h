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

/* Makes a terminal that nobody sits at: its side of the keyboard and the screen,
   and the name under which programs open the other. Returns 0 or an errno
   value. */
int test_terminal(int *side, char *name, size_t size);

/* Starts a program, found by PATH, in a process group of its own, with default
   signals. Its descriptors 0, 1 and 2 are copies of those given, closed where
   that is -1. Returns its process id, or a negated errno value. */
pid_t test_spawn(char *const arguments[], char *const environment[],
                 const char *directory, const int descriptors[3]);

/* Removes a file, or a directory and all that is in it. */
void test_remove_tree(const char *path);

/* How many bytes of this process's heap are in use; 0 under a sanitizer. */
size_t test_bytes_in_use(void);

/* Starts a program by posix_spawn, which costs less than a fork of the tests.
   Gives its pid, or a negative errno value.
   program: its file; argument 0 may be another name.
   descriptors: standard input, output and errors, each above 2, or -1 for a
   closed one; and one that stays open as long as the program lives. */
pid_t test_call(const char *program, char *const arguments[],
                char *const environment[], const char *directory,
                const int descriptors[4]);

#endif /* CTESTSUPPORT_H */
