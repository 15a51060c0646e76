/*
 * gates.h: gates of tests.
 */
#ifndef GATES_H
#define GATES_H

#include "threads.h"

#include <weir.h>

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

#endif /* GATES_H */
