/* spread.h: moves the workers of a loop to processors of their own. */
#pragma once

#include "base/internal.h"

#include <pthread.h>

struct weir__spread {
    pthread_t caller;
    int processor;  /* the caller's, or -1 */
    bool has_tried; /* of the caller: it has yielded in vain */
    _Atomic size_t missing;
};

/* Called by the caller before the workers start. */
WEIR_HIDDEN void weir__spread_begin(struct weir__spread *spread,
                                    size_t workers);

/* Called by each worker first: moves it off the caller's processor. */
WEIR_HIDDEN void weir__spread_arrive(struct weir__spread *spread);

/* Called by each worker now and then: lets one queued behind it run. */
WEIR_HIDDEN void weir__spread_make_way(struct weir__spread *spread);
