/*
 * gate.c: a gate hands out permits, several at once, first come, first served.
 *
 * DESIGN. The state is one word: the number of permits in use, three bits that
 * record that a waiter is queued, that the gate is closed, and that the last
 * reference is gone, and the low bits of the number of takes. While nothing
 * waits, taking and returning permits is one compare-and-swap on that word. The
 * queue of waiters has a lock. A waiter is a thread, parked on a
 * dispatch_semaphore of its own, or a request, which has a function to call.
 * One dispatch_semaphore for all waiters is not fair on Linux, and N waits of 1
 * for N permits can deadlock against each other. The word counts the permits in
 * use, not the free ones, so that a resize is one store beside the word, may go
 * below the number in use, and the word alone shows a signal too many.
 *
 * Invariants:
 *  1. The bit WAITERS is set exactly while the queue is not empty. It is set
 *     and cleared under the lock, and set by a compare-and-swap that saw too
 *     few permits (by take_again without a look, which serves the queue at
 *     once). So either that compare-and-swap sees returned permits, or
 *     the thread that returns them sees the bit, takes the lock and serves the
 *     queue. The number of permits changes only under the lock.
 *  2. While the bit is set, permits are taken only by weir__gate_serve, from
 *     the head of the queue on. No request overtakes a big one at the head.
 *  3. A waiter is decided once, under the lock: served, refused, or removed by
 *     its own time-out or cancellation. So a time-out holds no permit, and if
 *     the waiter was at the head, the next ones are served at once.
 *  4. A waiting thread may be gone as soon as its semaphore is signalled, so
 *     weir__waiter_decide holds a reference to the semaphore while it signals.
 *  5. No function of the caller runs under the lock. Decided requests go into a
 *     list that is delivered after unlocking; each request holds the gate. A
 *     request that is decided within such a function is appended to the list
 *     that is being delivered, so that a chain of requests needs no stack.
 *
 * Accepted asynchronous work is never refused, since its context would be lost:
 * it stays queued after a close, and if a resize leaves fewer permits than it
 * asked for, it is served with all of them.
 *
 * A thread that waits without a time-out looks up once a second if the gate has
 * asynchronous work or the thread holds permits of it (gate_park.c). A trap
 * needs certainty (holder.c, scopes.c), and time: a resize may come.
 *
 * Memory orders. To return permits is a release and to take them an acquire, so
 * that a holder sees what those before it did with them; the word is only ever
 * changed in place until the end, so a relaxed change between the two breaks no
 * such pair. The last signal, or the release after it, acquires what all others
 * did before it frees the gate. While WAITERS is set, the word and the number
 * of permits change only under the lock (but for misuse), so what is read there
 * without an order is the newest. Elsewhere the number of permits may be that
 * before a resize of which nothing has told the thread.
 *
 * The number of takes is in the word because a counter of its own is a third
 * locked instruction in a wait and a signal. The take that changes the top bit
 * then adds one to a counter of these changes. So while no more than one such
 * take is between the two steps, the parity of the counter shows if it is one
 * behind: a reader is off only if a thread stops there for 32,768 takes.
 *
 * A gate ends when its last reference is gone and every permit is returned. The
 * word tells the one thread that causes this.
 */
#include "permits/gate_state.h"
#include "system/threads.h"

#include <stdio.h>

/* ---- inspection -------------------------------------------------------- */

static void describe_waiters(weir_gate_t gate,
                             struct weir__inspection *inspection) {
    for (const struct weir__waiter *waiter = gate->waiters.head; waiter;
         waiter = waiter->next) {
        char count[24];
        snprintf(count, sizeof count, "%zu", waiter->count);
        weir__inspection_wait(inspection, &waiter->caller, count,
                              waiter->since);
    }
}

static void describe_gate(const struct weir__object *object,
                          struct weir__inspection *inspection) {
    weir_gate_t gate = (weir_gate_t)(uintptr_t)object; /* its first member */
    pthread_mutex_lock(&gate->lock);
    uint64_t word = load_relaxed(&gate->word);
    size_t in_use = WEIR_GATE_IN_USE(word);
    size_t permits = load_relaxed(&gate->permits);
    weir__inspection_name(inspection, "gate", object->label);
    weir__inspection_print(inspection, ": %zu of %zu permits in use", in_use,
                           permits);
    if (gate->waiting > 0) {
        weir__inspection_print(inspection, ", %zu waiting", gate->waiting);
    }
    weir__inspection_print(inspection, "%s\n",
                           word & WEIR_GATE_CLOSED ? ", closed"
                           : permits == 0          ? ", paused"
                                                   : "");
    describe_waiters(gate, inspection);
    size_t known = weir__scopes_describe(gate, inspection);
    pthread_mutex_unlock(&gate->lock);
    known += weir__inspection_holders(inspection, gate);
    if (known > 0 && known < in_use) {
        weir__inspection_print(inspection, "  other holders of %zu\n",
                               in_use - known);
    }
}

