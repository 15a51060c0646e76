/*
 * kernel_process.h: the arguments, options, signals, threads, locale and memory
 * of the process, from calls of libc that Swift's modules do not offer.
 */
#ifndef KERNEL_PROCESS_H
#define KERNEL_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arguments ---------------------------------------------------------- */

/* The arguments of the process and their number; NULL if libc does not pass
   them to constructors (musl). */
char **kernel_arguments(int *argc);

/* The number of bytes for the arguments of a child process that inherits this
   environment. Each argument takes its bytes, a NUL and a pointer. */
size_t kernel_argument_room(void);

/* Writes the path of the running program, without a NUL. Returns its length; -1
   if the system does not report it. */
long kernel_program_path(char *path, size_t size);

/* ---- signals ------------------------------------------------------------ */

bool kernel_signal_is_ignored(int number);

/* Waits for one of these signals, which the thread blocks, without a limit if
   `nanoseconds` is negative. Returns its number; -1 with errno: EAGAIN at the
   end of the time, EINTR. */
int kernel_signal_wait(const sigset_t *signals, int64_t nanoseconds);

char **kernel_environment(void);

/* Returns the hard limit of open descriptors; UINT64_MAX without one, 0 if the
   system does not report it. */
uint64_t kernel_descriptors_max(void);

/* ---- threads ------------------------------------------------------------ */

/* A thread: its pthread_t, whose type differs. */
typedef uintptr_t kernel_thread_t;

/* Starts a thread that calls `body`. Returns 0 or an errno value. */
int kernel_thread_start(kernel_thread_t *thread, void (*body)(void *),
                        void *context);

/* Sends a signal to a thread; waits for its end; or lets it end alone. */
void kernel_thread_signal(kernel_thread_t thread, int number);
void kernel_thread_join(kernel_thread_t thread);
void kernel_thread_detach(kernel_thread_t thread);

/* ---- options ------------------------------------------------------------ */

typedef struct {
    const char *name;
    int value; /* the result of kernel_option_next; a letter if it has one */
    bool has_argument; /* true if it requires an argument */
} kernel_option_t;

#define KERNEL_OPTIONS_MAX 31

/* Returns the value of the next option of a command line, by getopt_long:
   abbreviations, several letters in one word, operands before options,
   POSIXLY_CORRECT, "--". Returns '?' after an error, which getopt_long has
   reported on standard error, and -1 after the last option. A message on an
   ambiguous abbreviation lists the options in the order of `names`. Callable
   for one command line in the life of a program, on one thread. */
int kernel_option_next(int argc, char **argv, const char *letters,
                       const kernel_option_t *names, int count);

/* The argument of the last option, if it has one. */
char *kernel_option_argument(void);

int kernel_option_operands(void);

/* ---- locale ------------------------------------------------------------- */

/* Sets the locale's characters (LC_CTYPE) from the environment. A program that
   contains libc uses those of the locale C instead, unless they are UTF-8.
   Called once, before there is a second thread.

   If `hides_directions`, the embeddings, overrides and isolates of Unicode
   (U+202A to U+202E, U+2066 to U+2069) do not count as printable: they reorder
   the text after a name. */
void kernel_take_locale(bool hides_directions);

/* The length of the character (LC_CTYPE) at the start of the bytes, at least 1
   if there are any; and true if it is printable. A byte that begins no
   character counts as an unprintable character. */
size_t kernel_character(const char *bytes, size_t length, bool *is_printable);

/* Like `kernel_character`, but the characters that reorder text are never
   printable. */
size_t kernel_terminal_character(const char *bytes, size_t length,
                                 bool *is_printable);

/* The columns of a terminal that a character takes: 0 for an unprintable
   one. */
int kernel_character_columns(uint32_t character);

/* ---- priority ----------------------------------------------------------- */

/* Gives the process the idle priority of the processor, or else the lowest one,
   and that of the disk. Threads inherit them, so it is called before there is a
   second one. */
void kernel_work_in_background(void);

/* ---- memory ------------------------------------------------------------- */

/* Lets all threads share one arena of malloc if the address space is limited:
   glibc would reserve 64 MiB for each of them, which the stacks of later
   threads need. Called once, before there is a second thread. */
void kernel_share_arena(void);

#ifdef __cplusplus
}
#endif

#endif /* KERNEL_PROCESS_H */
