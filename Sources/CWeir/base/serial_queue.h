/* serial_queue.h: recognizes the serial queues that weir_queue_create made, so
   that a loop onto the caller's own queue is reported. */
#pragma once

#include "base/internal.h"

/* The queue-specific key of a serial queue. Each queue has a key of its own, so
   that it is found from a queue that targets it too: with a shared key the
   upper queue's value would hide the lower one's. An address inside the queue
   is used as a key by nothing else. */
static inline const void *weir__serial_queue_key(dispatch_queue_t queue) {
    return (const char *)queue + 1;
}

/* Returns true if the caller runs on this queue, which weir_queue_create made
   serial, or on a queue that targets it. */
static inline bool weir__on_serial_queue(dispatch_queue_t queue) {
    return dispatch_get_specific(weir__serial_queue_key(queue)) != NULL;
}
