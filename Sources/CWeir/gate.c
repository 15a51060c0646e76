/*
 * gate.c: permits, several at once, first come first served.
 *
 * DESIGN. The state is one word: how many permits are in the gate, a bit that
 * says somebody is waiting, and a bit that says the last reference is gone.
 * While nobody waits, taking and giving permits is one compare-and-swap, or
 * one addition, on that word. Behind it is a queue of waiters under a lock.
 * Each waiter is parked on a dispatch_semaphore of its own, which only ever
 * stands at 0 or 1: waking the right one, in order and for several permits at
 * once, is what one dispatch_semaphore for all cannot do (it is not fair on
 * Linux, and N waits of 1 for N permits can deadlock against each other).
 *
 * Invariants:
 *  1. The bit WAITERS is set exactly while the queue is not empty. It is set
 *     and cleared under the lock, and set by a compare-and-swap that saw too
 *     few permits. So permits that come back either are seen by that
 *     compare-and-swap, or their giver sees the bit, takes the lock and serves.
 *  2. With the bit set nobody takes permits but through serve(), from the head
 *     of the queue on. A big request at the head is not overtaken.
 *  3. A waiter is decided under the lock: granted by serve(), or taken out of
 *     the queue by its own time-out. Never both, so a time-out leaves no permit
 *     behind; and when it was the head, the next are served at once.
 *  4. A waiter may be gone as soon as its semaphore is signalled, so serve()
 *     holds a reference to the semaphore while it signals.
 *
 * A gate is freed when its last reference is gone and every permit is back:
 * whoever brings that about, the releaser or the last signaller, sees it in
 * the word, and only one of them can.
 */
#include "internal.h"

#include <pthread.h>

#include <weir/gate.h>

#define WAITERS ((size_t)1)
#define ORPHANED ((size_t)2)
#define ONE_PERMIT ((size_t)4)
#define PERMITS_IN(word) ((word) / ONE_PERMIT)

struct waiter {
    struct waiter *next;
    struct waiter *previous;
    size_t count;
    bool granted;
    dispatch_semaphore_t parked;
};

struct weir_gate_s {
    _Atomic size_t word;
    size_t permits;
    char *label;
    _Atomic size_t references;
    _Atomic size_t peak;
    _Atomic uint64_t waits;

    pthread_mutex_t lock; /* what follows */
    struct waiter *head;
    struct waiter *tail;
    size_t waiting;
    uint64_t blocked;
    uint64_t timed_out;
    uint64_t woken;
    uint64_t nanoseconds_waited;
    uint64_t nanoseconds_waited_most;
};

/* ---- life -------------------------------------------------------------- */

weir_gate_t weir_gate_create(const char *label, size_t permits) {
    if (permits > SIZE_MAX / 8) {
        errno = EINVAL;
        return NULL;
    }
    weir_gate_t gate = calloc(1, sizeof *gate);
    char *copy = weir__label(label);
    if (!gate || !copy) {
        free(gate);
        free(copy);
        errno = ENOMEM;
        return NULL;
    }
    gate->word = permits * ONE_PERMIT;
    gate->permits = permits;
    gate->label = copy;
    gate->references = 1;
    pthread_mutex_init(&gate->lock, NULL);
    return gate;
}

static void destroy(weir_gate_t gate) {
    pthread_mutex_destroy(&gate->lock);
    free(gate->label);
    free(gate);
}

weir_gate_t weir_gate_retain(weir_gate_t gate) {
    weir__retain(&gate->references, "the gate", gate->label);
    return gate;
}

void weir_gate_release(weir_gate_t gate) {
    if (weir__release(&gate->references, "the gate", gate->label)) {
        size_t before = atomic_fetch_or_explicit(&gate->word, ORPHANED,
                                                 memory_order_acq_rel);
        if (PERMITS_IN(before) == gate->permits) {
            destroy(gate);
        }
    }
}

/* ---- taking ------------------------------------------------------------ */

static void note_taken(weir_gate_t gate, size_t left) {
    weir__raise_size(&gate->peak, gate->permits - left);
    atomic_fetch_add_explicit(&gate->waits, 1, memory_order_relaxed);
}

