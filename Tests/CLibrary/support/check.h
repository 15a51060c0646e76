/*
 * check.h: tests of the C library, as C programs.
 *
 * A program is one file *_tests.c. Each TEST runs in a process of its own, under a
 * time limit, so a crash, a hang or a leak belongs to one test. A test may start
 * processes with check_process until its own first call of libdispatch.
 *
 *     TEST(a_gate_counts) {
 *         weir_gate_t gate = weir_gate_create("tickets", 3);
 *         CHECK_EQUAL(weir_gate_try(gate, 2), 0);
 *         CHECK(weir_gate_try(gate, 2) == EAGAIN, "%zu permits", permits);
 *         weir_gate_release(gate);
 *     }
 *
 * `make check-lib` builds and runs the programs; a program runs alone as
 * `.build/check/gate_tests [-v] [PART OF A NAME]...`.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The types of callbacks are given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* For a variable whose address a function gets at the end of the scope. */
#define ENDED_BY(function) __attribute__((cleanup(function)))

struct check_test {
    const char *name;
    void (*run)(void);
    int seconds;
    struct check_test *next;
};

/* Defines a test, with a limit of 60 seconds, or of another number of them. */
#define TEST(name) TEST_WITHIN(60, name)
#define TEST_WITHIN(seconds, name)                                             \
    static void name(void);                                                    \
    static struct check_test name##_entry = {#name, name, seconds, NULL};      \
    __attribute__((constructor)) static void name##_add(void) {                \
        check_add(&name##_entry);                                              \
    }                                                                          \
    static void name(void)

void check_add(struct check_test *test);

/* Records a failure if the condition is false. A format and its arguments may
   follow. The value is the condition. */
#define CHECK(condition, ...)                                                  \
    ((condition)                                                               \
         ? true                                                                \
         : check_failed(__FILE__, __LINE__, #condition, "" __VA_ARGS__))

#define REQUIRE(condition, ...)                                                \
    ((condition)                                                               \
         ? (void)0                                                             \
         : (check_failed(__FILE__, __LINE__, #condition, "" __VA_ARGS__),      \
            check_end()))

/* Runs a block of statements with each of some values: EACH(int, n, 1, 2) {...}. */
#define EACH(type, name, ...)                                                  \
    for (const type name##_all[] = {__VA_ARGS__}, *name##_next = name##_all;   \
         name##_next < name##_all + sizeof name##_all / sizeof(type);          \
         name##_next++)                                                        \
        for (bool name##_is_new = true; name##_is_new;)                        \
            for (const type name = *name##_next; name##_is_new;                \
                 name##_is_new = false)

/* Compare two integers, two strings or two pieces of memory, and print both. */
#define CHECK_EQUAL(left, right)                                               \
    check_equal(__FILE__, __LINE__, #left " == " #right, (intmax_t)(left),     \
                (intmax_t)(right))
#define CHECK_TEXT(left, right)                                                \
    check_text(__FILE__, __LINE__, #left " == " #right, left, right)
#define CHECK_BYTES(left, left_size, right, right_size)                        \
    check_bytes(__FILE__, __LINE__, #left " == " #right, left, left_size,      \
                right, right_size)

/* Names the row of a table, or the step of a loop, that the following failures of
   this thread belong to; NULL for none. */
void check_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void check_skip(const char *reason);

_Noreturn void check_end(void);

bool check_failed(const char *file, int line, const char *condition,
                  const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool check_equal(const char *file, int line, const char *what, intmax_t left,
                 intmax_t right);
bool check_text(const char *file, int line, const char *what, const char *left,
                const char *right);
bool check_bytes(const char *file, int line, const char *what, const void *left,
                 size_t left_size, const void *right, size_t right_size);

/* ---- Random inputs ----------------------------------------------------- */

/* SplitMix64. Tests get different numbers from the same seed, which is printed when
   a test fails and set by WEIR_TEST_SEED. */
struct check_random {
    uint64_t state;
};

struct check_random check_random(const char *purpose);
uint64_t check_next(struct check_random *random);
size_t check_below(struct check_random *random, size_t limit);

/* The number in an environment variable, or a default. */
long check_setting(const char *name, long otherwise);

/* ---- Processes --------------------------------------------------------- */

/* The end of a process: its status of waitpid, and the start of its standard error. */
struct check_process {
    int status;
    char errors[8192];
};

/* Runs a body in a new process without core files, not on its main thread, for at
   most 20 seconds, and waits for its end. The status is 0 if the body returns without
   a failure. */
struct check_process check_process(void (^body)(void));

bool check_trapped(struct check_process end);

/* Runs a body that has to end with a trap after one line "weir: misuse: ..." with all
   of these words, the last one NULL, and no name of the library. */
bool check_misuse(void (^body)(void), const char *word, ...)
    __attribute__((sentinel));
