/*
 * spread.h: workers of a loop on processors of their own.
 */
#ifndef WEIR_SPREAD_H
#define WEIR_SPREAD_H

#include "base/internal.h"

#include <pthread.h>

struct weir__spread {
    pthread_t caller;
    int processor;  /* the caller's, or -1 */
    bool has_tried; /* the caller's own: in vain, to make way */
    _Atomic size_t missing;
};

/* By the caller, before the workers are started. */
WEIR_HIDDEN void weir__spread_begin(struct weir__spread *spread,
                                    size_t workers);

/* By each worker, first: moves it off the caller's processor. */
WEIR_HIDDEN void weir__spread_arrive(struct weir__spread *spread);

/* By each worker, now and then: lets one that is stuck behind the caller get
   to weir__spread_arrive. */
WEIR_HIDDEN void weir__spread_make_way(struct weir__spread *spread);

#endif /* WEIR_SPREAD_H */