/* Takes permits if there are enough and none of the bits in `unless` is set. */
static bool take(weir_gate_t gate, size_t count, size_t unless) {
    size_t word = atomic_load_explicit(&gate->word, memory_order_relaxed);
    while (!(word & unless) && PERMITS_IN(word) >= count) {
        if (atomic_compare_exchange_weak_explicit(
                &gate->word, &word, word - count * ONE_PERMIT,
                memory_order_acquire, memory_order_relaxed)) {
            note_taken(gate, PERMITS_IN(word) - count);
            return true;
        }
    }
    return false;
}

static int acquired(weir_gate_t gate, size_t count) {
    weir__trace(WEIR_TRACE_ACQUIRED, gate, gate->label, 0, 0, count);
    return 0;
}

int weir_gate_try(weir_gate_t gate, size_t count) {
    if (count > gate->permits) {
        return EINVAL;
    }
    if (count == 0) {
        return 0;
    }
    return take(gate, count, WAITERS) ? acquired(gate, count) : EAGAIN;
}

/* ---- the queue, under the lock ----------------------------------------- */

static void unlink_waiter(weir_gate_t gate, struct waiter *waiter) {
    *(waiter->previous ? &waiter->previous->next : &gate->head) = waiter->next;
    *(waiter->next ? &waiter->next->previous : &gate->tail) = waiter->previous;
    gate->waiting--;
    if (!gate->head) {
        atomic_fetch_and_explicit(&gate->word, ~WAITERS, memory_order_relaxed);
    }
}

/* Grants what the head of the queue asks for, as long as there is enough. */
static size_t serve(weir_gate_t gate) {
    size_t woken = 0;
    struct waiter *waiter;
    while ((waiter = gate->head) && take(gate, waiter->count, 0)) {
        unlink_waiter(gate, waiter);
        waiter->granted = true;
        dispatch_semaphore_t parked = waiter->parked;
        dispatch_retain(parked);
        dispatch_semaphore_signal(parked);
        dispatch_release(parked); /* the waiter itself may be gone */
        woken++;
    }
    gate->blocked += woken;
    return woken;
}

/* Puts a waiter at the end of the queue, unless it finds enough permits and
   nobody before it. Returns whether it did find them. */
static bool take_or_enqueue(weir_gate_t gate, struct waiter *waiter) {
    while (!gate->head) {
        if (take(gate, waiter->count, 0)) {
            return true;
        }
        size_t word = atomic_load_explicit(&gate->word, memory_order_relaxed);
        if (PERMITS_IN(word) < waiter->count &&
            atomic_compare_exchange_strong_explicit(
                &gate->word, &word, word | WAITERS, memory_order_relaxed,
                memory_order_relaxed)) {
            break;
        }
    }
    waiter->previous = gate->tail;
    *(gate->tail ? &gate->tail->next : &gate->head) = waiter;
    gate->tail = waiter;
    gate->waiting++;
    return false;
}

/* A wait is over: what it took goes into the figures. Returns 0, or ETIMEDOUT
   where the permits have not come even at this last moment. */
static int decide(weir_gate_t gate, struct waiter *waiter, uint64_t since) {
    uint64_t waited = weir__nanoseconds() - since;
    pthread_mutex_lock(&gate->lock);
    gate->nanoseconds_waited += waited;
    if (waited > gate->nanoseconds_waited_most) {
        gate->nanoseconds_waited_most = waited;
    }
    bool granted = waiter->granted;
    if (!granted) {
        bool was_head = gate->head == waiter;
        unlink_waiter(gate, waiter);
        gate->timed_out++;
        if (was_head) {
            serve(gate);
        }
    }
    pthread_mutex_unlock(&gate->lock);
    return granted ? 0 : ETIMEDOUT;
}

