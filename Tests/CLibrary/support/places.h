/*
 * places.h: the queues that tests of loops use.
 */
#ifndef PLACES_H
#define PLACES_H

#include <dispatch/dispatch.h>

enum { PLACE_NONE, PLACE_GLOBAL, PLACE_SERIAL, PLACE_CONCURRENT, PLACES };

/* Calls a block with no queue, the global queue or a new one, as the place says. */
void at_place(int place, void (^body)(dispatch_queue_t queue));

#endif /* PLACES_H */
