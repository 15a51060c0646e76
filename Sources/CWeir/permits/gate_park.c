/*
 * gate_park.c: parks the threads that wait at a gate, and lets them overtake
 * asynchronous work that its queue has not begun.
 *
 * DESIGN. Work of weir_gate_async_f gets its permits in its turn and then goes
 * to its queue. If threads that wait at the same gate occupy the queue, or all
 * threads that libdispatch has, the work never begins, and the threads wait
 * forever. So the permits of work that has not begun are only reserved: if a
 * thread has waited for a whole round in which nothing changed at the gate,
 * waiters that are not work are served with reserved permits, the latest grant
 * losing its permits first. From then on the permits of granted work go to such
 * waiters at once, until the queue begins work: a round for each gateful took
 * 17 s for 100 blocks and 100 works. Work without permits takes them when it
 * begins, before all other waiters, on its queue's thread.
 *
 * To grant only when the work begins was rejected: all work of a gate would go
 * to its queue at once, where it holds a thread each. To serve waiting threads
 * without the round was rejected too: it ends the order of the requests
 * whenever a queue is a little late.
 *
 * A thread that waits behind a request (weir_files_run does) makes no rounds.
 * Permits of a request (weir_gate_request_f) are used from its callback on.
 */
#include "permits/gate_state.h"
#include "system/threads.h"

/* ---- granted work ------------------------------------------------------- */

static void unlist(weir_gate_t gate, struct weir__waiter *work) {
    weir__waiters_remove(&gate->unbegun, work);
    gate->reserved -= work->count;
    gate->changes++;
}

/* The semaphore is for the thread of the queue, when the work begins. */
static bool take_back(weir_gate_t gate, struct weir__waiter *work) {
    work->parked = dispatch_semaphore_create(0);
    if (!work->parked) {
        return false;
    }
    unlist(gate, work);
    work->was_taken_back = true;
    gate->is_lending = true;
    atomic_fetch_sub_explicit(&gate->word, work->count * WEIR_GATE_ONE_PERMIT,
                              memory_order_acq_rel);
    weir__trace(WEIR_TRACE_SIGNAL, gate, 0, 0, work->count);
    return true;
}

/* Frees `count` permits, if taking back all reserved ones suffices. */
static bool free_reserved(weir_gate_t gate, size_t count) {
    size_t permits = load_relaxed(&gate->permits);
    size_t in_use = WEIR_GATE_IN_USE(load_relaxed(&gate->word));
    if (count > permits || in_use - gate->reserved > permits - count) {
        return false;
    }
    while (WEIR_GATE_IN_USE(load_relaxed(&gate->word)) > permits - count) {
        if (!take_back(gate, gate->unbegun.head)) {
            return false;
        }
    }
    return true;
}

static void overtake(weir_gate_t gate, struct weir__decided *decided) {
    struct weir__waiter *next;
    struct weir__waiter *first = gate->reserved > 0 ? gate->waiters.head : NULL;
    for (struct weir__waiter *waiter = first; waiter; waiter = next) {
        next = waiter->next;
        if (waiter->is_work && !waiter->parked) {
            continue; /* it would wait for the same queue */
        }
        size_t permits = load_relaxed(&gate->permits);
        if (permits == 0) {
            break; /* paused: nobody can have what is taken back */
        }
        size_t count = waiter->must_be_served && waiter->count > permits
                           ? permits
                           : waiter->count;
        if (!free_reserved(gate, count) || !weir__gate_take_for(gate, waiter)) {
            break;
        }
        weir__gate_decide(gate, waiter, 0, decided);
    }
    weir__gate_serve(gate, decided); /* with permits that were left over */
}

void weir__gate_hand_over(weir_gate_t gate, struct weir__waiter *work) {
    if (work->count == 0) {
        return;
    }
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    weir__waiters_insert(&gate->unbegun, work, gate->unbegun.head);
    gate->reserved += work->count;
    if (gate->is_lending) {
        overtake(gate, &decided);
    }
    pthread_mutex_unlock(&gate->lock);
    weir__deliver(&decided);
}

/* ---- parking ------------------------------------------------------------ */

bool weir__gate_is_stuck(weir_gate_t gate, const struct weir__waiter *waiter) {
    size_t permits = load_relaxed(&gate->permits), kept = waiter->kept;
    if (kept == 0 || waiter->result != WEIR_UNDECIDED) {
        return false;
    }
    if (gate->kept == WEIR_GATE_IN_USE(load_relaxed(&gate->word))) {
        kept = gate->kept; /* by all who wait, and nobody else has permits */
    }
    return permits >= kept && waiter->count > permits - kept;
}

void weir__gate_report_stuck(weir_gate_t gate,
                             const struct weir__waiter *waiter) {
    const char *who = waiter->caller.task ? "a task" : "a thread";
    size_t permits = load_relaxed(&gate->permits), count = waiter->count;
    bool is_alone = waiter->kept >= permits || count > permits - waiter->kept;
    weir__misuse(
        "the gate \"%.100s\" was asked for %zu more permit%s by %s that "
        "holds %zu of its %zu and releases none meanwhile, so that %s "
        "forever; take all permits that %s needs at once",
        gate->object.label, count, count == 1 ? "" : "s", who, waiter->kept,
        permits,
        is_alone ? "it waits for itself"
                 : "all who hold permits wait for each other",
        who);
}

