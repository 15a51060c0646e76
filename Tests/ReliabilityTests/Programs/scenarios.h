/*
 * scenarios.h: what a scenario of scenarios.c calls. A scenario uses a part of
 * the library, while a call that the library makes fails, and describes the
 * outcome as lines of text, its answer. It frees all that it makes.
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>
#include <weir/spi.h>

struct scenario {
    const char *name;
    void (*run)(void);
    bool is_new; /* true if each run takes a new process */
};

extern const struct scenario gate_scenarios[], lane_scenarios[],
    file_scenarios[], system_scenarios[];

extern const char *running_scenario; /* its name */

/* Adds a line to the answer, which is the same in every run without a fault.
   Only on the scenario's thread, or in a delivery. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Reports a broken promise. */
__attribute__((format(printf, 1, 2))) void wrong(const char *format, ...);

/* Returns true if a call has its expected result; false if it failed with the
   error that was injected. Any other result is wrong. On any thread. */
bool expect(const char *call, int result, int expected);
bool is_made(const char *call, const void *result);

#define EXPECT(call, expected) expect(#call, (call), (expected))
#define GOOD(call) expect(#call, (call), 0)
#define MADE(object) is_made(#object, (object))

/* Returns true if the error is one that may be seen now. */
bool is_injected(int error);

/* Tells the result of a run over files. */
void end_files(int result, bool is_unordered);

/* Counts a failure that was reported in another way than by a result. */
void count_failure(void);

/* Waits until the count has reached a number; wrong after 10 s. */
void await_count(const char *name, _Atomic int *count, int wanted);

/* Of scenario_systems.c. */
extern void scenario_make_threads(void);

/* Of scenario_tree.c; does nothing if the tree is there. */
extern void scenario_make_tree(void);

#define FOREVER DISPATCH_TIME_FOREVER
#define SOON dispatch_time(DISPATCH_TIME_NOW, 2000000)
#define LIMIT dispatch_time(DISPATCH_TIME_NOW, 10000000000)
