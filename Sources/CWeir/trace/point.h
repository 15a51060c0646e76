/* point.h: the recording points that the other rooms call. */
#pragma once

#include "trace/inspection.h"
#include "trace/observers.h"

/* Reports an event of an object that begins with a struct weir__object. */
WEIR_HIDDEN void weir__trace_report(weir_trace_kind_t kind, const void *object,
                                    uint64_t job, size_t lane, size_t count,
                                    const struct weir__caller *caller)
    __attribute__((__cold__));

static inline bool weir__trace_is_on(void) {
    return WEIR_UNLIKELY(load_relaxed(&weir__trace_observers) != 0);
}

/* A recording point. The caller may be NULL. */
static inline void weir__trace_by(weir_trace_kind_t kind, const void *object,
                                  uint64_t job, size_t lane, size_t count,
                                  const struct weir__caller *caller) {
    if (weir__trace_is_on()) {
        weir__trace_report(kind, object, job, lane, count, caller);
    }
}

static inline void weir__trace(weir_trace_kind_t kind, const void *object,
                               uint64_t job, size_t lane, size_t count) {
    weir__trace_by(kind, object, job, lane, count, NULL);
}
