/*
 * gate_state.h: the state of a gate. From the bottom to the top: scopes.c
 * records the permits of scopes, gate_waiters.c has the queue of waiters,
 * gate_park.c parks threads and lets them overtake work, gate.c has the calls
 * of a thread, and gate_requests.c the requests that hold no thread.
 */
#pragma once

#include "base/internal.h"
#include "permits/holder.h"
#include "permits/waiters.h"
#include "system/threads.h"
#include "trace/inspection.h"
#include "trace/point.h"

#include <pthread.h>

#include <weir/gate.h>
#include <weir/spi.h>

/* The word: 3 bits, the permits in use, and on top the takes modulo 65,536. */
#define WEIR_GATE_WAITERS ((uint64_t)1)
#define WEIR_GATE_ORPHANED ((uint64_t)2) /* the last reference is gone */
#define WEIR_GATE_CLOSED ((uint64_t)4)
#define WEIR_GATE_ONE_PERMIT ((uint64_t)8)
#define WEIR_GATE_ONE_TAKE ((uint64_t)1 << 48)
#define WEIR_GATE_TAKES_HALF ((uint64_t)1 << 63)
#define WEIR_GATE_IN_USE(word)                                                 \
    ((size_t)((word) % WEIR_GATE_ONE_TAKE / WEIR_GATE_ONE_PERMIT))

#define WEIR_SCOPE_TABLES 16

/* The record of a scope. The lock guards the name; the owner has the loans. */
struct weir_gate_scope_s {
    _Atomic uint64_t owner;
    _Atomic size_t count;
    _Atomic(const char *) file; /* of the call */
    _Atomic size_t line;
    _Atomic uint64_t since; /* if the program is inspected */
    char *name;             /* of the task */
    void *loans;            /* an object of the overlay */
};

struct weir_gate_s {
    struct weir__object object;
    struct weir__listed listed;
    _Atomic uint64_t word;
    _Atomic size_t permits;
    _Atomic size_t peak;
    _Atomic uint64_t halves; /* changes of WEIR_GATE_TAKES_HALF in the word;
                                the latest may be missing */
    _Atomic bool has_work;   /* weir_gate_async_f was called */
    _Atomic(struct weir_gate_scope_s *) scopes[WEIR_SCOPE_TABLES];

    pthread_mutex_t lock; /* of all members below */
    struct weir__waiters waiters;
    struct weir__waiters unbegun; /* granted work, the latest first */
    size_t reserved;              /* the permits of that work */
    size_t waiting;
    size_t kept; /* by waiters, without an end of the wait in sight */
    bool is_signalling;
    bool is_lending;  /* work did not begin: its permits go to others at once */
    uint64_t numbers; /* the number of the latest waiter */
    uint64_t changes; /* signals that found waiters, resizes, closes, work that
                         began or lost its permits */
    uint64_t blocked;
    uint64_t timed_out;
    uint64_t woken;
    uint64_t cancelled;
    uint64_t nanoseconds_waited;
    uint64_t nanoseconds_waited_most;
};

/* ---- the lock-free count ----------------------------------------------- */

/* Takes permits if enough are free and none of the bits in `unless` is set. The
   word is acquired before the number of permits is read: permits that were
   taken or returned after a resize show it too. The swap releases for has_work:
   see weir__gate_take_or_enqueue. The carry out of the word is lost; `halves`
   counts it, and its release is for weir_gate_stats. */
static inline bool weir__gate_take(weir_gate_t gate, size_t count,
                                   uint64_t unless) {
    uint64_t word = atomic_load_explicit(&gate->word, memory_order_acquire);
    for (;;) {
        size_t permits = load_relaxed(&gate->permits);
        size_t in_use = WEIR_GATE_IN_USE(word);
        if ((word & unless) || count > permits || in_use > permits - count) {
            return false;
        }
        uint64_t taken =
            word + count * WEIR_GATE_ONE_PERMIT + WEIR_GATE_ONE_TAKE;
        if (atomic_compare_exchange_weak_explicit(&gate->word, &word, taken,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire)) {
            weir__raise_size(&gate->peak, in_use + count);
            if (WEIR_UNLIKELY((word ^ taken) & WEIR_GATE_TAKES_HALF)) {
                atomic_fetch_add_explicit(&gate->halves, 1,
                                          memory_order_release);
            }
            return true;
        }
    }
}