static uint64_t progress_of(const struct weir__object *object) {
    weir_gate_t gate = (weir_gate_t)(uintptr_t)object; /* its first member */
    pthread_mutex_lock(&gate->lock);
    uint64_t progress =
        gate->waiting ? 1 + gate->changes + gate->blocked + gate->cancelled : 0;
    pthread_mutex_unlock(&gate->lock);
    return progress;
}

/* ---- life -------------------------------------------------------------- */

weir_gate_t weir_gate_create(const char *label, size_t permits) {
    if (permits > WEIR_GATE_PERMITS_MAX) {
        errno = EINVAL;
        return NULL;
    }
    weir_gate_t gate = weir__object_create(sizeof *gate, "the gate", label);
    if (gate) {
        gate->permits = permits;
        pthread_mutex_init(&gate->lock, NULL);
        gate->listed.describe = describe_gate;
        gate->listed.progress = progress_of;
        weir__list(&gate->listed, &gate->object);
    }
    return gate;
}

static void gate_destroy(weir_gate_t gate) {
    weir__unlist(&gate->listed);
    /* A thread that returned permits may still hold the lock. */
    pthread_mutex_lock(&gate->lock);
    /* A later use finds these bits and reports misuse. */
    store_relaxed(&gate->word, WEIR_GATE_ORPHANED | WEIR_GATE_CLOSED);
    pthread_mutex_unlock(&gate->lock);
    pthread_mutex_destroy(&gate->lock);
    weir__scopes_free(gate);
    weir__object_bury(&gate->object);
}

weir_gate_t weir_gate_retain(weir_gate_t gate) {
    weir__object_retain(&gate->object);
    return gate;
}

void weir_gate_release(weir_gate_t gate) {
    if (weir__object_release(&gate->object)) {
        uint64_t before = atomic_fetch_or_explicit(
            &gate->word, WEIR_GATE_ORPHANED, memory_order_acq_rel);
        if (WEIR_UNLIKELY(before & WEIR_GATE_WAITERS)) {
            weir__misuse("the gate \"%.100s\" was released for the last time "
                         "while threads waited for its permits; each thread "
                         "that waits needs a reference",
                         gate->object.label);
        }
        if (WEIR_GATE_IN_USE(before) == 0) {
            gate_destroy(gate);
        }
    }
}

/* ---- taking ------------------------------------------------------------ */

/* Records that the calling thread obtained permits. */
static int note_acquired(weir_gate_t gate, size_t count, uint64_t number) {
    if (weir__holder_exists()) {
        weir__holder_add(gate, count);
    }
    weir__trace(WEIR_TRACE_ACQUIRED, gate, number, 0, count);
    return 0;
}

/* Takes permits unless the gate has waiters, is closed or was released. */
static inline bool take_at_once(weir_gate_t gate, size_t count) {
    return count > 0 && weir__gate_take(gate, count,
                                        WEIR_GATE_WAITERS | WEIR_GATE_CLOSED |
                                            WEIR_GATE_ORPHANED);
}

/* Returns the reason why that failed, or 0 for no permits. */
static WEIR_NOINLINE int refusal_of(weir_gate_t gate, size_t count) {
    int error = weir__gate_refusal(gate, count);
    return error || count == 0                            ? error
           : load_relaxed(&gate->word) & WEIR_GATE_CLOSED ? ECANCELED
                                                          : EAGAIN;
}

int weir_gate_try(weir_gate_t gate, size_t count) {
    return take_at_once(gate, count) ? note_acquired(gate, count, 0)
                                     : refusal_of(gate, count);
}

