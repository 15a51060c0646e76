/*
 * trace.c: telling an observer what happens.
 *
 * DESIGN. The recording points are in gate.c and lanes.c, through weir__trace,
 * which is inline and does nothing but look whether there is an observer. The
 * observer is one pointer to something that its owner keeps for ever: no lock
 * on the way, and no question of who is still in it when it is replaced.
 */
#include "internal.h"

_Atomic(const weir_trace_observer_t *) weir__observer;

const weir_trace_observer_t *
weir_trace_set_observer(const weir_trace_observer_t *observer) {
    return atomic_exchange_explicit(&weir__observer, observer,
                                    memory_order_acq_rel);
}

void weir__tell(weir_trace_kind_t kind, const void *object, const char *label,
                uint64_t job, size_t lane, size_t count) {
    const weir_trace_observer_t *observer =
        atomic_load_explicit(&weir__observer, memory_order_acquire);
    if (!observer) {
        return;
    }
    const weir_trace_event_t event = {
        .kind = kind,
        .object = object,
        .label = label,
        .job = job,
        .lane = lane,
        .count = count,
        .nanoseconds = weir__nanoseconds(),
    };
    observer->observe(observer->context, &event);
}