static int wait_in_queue(weir_gate_t gate, size_t count,
                         dispatch_time_t timeout) {
    struct waiter waiter = {.count = count,
                            .parked = dispatch_semaphore_create(0)};
    if (!waiter.parked) {
        return ENOMEM;
    }
    uint64_t since = weir__nanoseconds();
    weir__trace(WEIR_TRACE_WAIT, gate, gate->label, 0, 0, count);
    pthread_mutex_lock(&gate->lock);
    bool taken = take_or_enqueue(gate, &waiter);
    pthread_mutex_unlock(&gate->lock);
    int result = 0;
    if (!taken) {
        dispatch_semaphore_wait(waiter.parked, timeout);
        result = decide(gate, &waiter, since);
    }
    dispatch_release(waiter.parked);
    return result;
}

/* ---- waiting and signalling -------------------------------------------- */

static int time_out_at_once(weir_gate_t gate) {
    pthread_mutex_lock(&gate->lock);
    gate->timed_out++;
    pthread_mutex_unlock(&gate->lock);
    return ETIMEDOUT;
}

int weir_gate_wait(weir_gate_t gate, size_t count, dispatch_time_t timeout) {
    if (count > gate->permits) {
        return EINVAL;
    }
    if (count == 0) {
        return 0;
    }
    if (take(gate, count, WAITERS)) {
        return acquired(gate, count);
    }
    int result = timeout == DISPATCH_TIME_NOW
                     ? time_out_at_once(gate)
                     : wait_in_queue(gate, count, timeout);
    if (result == ETIMEDOUT) {
        weir__trace(WEIR_TRACE_TIMED_OUT, gate, gate->label, 0, 0, count);
    }
    return result == 0 ? acquired(gate, count) : result;
}

/* Adds permits, unless nobody may, or `unless` is set. Returns the word that
   was there before. */
static size_t give(weir_gate_t gate, size_t count, size_t unless) {
    size_t permits = gate->permits;
    size_t word = atomic_load_explicit(&gate->word, memory_order_relaxed);
    do {
        size_t out = permits - PERMITS_IN(word);
        if (WEIR_UNLIKELY(count > out)) {
            weir__misuse("the gate \"%s\" was given back %zu of its %zu "
                         "permits while %zu were out; signal what was taken, "
                         "once",
                         gate->label, count, permits, out);
        }
        if (word & unless) {
            break;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &gate->word, &word, word + count * ONE_PERMIT, memory_order_acq_rel,
        memory_order_relaxed));
    return word;
}

size_t weir_gate_signal(weir_gate_t gate, size_t count) {
    if (count == 0) {
        return 0;
    }
    weir__trace(WEIR_TRACE_SIGNAL, gate, gate->label, 0, 0, count);
    size_t permits = gate->permits, woken = 0;
    size_t word = give(gate, count, WAITERS);
    if (word & WAITERS) {
        /* The permits go back under the lock: they are what keeps the gate
           alive until those who wait, each with a reference, are seen to. */
        pthread_mutex_lock(&gate->lock);
        word = give(gate, count, 0);
        woken = serve(gate);
        gate->woken += woken;
        pthread_mutex_unlock(&gate->lock);
    }
    if ((word & ORPHANED) && PERMITS_IN(word) + count == permits) {
        destroy(gate);
    }
    return woken;
}

/* ---- figures ----------------------------------------------------------- */

void weir_gate_stats(weir_gate_t gate, weir_gate_stats_t *stats, size_t size) {
    pthread_mutex_lock(&gate->lock);
    size_t word = atomic_load_explicit(&gate->word, memory_order_relaxed);
    weir_gate_stats_t figures = {
        .permits = gate->permits,
        .in_use = gate->permits - PERMITS_IN(word),
        .peak = atomic_load_explicit(&gate->peak, memory_order_relaxed),
        .waiting = gate->waiting,
        .waits = atomic_load_explicit(&gate->waits, memory_order_relaxed),
        .blocked = gate->blocked,
        .timed_out = gate->timed_out,
        .woken = gate->woken,
        .nanoseconds_waited = gate->nanoseconds_waited,
        .nanoseconds_waited_most = gate->nanoseconds_waited_most,
    };
    pthread_mutex_unlock(&gate->lock);
    weir__copy_figures(stats, size, &figures, sizeof figures);
}
