/* serial_queue.h: recognizes the serial queues of weir_queue_create. */
#pragma once

#include "base/internal.h"

/* The key of a serial queue. Each has its own, so that it is found from a queue
   that targets it too. Nothing else uses an address inside the queue. */
static inline const void *weir__serial_queue_key(dispatch_queue_t queue) {
    return (const char *)queue + 1;
}

/* True on this serial queue of Weir, or on a queue that targets it. */
static inline bool weir__on_serial_queue(dispatch_queue_t queue) {
    return dispatch_get_specific(weir__serial_queue_key(queue)) != NULL;
}
