/*
 * lanes.h: what lanes.c does for files.c and members.c.
 */
#ifndef WEIR_INTERNAL_LANES_H
#define WEIR_INTERNAL_LANES_H

#include "base/internal.h"

#include <weir/lanes.h>

/* What is given the contexts of dropped jobs that have no function of their own;
   may be NULL. */
WEIR_HIDDEN void (*weir__lanes_dropped(weir_lanes_t lanes))(void *context);

/* Where no thread can be had, and no lane is at work, who submits a job runs it.
   Before the first one. */
WEIR_HIDDEN void weir__lanes_let_caller_help(weir_lanes_t lanes);

/* Submits a job at the front of the FIFO, past the backlog, without blocking.
   For the rest of a job that its lane splits off. Returns 0 or ENOMEM. */
WEIR_HIDDEN int weir__lanes_async_front_f(weir_lanes_t lanes, void *context,
                                          void (*work)(void *context,
                                                       void *lane_context));

#endif /* WEIR_INTERNAL_LANES_H */
