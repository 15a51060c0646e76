/* gate_waiters.c: serves the queue of waiters at a gate (see gate.c). */
#include "permits/gate_state.h"

/* Records a WAIT or a WAKE; `detail`: without a thread, or by a signal. */
static void trace_waiter(weir_trace_kind_t kind, weir_gate_t gate,
                         const struct weir__waiter *waiter, bool detail) {
    weir__trace_by(kind, gate, waiter->number, detail, waiter->count,
                   &waiter->caller);
}

static void unlink_waiter(weir_gate_t gate, struct weir__waiter *waiter) {
    weir__waiters_remove(&gate->waiters, waiter);
    gate->waiting--;
    gate->kept -= waiter->kept;
    if (!gate->waiters.head) {
        atomic_fetch_and_explicit(&gate->word, ~WEIR_GATE_WAITERS,
                                  memory_order_relaxed);
    }
}

/* Adds a decided waiter to the statistics and the trace. */
static void count_decision(weir_gate_t gate,
                           const struct weir__waiter *waiter) {
    uint64_t waited = weir__nanoseconds() - waiter->since;
    gate->nanoseconds_waited += waited;
    if (waited > gate->nanoseconds_waited_most) {
        gate->nanoseconds_waited_most = waited;
    }
    if (waiter->result != EALREADY) { /* a loan of the overlay */
        *(waiter->result == 0           ? &gate->blocked
          : waiter->result == ETIMEDOUT ? &gate->timed_out
                                        : &gate->cancelled) += 1;
    }
    if (waiter->result == 0) {
        trace_waiter(WEIR_TRACE_WAKE, gate, waiter, gate->is_signalling);
    } else if (waiter->result != ETIMEDOUT) { /* the waiter records a timeout */
        weir__trace(WEIR_TRACE_CANCEL, gate, waiter->number, 0, waiter->count);
    }
}

void weir__gate_decide(weir_gate_t gate, struct weir__waiter *waiter,
                       int result, struct weir__decided *decided) {
    unlink_waiter(gate, waiter);
    waiter->result = result;
    count_decision(gate, waiter);
    weir__waiter_decide(waiter, result, decided);
}

/* Takes permits for the waiter at the head. One that must be served gets all
   permits of the gate if it asked for more; without any it waits for a close. */
bool weir__gate_take_for(weir_gate_t gate, struct weir__waiter *waiter) {
    size_t permits = load_relaxed(&gate->permits);
    if (waiter->must_be_served && waiter->count > permits) {
        if (permits == 0 && !(load_relaxed(&gate->word) & WEIR_GATE_CLOSED)) {
            return false;
        }
        if (!weir__gate_take(gate, permits, 0)) {
            return false;
        }
        waiter->count = permits;
        return true;
    }
    return weir__gate_take(gate, waiter->count, 0);
}

size_t weir__gate_serve(weir_gate_t gate, struct weir__decided *decided) {
    size_t woken = 0;
    struct weir__waiter *waiter;
    while ((waiter = gate->waiters.head) && weir__gate_take_for(gate, waiter)) {
        weir__gate_decide(gate, waiter, 0, decided);
        woken++;
    }
    return woken;
}

void weir__gate_refuse_above(weir_gate_t gate, size_t most, int error,
                             struct weir__decided *decided) {
    struct weir__waiter *next;
    for (struct weir__waiter *waiter = gate->waiters.head; waiter;
         waiter = next) {
        next = waiter->next;
        if (!waiter->must_be_served && waiter->count > most) {
            weir__gate_decide(gate, waiter, error, decided);
        }
    }
}

void weir__gate_enqueue(weir_gate_t gate, struct weir__waiter *waiter,
                        struct weir__waiter *before) {
    weir__waiters_insert(&gate->waiters, waiter, before);
    gate->waiting++;
    gate->kept += waiter->kept;
    waiter->since = weir__nanoseconds();
    waiter->changes = gate->changes;
    waiter->number = ++gate->numbers;
    trace_waiter(WEIR_TRACE_WAIT, gate, waiter, !waiter->parked);
}

/* Setting the bit acquires has_work of work that took its permits before: else
   the thread might wait without looking up, for good. */
int weir__gate_take_or_enqueue(weir_gate_t gate, struct weir__waiter *waiter) {
    int error = weir__gate_refusal(gate, waiter->count);
    if (error) {
        return error;
    }
    while (!gate->waiters.head) {
        if (weir__gate_take(gate, waiter->count, 0)) {
            return 0;
        }
        uint64_t word = load_relaxed(&gate->word);
        size_t permits = load_relaxed(&gate->permits);
        size_t in_use = WEIR_GATE_IN_USE(word);
        bool too_few = permits < in_use || permits - in_use < waiter->count;
        if (too_few && atomic_compare_exchange_strong_explicit(
                           &gate->word, &word, word | WEIR_GATE_WAITERS,
                           memory_order_acquire, memory_order_relaxed)) {
            break;
        }
    }
    weir__gate_enqueue(gate, waiter, NULL);
    return WEIR_UNDECIDED;
}

int weir__gate_end_wait(weir_gate_t gate, struct weir__waiter *waiter) {
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    if (waiter->result == WEIR_UNDECIDED) {
        bool was_head = gate->waiters.head == waiter;
        unlink_waiter(gate, waiter);
        waiter->result = ETIMEDOUT;
        count_decision(gate, waiter);
        if (was_head) {
            weir__gate_serve(gate, &decided);
        }
    }
    pthread_mutex_unlock(&gate->lock);
    weir__deliver(&decided);
    return waiter->result;
}
