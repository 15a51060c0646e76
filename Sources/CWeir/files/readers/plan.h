/*
 * plan.h: the number of readers that suits the storage, decided from the
 * measurements of one interval after the other. Calls nothing and measures
 * nothing.
 */
#pragma once

#include "base/internal.h"

#include <weir/files.h>

/* What a run did in an interval of time. */
struct readers_interval {
    uint64_t nanoseconds;
    uint64_t cpu;     /* nanoseconds of all threads of the process */
    uint64_t cores;   /* that the process may use */
    uint64_t waits;   /* times that a thread of the process slept */
    uint64_t files;   /* files that were finished */
    uint64_t readers; /* that were allowed */
    bool is_full;     /* all of these were busy */
};

struct readers_plan {
    uint64_t least;
    uint64_t most;
    uint64_t readers; /* the present number */
    uint64_t waited;  /* intervals in a row in which the readers waited */
    uint64_t idle;    /* intervals in a row in which the readers did not wait */
    weir_readers_reason_t reason;
};

/* Begins a plan: `least` readers, and up to `most`. */
WEIR_HIDDEN void weir__readers_plan_begin(struct readers_plan *plan,
                                          uint64_t least, uint64_t most);

/* Returns the number of readers for the next interval. */
WEIR_HIDDEN uint64_t weir__readers_plan_next(
    struct readers_plan *plan, const struct readers_interval *interval);
