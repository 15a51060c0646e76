/*
 * point.h: the recording points that the other rooms call.
 */
#ifndef WEIR_TRACE_POINT_H
#define WEIR_TRACE_POINT_H

#include "base/internal.h"

#include <weir/trace.h>

/* How many there are: the program's own, a recorder. */
WEIR_HIDDEN extern _Atomic size_t weir__observers;

/* `object` is NULL or begins with a struct weir__object. */
WEIR_HIDDEN void weir__tell(weir_trace_kind_t kind, const void *object,
                            const char *label, uint64_t job, size_t lane,
                            size_t count) __attribute__((__cold__));

/* A recording point: one load and one branch while nobody observes. */
static inline void weir__trace(weir_trace_kind_t kind, const void *object,
                               const char *label, uint64_t job, size_t lane,
                               size_t count) {
    if (WEIR_UNLIKELY(atomic_load_explicit(&weir__observers,
                                           memory_order_relaxed) != 0)) {
        weir__tell(kind, object, label, job, lane, count);
    }
}

#endif /* WEIR_TRACE_POINT_H */