/* Returns the permits that the jobs on this thread took, also by scopes. */
static size_t taken(weir_gate_t gate) {
    size_t held = weir__holder_holds(gate), kept = weir__scopes_keep(gate);
    return held > kept ? held : kept;
}

/* True if the jobs on this thread took every permit in use and want more than
   are left. They may have passed them on unseen. */
static bool may_be_stuck(weir_gate_t gate, size_t count) {
    size_t held = taken(gate);
    size_t permits = load_relaxed(&gate->permits);
    return held > 0 && held == WEIR_GATE_IN_USE(load_relaxed(&gate->word)) &&
           permits >= held && count > permits - held;
}

static void warn_of_stuck(weir_gate_t gate, size_t count) {
    weir__warn("the gate \"%.100s\" was asked for %zu more permit%s by a job "
               "that took %zu of its %zu; unless another thread returns "
               "permits, the job waits for itself forever; take all permits "
               "that a job needs at once, or disown those that it passes on",
               gate->object.label, count, count == 1 ? "" : "s", taken(gate),
               load_relaxed(&gate->permits));
}

/* Without an end in sight, a thread looks up from its wait once a round. */
#define ROUND_NANOSECONDS 1000000000
#define ROUNDS_OF_A_STALL 2 /* a resize or a close may be on its way */

/* Looks at a gate that has not changed for a round: lets waiters overtake, and
   reports a job that waits for itself. */
static void look_up(weir_gate_t gate, struct weir__waiter *waiter) {
    bool stalled = false, is_stuck = false;
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    if (waiter->changes != gate->changes) {
        waiter->rounds = 0;
    } else if (waiter->result == WEIR_UNDECIDED) {
        overtake(gate, &decided);
        waiter->rounds++;
        stalled = waiter->rounds >= ROUNDS_OF_A_STALL &&
                  waiter->result == WEIR_UNDECIDED;
        is_stuck = stalled && weir__gate_is_stuck(gate, waiter);
        stalled = waiter->rounds == ROUNDS_OF_A_STALL && stalled &&
                  may_be_stuck(gate, waiter->count);
    }
    waiter->changes = gate->changes;
    pthread_mutex_unlock(&gate->lock);
    weir__deliver(&decided);
    if (is_stuck) {
        weir__gate_report_stuck(gate, waiter);
    }
    if (stalled) {
        warn_of_stuck(gate, waiter->count);
    }
}

static void wait_in_rounds(weir_gate_t gate, struct weir__waiter *waiter) {
    while (dispatch_semaphore_wait(
               waiter->parked,
               dispatch_time(DISPATCH_TIME_NOW, ROUND_NANOSECONDS)) != 0) {
        look_up(gate, waiter);
    }
}

/* A job with a permit can begin to wait for itself during the wait. */
static bool needs_rounds(weir_gate_t gate, const struct weir__waiter *waiter) {
    return waiter->kept > 0 || weir__holder_holds(gate) > 0 ||
           load_relaxed(&gate->has_work);
}

void weir__gate_park(weir_gate_t gate, struct weir__waiter *waiter,
                     dispatch_time_t timeout) {
    struct weir__holder *job = weir__top_holder;
    _Atomic size_t *at_gates = job ? job->at_gates : NULL;
    if (at_gates) {
        add_relaxed(at_gates, 1);
    }
    if (timeout == DISPATCH_TIME_FOREVER && needs_rounds(gate, waiter)) {
        wait_in_rounds(gate, waiter);
    } else {
        dispatch_semaphore_wait(waiter->parked, timeout);
    }
    if (at_gates) {
        subtract_relaxed(at_gates, 1);
    }
}

/* ---- work that begins --------------------------------------------------- */

/* Returns the first waiter that is not work on its queue's thread. */
static struct weir__waiter *first_other(weir_gate_t gate) {
    struct weir__waiter *waiter = gate->waiters.head;
    while (waiter && waiter->is_work && waiter->parked) {
        waiter = waiter->next;
    }
    return waiter;
}

/* Waits before all waiters but other work of this kind. */
static void take_again(weir_gate_t gate, struct weir__waiter *work) {
    WEIR_DECIDED(decided);
    work->was_taken_back = false;
    work->caller.thread = weir__thread_number();
    atomic_fetch_or_explicit(&gate->word, WEIR_GATE_WAITERS,
                             memory_order_acq_rel);
    weir__gate_enqueue(gate, work, first_other(gate));
    weir__gate_serve(gate, &decided);
    pthread_mutex_unlock(&gate->lock);
    weir__deliver(&decided);
    weir__gate_park(gate, work, DISPATCH_TIME_FOREVER);
    pthread_mutex_lock(&gate->lock); /* so that weir__gate_decide has ended */
    dispatch_release(work->parked);
    work->parked = NULL;
    weir__trace(WEIR_TRACE_ACQUIRED, gate, work->number, 0, work->count);
}

void weir__gate_begin(weir_gate_t gate, struct weir__waiter *work) {
    if (work->count == 0) {
        return;
    }
    pthread_mutex_lock(&gate->lock);
    gate->is_lending = false;
    if (work->was_taken_back) {
        take_again(gate, work);
    } else {
        unlist(gate, work);
    }
    pthread_mutex_unlock(&gate->lock);
}