int weir_gate_enter(weir_gate_t gate, size_t count, const weir_caller_t *caller,
                    weir_gate_scope_t *scope) {
    int error = take_at_once(gate, count) ? 0 : refusal_of(gate, count);
    *scope = error == 0 ? weir_gate_scope(gate, count, caller) : NULL;
    if (*scope) {
        if (weir__holder_exists() && !caller->task) {
            weir__holder_add(gate, count);
        }
        if (weir__trace_is_on()) {
            struct weir__caller known = weir__caller_of(caller, caller->name);
            weir__trace_by(WEIR_TRACE_ACQUIRED, gate, 0, 0, count, &known);
        }
    }
    return error;
}

/* ---- waiting ----------------------------------------------------------- */

static int wait_in_queue(weir_gate_t gate, size_t count,
                         dispatch_time_t timeout, const weir_caller_t *caller) {
    struct weir__waiter waiter = {.count = count,
                                  .parked = dispatch_semaphore_create(0)};
    if (!waiter.parked) {
        return ENOMEM;
    }
    waiter.caller =
        caller ? weir__caller_of(caller, NULL)
               : (struct weir__caller){.thread = weir__thread_number()};
    if (timeout == DISPATCH_TIME_FOREVER) {
        waiter.kept = weir__scopes_keep(gate) + (caller ? caller->kept : 0);
    }
    pthread_mutex_lock(&gate->lock);
    int result = weir__gate_take_or_enqueue(gate, &waiter);
    pthread_mutex_unlock(&gate->lock);
    if (result == WEIR_UNDECIDED) {
        weir__gate_park(gate, &waiter, timeout);
        result = weir__gate_end_wait(gate, &waiter);
    }
    dispatch_release(waiter.parked);
    if (result == ETIMEDOUT) {
        weir__trace(WEIR_TRACE_TIMED_OUT, gate, waiter.number, 0, count);
    }
    return result == 0 ? note_acquired(gate, count, waiter.number) : result;
}

static int time_out_at_once(weir_gate_t gate, size_t count) {
    pthread_mutex_lock(&gate->lock);
    gate->timed_out++;
    pthread_mutex_unlock(&gate->lock);
    weir__trace(WEIR_TRACE_TIMED_OUT, gate, 0, 0, count);
    return ETIMEDOUT;
}

/* Apart, so that the usual way saves no registers. */
static WEIR_NOINLINE int wait_slowly(weir_gate_t gate, size_t count,
                                     dispatch_time_t timeout,
                                     const weir_caller_t *caller) {
    int error = refusal_of(gate, count);
    return error != EAGAIN ? error
           : timeout == DISPATCH_TIME_NOW
               ? time_out_at_once(gate, count)
               : wait_in_queue(gate, count, timeout, caller);
}

int weir_gate_wait_from(weir_gate_t gate, size_t count, dispatch_time_t timeout,
                        const weir_caller_t *caller) {
    return take_at_once(gate, count)
               ? note_acquired(gate, count, 0)
               : wait_slowly(gate, count, timeout, caller);
}

int weir_gate_wait(weir_gate_t gate, size_t count, dispatch_time_t timeout) {
    return take_at_once(gate, count) ? note_acquired(gate, count, 0)
                                     : wait_slowly(gate, count, timeout, NULL);
}

/* ---- signalling -------------------------------------------------------- */

/* Subtracts permits, unless waiters are queued and the lock is not held.
   Returns the former word. */
static uint64_t return_permits(weir_gate_t gate, size_t count, bool locked) {
    uint64_t word = load_relaxed(&gate->word);
    do {
        if (WEIR_UNLIKELY(count > WEIR_GATE_IN_USE(word))) {
            if (locked) {
                pthread_mutex_unlock(&gate->lock);
            }
            size_t in_use = WEIR_GATE_IN_USE(word);
            weir__misuse("the gate \"%.100s\" was signalled %zu permit%s while "
                         "%zu of its %zu %s in use; signal each permit once",
                         gate->object.label, count, count == 1 ? "" : "s",
                         in_use, load_relaxed(&gate->permits),
                         in_use == 1 ? "was" : "were");
        }
        if ((word & WEIR_GATE_WAITERS) && !locked) {
            break;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &gate->word, &word, word - count * WEIR_GATE_ONE_PERMIT,
        memory_order_acq_rel, memory_order_relaxed));
    return word;
}

/* Under the lock: then gate_destroy waits until the end of this function. */
static WEIR_NOINLINE size_t signal_waiters(weir_gate_t gate, size_t count) {
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    uint64_t word = return_permits(gate, count, true);
    gate->changes++;
    gate->is_signalling = true;
    size_t woken = weir__gate_serve(gate, &decided);
    gate->is_signalling = false;
    gate->woken += woken;
    pthread_mutex_unlock(&gate->lock);
    if ((word & WEIR_GATE_ORPHANED) && WEIR_GATE_IN_USE(word) == count) {
        gate_destroy(gate);
    }
    weir__deliver(&decided);
    return woken;
}