/* Returns the reason why the gate cannot grant `count` permits, or 0. */
static inline int weir__gate_refusal(weir_gate_t gate, size_t count) {
    if (WEIR_UNLIKELY(load_relaxed(&gate->word) &
                      (WEIR_GATE_CLOSED | WEIR_GATE_ORPHANED))) {
        weir__object_check(&gate->object);
        return ECANCELED;
    }
    size_t permits = load_relaxed(&gate->permits);
    size_t most = permits > 0 ? permits : WEIR_GATE_PERMITS_MAX; /* paused */
    return count > most ? EINVAL : 0;
}

/* ---- scopes.c ----------------------------------------------------------- */

/* Ends a record, before its permits are signalled. Returns the loans. */
WEIR_HIDDEN void *weir__scope_end(weir_gate_t gate, weir_gate_scope_t scope);

/* Describes all scopes, under the lock. Returns the number of their permits. */
WEIR_HIDDEN size_t weir__scopes_describe(weir_gate_t gate,
                                         struct weir__inspection *inspection);
WEIR_HIDDEN void weir__scopes_free(weir_gate_t gate);

/* ---- gate_waiters.c: the queue, under the lock ------------------------- */

/* Takes the permits and returns 0, or adds a waiter to the end of the queue and
   returns WEIR_UNDECIDED, or the reason for a refusal. */
WEIR_HIDDEN int weir__gate_take_or_enqueue(weir_gate_t gate,
                                           struct weir__waiter *waiter);

/* Removes a waiter with a result. Wakes its thread, or lists the request. */
WEIR_HIDDEN void weir__gate_decide(weir_gate_t gate,
                                   struct weir__waiter *waiter, int result,
                                   struct weir__decided *decided);

/* Adds a waiter to the queue before another one, or at the end for NULL. */
WEIR_HIDDEN void weir__gate_enqueue(weir_gate_t gate,
                                    struct weir__waiter *waiter,
                                    struct weir__waiter *before);

/* Takes permits for a waiter, perhaps fewer if it must be served. */
WEIR_HIDDEN bool weir__gate_take_for(weir_gate_t gate,
                                     struct weir__waiter *waiter);

/* Grants requests from the head of the queue on. Returns how many. */
WEIR_HIDDEN size_t weir__gate_serve(weir_gate_t gate,
                                    struct weir__decided *decided);

/* Refuses each waiter that may be refused and asks for more than `most`. */
WEIR_HIDDEN void weir__gate_refuse_above(weir_gate_t gate, size_t most,
                                         int error,
                                         struct weir__decided *decided);

/* Times a waiting thread out if it is undecided. Takes the lock itself. */
WEIR_HIDDEN int weir__gate_end_wait(weir_gate_t gate,
                                    struct weir__waiter *waiter);

/* ---- gate_park.c ------------------------------------------------------- */

/* True if only a resize or a close can end the wait: what the waiter, or all of
   them, keep is never released. Called with the lock held. */
WEIR_HIDDEN bool weir__gate_is_stuck(weir_gate_t gate,
                                     const struct weir__waiter *waiter);

/* Reports a waiter that is stuck, and traps. */
WEIR_HIDDEN void weir__gate_report_stuck(weir_gate_t gate,
                                         const struct weir__waiter *waiter)
    __attribute__((__noreturn__));

/* Blocks the thread of a waiter until it is decided or the time is up. */
WEIR_HIDDEN void weir__gate_park(weir_gate_t gate, struct weir__waiter *waiter,
                                 dispatch_time_t timeout);

/* Records that granted work goes to its queue. Takes the lock itself. */
WEIR_HIDDEN void weir__gate_hand_over(weir_gate_t gate,
                                      struct weir__waiter *work);

/* Called when the work begins. May wait for permits. Takes the lock itself. */
WEIR_HIDDEN void weir__gate_begin(weir_gate_t gate, struct weir__waiter *work);

/* ---- gate.c ------------------------------------------------------------ */

/* weir_gate_resize for a caller with a lock, which delivers after unlocking. */
WEIR_HIDDEN void weir__gate_resize(weir_gate_t gate, size_t permits,
                                   struct weir__decided *decided);

/* Returns the caller, with a name that outlives it. */
static inline struct weir__caller weir__caller_of(const weir_caller_t *caller,
                                                  const char *name) {
    return (struct weir__caller){
        .task = caller->task,
        .thread = caller->task ? 0 : weir__thread_number(),
        .name = name,
        .file = caller->file,
        .line = caller->line,
    };
}
