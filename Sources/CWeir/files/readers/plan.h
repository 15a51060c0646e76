/*
 * plan.h: the number of readers that suits the storage, decided from the
 * measurements of one interval after the other. Calls nothing and measures
 * nothing: numbers in, a number out.
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
    uint64_t bytes;   /* bytes that were read */
    uint64_t readers; /* that were allowed */
    uint64_t is_full; /* 1 if all of these were busy */
};

/* A search for the number of readers. Its transitions:
 *
 *     from     event                                           to
 *     GROWING  the readers wait, not for the first time        GROWING, doubled
 *     GROWING  the same, at the most readers                   BEFORE
 *     BEFORE   a window is over                                TRYING, another
 *                                                              number
 *     TRYING   a window is over                                AFTER, the number
 *                                                              of before
 *     AFTER    a window is over; the other number was better   BEFORE, that one
 *     AFTER    a window is over, else                          RESTING
 *     RESTING  the rest is over                                BEFORE
 *     any      the readers did not wait for some intervals     GROWING, halved
 */
enum readers_phase {
    READERS_GROWING,
    READERS_BEFORE,
    READERS_TRYING,
    READERS_AFTER,
    READERS_RESTING
};

struct readers_plan {
    uint64_t least;
    uint64_t most;
    uint64_t readers;    /* the present number */
    uint64_t phase;      /* enum readers_phase */
    uint64_t reason;     /* weir_readers_reason_t */
    uint64_t is_upwards; /* the trial is one of more readers */
    uint64_t settled;    /* in BEFORE, TRYING and AFTER: the number to keep */
    uint64_t window;     /* intervals of the present window so far */
    uint64_t work;       /* done in it */
    uint64_t time;       /* of it */
    uint64_t before;     /* the rates of the windows of a trial */
    uint64_t tried;
    uint64_t rest; /* intervals to rest after the next trial without success */
    uint64_t waited;  /* intervals in a row in which the readers waited */
    uint64_t idle;    /* intervals in a row in which the readers did not wait */
    uint64_t changes; /* of the number, for tests and statistics */
};

/* Begins a plan: `least` readers, and up to `most`. */
WEIR_HIDDEN void weir__readers_plan_begin(struct readers_plan *plan,
                                          uint64_t least, uint64_t most);

/* Returns the number of readers for the next interval. */
WEIR_HIDDEN uint64_t weir__readers_plan_next(
    struct readers_plan *plan, const struct readers_interval *interval);
