/* gate_inspect.c: copies the state of a gate for an inspection. */
#include "permits/gate_internal.h"

static void describe_waiters(weir_gate_t gate,
                             struct weir__inspection *inspection) {
    for (const struct weir__waiter *waiter = gate->waiters.head; waiter;
         waiter = waiter->next) {
        weir__inspection_add_wait(inspection, gate,
                                  (weir_inspect_wait_t){
                                      .reason = WEIR_INSPECT_PERMITS,
                                      .thread = waiter->thread,
                                      .count = waiter->count,
                                  },
                                  waiter->since);
    }
}

static void describe_work(weir_gate_t gate,
                          struct weir__inspection *inspection) {
    for (const struct weir__waiter *work = gate->begun; work;
         work = work->next) {
        weir__inspection_add_holder(
            inspection, gate, NULL,
            (weir_inspect_holder_t){.count = work->count,
                                    .thread = work->thread,
                                    .is_certain = true},
            work->since);
    }
}

void weir__gate_describe(const struct weir__object *object,
                         struct weir__inspection *inspection) {
    weir_gate_t gate = (weir_gate_t)(uintptr_t)object; /* its first member */
    pthread_mutex_lock(&gate->lock);
    size_t word = weir__gate_word(gate);
    weir__inspection_add(inspection, object,
                         (weir_inspect_object_t){
                             .kind = WEIR_INSPECT_GATE,
                             .permits = weir__gate_permits(gate),
                             .in_use = WEIR_GATE_IN_USE(word),
                             .is_closed = (word & WEIR_GATE_CLOSED) != 0,
                         });
    describe_waiters(gate, inspection);
    describe_work(gate, inspection);
    pthread_mutex_unlock(&gate->lock);
}
