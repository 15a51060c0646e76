/*
 * lane_sets.h: lanes of tests, with blocks as jobs and a log of lane contexts.
 */
#ifndef LANE_SETS_H
#define LANE_SETS_H

#include "threads.h"

#include <weir.h>

weir_lanes_t lanes_make(const char *label, size_t width, size_t backlog);
weir_lanes_stats_t lanes_stats(weir_lanes_t lanes);

/* Submits a block with weir_lanes_async_f, which has to accept it. */
void lanes_submit(weir_lanes_t lanes, void (^job)(void));
/* Submits jobs that enter a meter. */
void lanes_submit_many(weir_lanes_t lanes, int jobs, struct meter *ran);
/* Submits a job that enters a meter with weir_lanes_try_async_f, and returns its result. */
int lanes_try(weir_lanes_t lanes, struct meter *ran);

/* Waits for the jobs; returns true if the wait succeeded. */
bool lanes_wait(weir_lanes_t lanes);
/* Waits for some milliseconds; returns true if jobs are left. */
bool lanes_wait_times_out(weir_lanes_t lanes);
/* Waits for the jobs and releases the lanes. */
bool lanes_end(weir_lanes_t lanes);

/* A job on each of the lanes, until lanes_vacate lets them end. */
struct occupation {
    struct latch *begun, *go, *ended;
};

struct occupation lanes_occupy(weir_lanes_t lanes);
void lanes_vacate(struct occupation occupation);

struct lane_context {
    int created;
    _Atomic int destroyed;
    long value;
};

/* The contexts of lanes, by number; NULL for the lanes from a number on. */
struct lane_log {
    struct lane_context contexts[WEIR_LANES_WIDTH_MAX];
    size_t null_from, created;
    _Atomic size_t nulls_destroyed;
};

/* Empties the log, and returns options that use it. */
weir_lanes_options_t lane_log_options(struct lane_log *log, size_t null_from);
/* True if the lanes from 0 to count - 1 have a context, and no other lanes. */
bool lane_log_has(const struct lane_log *log, size_t count);
/* True if each context was destroyed that many times. */
bool lane_log_destroyed(const struct lane_log *log, int times);

#endif /* LANE_SETS_H */
