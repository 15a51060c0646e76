/* support.h: threads and observations that the scenarios share. */
#pragma once

/* The types of callbacks are given; a scenario leaves most fields out. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include "../Scheduler/schedule.h"
#include "../StandIns/system.h"

#include <errno.h>
#include <string.h>

#include <weir.h>
#include <weir/spi.h>

#define FOREVER DISPATCH_TIME_FOREVER

void thread_start(const char *name, void (*function)(void *), void *argument);

/* Waits until all of them have ended. */
void threads_join(void);

void threads_run(void);

/* Lets other threads run, up to their next lock or atomic operation. */
void let_others_run(void);

/* Returns a time-out in so many simulated milliseconds. */
dispatch_time_t in_milliseconds(unsigned milliseconds);

/* The gate of a scenario, and a wait for its permits. */
extern weir_gate_t gate;
void take(size_t count);
weir_gate_stats_t stats_of(weir_gate_t gate);

/* Permits of a gate in use, as the threads count them. */
struct count {
    size_t now;
    size_t peak;
};
void count_up(struct count *count, size_t more, size_t most);
void count_down(struct count *count, size_t less);

/* Checks from now on that each gate wakes its waiters in the order in which they
   were queued. Those that time out may be gone. */
void observe_order(void);

void *address_of(size_t number);
size_t number_of(const void *address);
