/* objects.h: gates, lanes, groups and queues of tests. */
#pragma once

#include "threads.h"
#include <weir.h>

/* Declare an object that is released at the end of its scope. */
#define GATE(name, ...)                                                        \
    ENDED_BY(end_gate) weir_gate_t name = weir_gate_create(__VA_ARGS__)
#define LANES(name, ...)                                                       \
    ENDED_BY(end_lanes) weir_lanes_t name = lanes_make(__VA_ARGS__)
#define GROUP(name, ...)                                                       \
    ENDED_BY(end_group) weir_group_t name = weir_group_create(__VA_ARGS__)
#define QUEUE(name, ...)                                                       \
    ENDED_BY(end_queue)                                                        \
    dispatch_queue_t name = dispatch_queue_create(__VA_ARGS__)

void end_gate(weir_gate_t *gate);
void end_lanes(weir_lanes_t *lanes);
void end_group(weir_group_t *group);
void end_queue(dispatch_queue_t *queue);

dispatch_queue_t global(void);

/* The queues that loops use, which stay: none, the global one, a foreign serial one, and a
   concurrent one of Weir. */
enum { PLACE_NONE, PLACE_GLOBAL, PLACE_SERIAL, PLACE_CONCURRENT, PLACES };
dispatch_queue_t queue_at(int place);

/* Calls a block while jobs occupy the 255 threads that libdispatch has for serial
   queues. */
void while_threads_are_taken(void (^body)(void));

/* ---- Gates ------------------------------------------------------------- */

weir_gate_stats_t gate_stats(weir_gate_t gate);

/* weir_gate_wait without a time-out; gate_take fails the test without permits. */
int gate_wait(weir_gate_t gate, size_t count);
void gate_take(weir_gate_t gate, size_t count);

/* weir_gate_async that fails the test if the work is refused. */
void gate_submit(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                 void (^work)(void));

/* Starts a thread that waits for permits and then calls a block; returns when the
   thread is in the queue. */
pthread_t gate_start_waiter(weir_gate_t gate, size_t count,
                            void (^served)(void));

/* A decision of weir_gate_request_f; the context is an _Atomic int for the result. */
void store_result(void *place, int result);

/* A time-out in milliseconds from now. */
dispatch_time_t in_milliseconds(long count);

/* ---- Lanes ------------------------------------------------------------- */

weir_lanes_t lanes_make(const char *label, size_t width, size_t backlog);
weir_lanes_stats_t lanes_stats(weir_lanes_t lanes);

void lanes_submit(weir_lanes_t lanes, void (^job)(void));
void lanes_submit_many(weir_lanes_t lanes, int jobs, struct meter *ran);
int lanes_try(weir_lanes_t lanes, struct meter *ran);

bool lanes_wait(weir_lanes_t lanes);
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
bool lane_log_has(const struct lane_log *log, size_t count);
bool lane_log_destroyed(const struct lane_log *log, int times);
