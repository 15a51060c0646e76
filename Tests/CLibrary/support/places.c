/*
 * places.c: the queues that tests of loops use.
 */
#include "places.h"

#include <weir.h>

void at_place(int place, void (^body)(dispatch_queue_t queue)) {
    dispatch_queue_t queue = NULL;
    if (place == PLACE_GLOBAL) {
        queue = dispatch_get_global_queue(0, 0);
    } else if (place != PLACE_NONE) {
        queue = weir_queue_create(
            "place", place == PLACE_SERIAL ? NULL : DISPATCH_QUEUE_CONCURRENT,
            NULL, NULL);
    }
    body(queue);
    if (place == PLACE_SERIAL || place == PLACE_CONCURRENT) {
        dispatch_release(queue);
    }
}