size_t weir_gate_signal(weir_gate_t gate, size_t count) {
    if (count == 0) {
        return 0;
    }
    if (weir__holder_exists()) {
        weir__holder_remove(gate, count);
    }
    weir__trace(WEIR_TRACE_SIGNAL, gate, 0, 0, count);
    uint64_t word = return_permits(gate, count, false);
    if (WEIR_UNLIKELY(word & WEIR_GATE_WAITERS)) {
        return signal_waiters(gate, count);
    }
    if (WEIR_UNLIKELY((word & WEIR_GATE_ORPHANED) &&
                      WEIR_GATE_IN_USE(word) == count)) {
        gate_destroy(gate);
    }
    return 0;
}

void *weir_gate_leave(weir_gate_t gate, size_t count, weir_gate_scope_t scope) {
    void *loans = weir__scope_end(gate, scope);
    weir_gate_signal(gate, count);
    return loans;
}

void weir_gate_disown(weir_gate_t gate, size_t count) {
    if (weir__holder_exists()) {
        weir__holder_remove(gate, count);
    }
}

/* ---- resize, close, statistics ----------------------------------------- */

void weir__gate_resize(weir_gate_t gate, size_t permits,
                       struct weir__decided *decided) {
    pthread_mutex_lock(&gate->lock);
    store_relaxed(&gate->permits, permits);
    gate->changes++;
    if (permits > 0) { /* a paused gate refuses nothing */
        weir__gate_refuse_above(gate, permits, EINVAL, decided);
    }
    weir__gate_serve(gate, decided);
    pthread_mutex_unlock(&gate->lock);
}

int weir_gate_resize(weir_gate_t gate, size_t permits) {
    weir__object_check(&gate->object);
    if (permits > WEIR_GATE_PERMITS_MAX) {
        return EINVAL;
    }
    WEIR_DECIDED(decided);
    weir__gate_resize(gate, permits, &decided);
    weir__deliver(&decided);
    return 0;
}

void weir_gate_close(weir_gate_t gate) {
    weir__object_check(&gate->object);
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_or_explicit(&gate->word, WEIR_GATE_CLOSED,
                             memory_order_acq_rel);
    gate->changes++;
    weir__gate_refuse_above(gate, 0, ECANCELED, &decided);
    weir__gate_serve(gate, &decided);
    pthread_mutex_unlock(&gate->lock);
    weir__deliver(&decided);
}

/* Returns the number of takes, as of the word that it reads. `halves` may not
   change meanwhile: it is then at most one behind. */
static uint64_t takes_of(weir_gate_t gate, uint64_t *word) {
    uint64_t halves;
    do {
        halves = atomic_load_explicit(&gate->halves, memory_order_acquire);
        *word = atomic_load_explicit(&gate->word, memory_order_acquire);
    } while (halves != load_relaxed(&gate->halves));
    uint64_t half = WEIR_GATE_TAKES_HALF / WEIR_GATE_ONE_TAKE;
    uint64_t takes = *word / WEIR_GATE_ONE_TAKE;
    bool is_behind = halves % 2 != takes / half;
    return (halves + is_behind) * half + takes % half;
}

void weir_gate_stats(weir_gate_t gate, weir_gate_stats_t *out, size_t size) {
    weir__object_check(&gate->object);
    pthread_mutex_lock(&gate->lock);
    uint64_t word, waits = takes_of(gate, &word);
    weir_gate_stats_t stats = {
        .permits = load_relaxed(&gate->permits),
        .in_use = WEIR_GATE_IN_USE(word),
        .peak = load_relaxed(&gate->peak),
        .waiting = gate->waiting,
        .waits = waits,
        .blocked = gate->blocked,
        .timed_out = gate->timed_out,
        .woken = gate->woken,
        .nanoseconds_waited = gate->nanoseconds_waited,
        .nanoseconds_waited_most = gate->nanoseconds_waited_most,
        .cancelled = gate->cancelled,
        .closed = (word & WEIR_GATE_CLOSED) != 0,
    };
    pthread_mutex_unlock(&gate->lock);
    weir__copy_stats(out, size, &stats, sizeof stats);
}
