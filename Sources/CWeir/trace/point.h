/* point.h: the recording points that the other rooms call. */
#pragma once

#include "trace/inspection.h"
#include "trace/observers.h"

/* Reports an event to the observers. `object` is NULL or begins with a struct
   weir__object. */
WEIR_HIDDEN void weir__trace_report(weir_trace_kind_t kind, const void *object,
                                    const char *label, uint64_t job,
                                    size_t lane, size_t count,
                                    const struct weir__caller *caller)
    __attribute__((__cold__));

/* A recording point: one load and one branch while no observer is set. The
   caller may be NULL. */
static inline void weir__trace_by(weir_trace_kind_t kind, const void *object,
                                  const char *label, uint64_t job, size_t lane,
                                  size_t count,
                                  const struct weir__caller *caller) {
    if (WEIR_UNLIKELY(atomic_load_explicit(&weir__trace_observers,
                                           memory_order_relaxed) != 0)) {
        weir__trace_report(kind, object, label, job, lane, count, caller);
    }
}

static inline void weir__trace(weir_trace_kind_t kind, const void *object,
                               const char *label, uint64_t job, size_t lane,
                               size_t count) {
    weir__trace_by(kind, object, label, job, lane, count, NULL);
}
