/*
 * gate.c: permits, several at once, first come first served.
 *
 * DESIGN. The state is one word: how many permits are out, and three bits that
 * say that somebody is waiting, that the gate is closed, and that the last
 * reference is gone. While nobody waits, taking and giving permits is one
 * compare-and-swap on that word. Behind it is a queue of waiters under a lock.
 * A waiter is a thread, parked on a dispatch_semaphore of its own, which only
 * ever stands at 0 or 1, or a request, which is called when it is decided.
 * Waking the right one, in order and for several permits at once, is what one
 * dispatch_semaphore for all cannot do (it is not fair on Linux, and N waits of
 * 1 for N permits can deadlock against each other). The word counts what is out
 * and not what is left, so that a resize is one store beside it, may go below
 * what is in use, and a signal too many is seen in the word alone.
 *
 * Invariants:
 *  1. The bit WAITERS is set exactly while the queue is not empty. It is set
 *     and cleared under the lock, and set by a compare-and-swap that saw too
 *     few permits. So permits that come back either are seen by that
 *     compare-and-swap, or their giver sees the bit, takes the lock and serves.
 *     The number of permits changes under the lock alone.
 *  2. With the bit set nobody takes permits but through serve(), from the head
 *     of the queue on. A big request at the head is not overtaken.
 *  3. A waiter is decided under the lock, once, by settle(): served, refused,
 *     or taken out of the queue by its own time-out or cancel. So a time-out
 *     leaves no permit behind; and when it was the head, the next are served at
 *     once.
 *  4. A waiting thread may be gone as soon as its semaphore is signalled, so
 *     settle() holds a reference to the semaphore while it signals.
 *  5. Nothing of the caller's is called under the lock. Decided requests go
 *     into a list, which is delivered afterwards; each holds the gate. What is
 *     decided inside of such a call is put behind the list that is being
 *     delivered, so that a chain of them takes no stack.
 *
 * Asynchronous work is a request whose answer is to submit the work. It is
 * never refused once it is accepted, or its context would be lost: a close lets
 * it wait on, and where a resize leaves fewer permits than it asked for, it is
 * served with all there are.
 *
 * A gate ends when its last reference is gone and every permit is back: whoever
 * brings that about, the releaser or the last signaller, sees it in the word,
 * and only one of them can.
 */
#include "permits/gate_internal.h"
#include "permits/holder.h"
#include "trace/point.h"

#include <pthread.h>

#define WAITERS ((size_t)1)
#define ORPHANED ((size_t)2)
#define CLOSED ((size_t)4)
#define ONE_PERMIT ((size_t)8)
#define IN_USE(word) ((word) / ONE_PERMIT)
#define PERMITS_MAX (SIZE_MAX / ONE_PERMIT)

#define UNDECIDED (-1)

struct weir__waiter {
    struct weir__waiter *next; /* in the queue, or in a list of the decided */
    struct weir__waiter *previous;
    size_t count;
    uint64_t number;
    uint64_t since;
    uint64_t changes; /* of the gate, when it was last looked at */
    int result;
    bool stays;                  /* neither closed away nor refused */
    dispatch_semaphore_t parked; /* of a thread; else NULL, and: */
    void (*answer)(struct weir__waiter *waiter, int result);
};

struct weir_gate_request_s {
    struct weir__object object;
    struct weir__waiter waiter;
    _Atomic size_t holds; /* one of the users together, one of the queue */
    weir_gate_t gate;
    void *context;
    void (*decided)(void *context, int result);
};

struct weir_gate_s {
    struct weir__object object;
    _Atomic size_t word;
    _Atomic size_t permits;
    _Atomic size_t peak;
    _Atomic uint64_t waits;

    pthread_mutex_t lock; /* what follows */
    struct weir__waiter *head;
    struct weir__waiter *tail;
    size_t waiting;
    bool is_signalling;
    uint64_t numbers; /* of those who ever waited */
    uint64_t changes; /* signals past waiters, resizes, the close */
    uint64_t blocked;
    uint64_t timed_out;
    uint64_t woken;
    uint64_t cancelled;
    uint64_t nanoseconds_waited;
    uint64_t nanoseconds_waited_most;
};

static size_t load_permits(weir_gate_t gate) {
    return atomic_load_explicit(&gate->permits, memory_order_relaxed);
}

static size_t load_word(weir_gate_t gate) {
    return atomic_load_explicit(&gate->word, memory_order_relaxed);
}

static void trace(weir_trace_kind_t kind, weir_gate_t gate, uint64_t number,
                  size_t count) {
    weir__trace(kind, gate, gate->object.label, number, 0, count);
}

/* A WAIT or a WAKE: for the one whether no thread waits, for the other whether
   a signal did it. */
static void trace_waiter(weir_trace_kind_t kind, weir_gate_t gate,
                         const struct weir__waiter *waiter, bool detail) {
    weir__trace(kind, gate, gate->object.label, waiter->number, detail,
                waiter->count);
}

/* ---- life -------------------------------------------------------------- */

weir_gate_t weir_gate_create(const char *label, size_t permits) {
    if (permits > PERMITS_MAX) {
        errno = EINVAL;
        return NULL;
    }
    weir_gate_t gate = weir__object_create(sizeof *gate, "the gate", label);
    if (gate) {
        gate->permits = permits;
        pthread_mutex_init(&gate->lock, NULL);
    }
    return gate;
}

static void destroy(weir_gate_t gate) {
    /* Somebody who gave permits back may still hold the lock. */
    pthread_mutex_lock(&gate->lock);
    /* So that a use of it is looked into, for as long as it can be seen. */
    atomic_store_explicit(&gate->word, ORPHANED | CLOSED, memory_order_relaxed);
    pthread_mutex_unlock(&gate->lock);
    pthread_mutex_destroy(&gate->lock);
    weir__object_bury(&gate->object);
}

weir_gate_t weir_gate_retain(weir_gate_t gate) {
    weir__object_retain(&gate->object);
    return gate;
}

void weir_gate_release(weir_gate_t gate) {
    if (weir__object_release(&gate->object)) {
        size_t before = atomic_fetch_or_explicit(&gate->word, ORPHANED,
                                                 memory_order_acq_rel);
        if (WEIR_UNLIKELY(before & WAITERS)) {
            weir__misuse("the gate \"%.100s\" was released for the last time "
                         "while threads waited at it; whoever waits needs a "
                         "reference",
                         gate->object.label);
        }
        if (IN_USE(before) == 0) {
            destroy(gate);
        }
    }
}

/* ---- taking ------------------------------------------------------------ */

static void note_taken(weir_gate_t gate, size_t in_use) {
    weir__raise_size(&gate->peak, in_use);
    atomic_fetch_add_explicit(&gate->waits, 1, memory_order_relaxed);
}

/* Takes permits if there are enough and none of the bits in `unless` is set.
   How many there are is read after the word: where the word has not changed
   until it is swapped, both were true at once. */
static bool take(weir_gate_t gate, size_t count, size_t unless) {
    size_t word = atomic_load_explicit(&gate->word, memory_order_acquire);
    for (;;) {
        size_t permits = load_permits(gate), in_use = IN_USE(word);
        if ((word & unless) || permits < in_use || permits - in_use < count) {
            return false;
        }
        if (atomic_compare_exchange_weak_explicit(
                &gate->word, &word, word + count * ONE_PERMIT,
                memory_order_acq_rel, memory_order_acquire)) {
            note_taken(gate, in_use + count);
            return true;
        }
    }
}

/* Why nothing can be had of the gate, or 0. */
static int refusal(weir_gate_t gate, size_t count) {
    if (WEIR_UNLIKELY(load_word(gate) & (CLOSED | ORPHANED))) {
        weir__object_check(&gate->object);
        return ECANCELED;
    }
    return count > load_permits(gate) ? EINVAL : 0;
}

/* A thread has permits now. */
static int acquired(weir_gate_t gate, size_t count, uint64_t number) {
    if (WEIR_UNLIKELY(weir__top_holder != NULL)) {
        weir__holder_took(gate, count);
    }
    trace(WEIR_TRACE_ACQUIRED, gate, number, count);
    return 0;
}

int weir_gate_try(weir_gate_t gate, size_t count) {
    int error = refusal(gate, count);
    if (error || count == 0) {
        return error;
    }
    if (take(gate, count, WAITERS | CLOSED)) {
        return acquired(gate, count, 0);
    }
    return load_word(gate) & CLOSED ? ECANCELED : EAGAIN;
}

/* ---- the queue, under the lock ----------------------------------------- */

static void unlink_waiter(weir_gate_t gate, struct weir__waiter *waiter) {
    *(waiter->previous ? &waiter->previous->next : &gate->head) = waiter->next;
    *(waiter->next ? &waiter->next->previous : &gate->tail) = waiter->previous;
    gate->waiting--;
    if (!gate->head) {
        atomic_fetch_and_explicit(&gate->word, ~WAITERS, memory_order_relaxed);
    }
}

static void note_settled(weir_gate_t gate, const struct weir__waiter *waiter) {
    uint64_t waited = weir__nanoseconds() - waiter->since;
    gate->nanoseconds_waited += waited;
    if (waited > gate->nanoseconds_waited_most) {
        gate->nanoseconds_waited_most = waited;
    }
    *(waiter->result == 0           ? &gate->blocked
      : waiter->result == ETIMEDOUT ? &gate->timed_out
                                    : &gate->cancelled) += 1;
    if (waiter->result == 0) {
        trace_waiter(WEIR_TRACE_WAKE, gate, waiter, gate->is_signalling);
    } else if (waiter->result != ETIMEDOUT) { /* he says so himself */
        trace(WEIR_TRACE_CANCEL, gate, waiter->number, waiter->count);
    }
}

/* The one place where a waiter leaves the queue. */
static void settle(weir_gate_t gate, struct weir__waiter *waiter, int result,
                   struct weir__decided *decided) {
    unlink_waiter(gate, waiter);
    waiter->result = result;
    note_settled(gate, waiter);
    if (waiter->parked) {
        dispatch_semaphore_t parked = waiter->parked;
        dispatch_retain(parked);
        dispatch_semaphore_signal(parked);
        dispatch_release(parked); /* the waiter itself may be gone */
    } else {
        waiter->next = NULL;
        *decided->end = waiter;
        decided->end = &waiter->next;
    }
}

/* What a waiter has to be given: what it asked for, or all there is, where it
   asked for more and cannot be refused. Where there is nothing at all it waits,
   until the gate is closed: then nobody will bring any. */
static bool take_for(weir_gate_t gate, struct weir__waiter *waiter) {
    size_t permits = load_permits(gate);
    if (waiter->stays && waiter->count > permits) {
        if (permits == 0 && !(load_word(gate) & CLOSED)) {
            return false;
        }
        if (!take(gate, permits, 0)) {
            return false;
        }
        waiter->count = permits;
        return true;
    }
    return take(gate, waiter->count, 0);
}

/* Grants what the head of the queue asks for, as long as there is enough. */
static size_t serve(weir_gate_t gate, struct weir__decided *decided) {
    size_t woken = 0;
    struct weir__waiter *waiter;
    while ((waiter = gate->head) && take_for(gate, waiter)) {
        settle(gate, waiter, 0, decided);
        woken++;
    }
    return woken;
}

/* Puts a waiter at the end of the queue. Returns UNDECIDED; or 0 where it found
   enough permits and nobody before it; or why it is refused. */
static int take_or_enqueue(weir_gate_t gate, struct weir__waiter *waiter) {
    int error = refusal(gate, waiter->count);
    if (error) {
        return error;
    }
    while (!gate->head) {
        if (take(gate, waiter->count, 0)) {
            return 0;
        }
        size_t word = load_word(gate), permits = load_permits(gate);
        bool too_few =
            permits < IN_USE(word) || permits - IN_USE(word) < waiter->count;
        if (too_few && atomic_compare_exchange_strong_explicit(
                           &gate->word, &word, word | WAITERS,
                           memory_order_relaxed, memory_order_relaxed)) {
            break;
        }
    }
    waiter->previous = gate->tail;
    *(gate->tail ? &gate->tail->next : &gate->head) = waiter;
    gate->tail = waiter;
    gate->waiting++;
    waiter->result = UNDECIDED;
    waiter->since = weir__nanoseconds();
    waiter->changes = gate->changes;
    waiter->number = ++gate->numbers;
    trace_waiter(WEIR_TRACE_WAIT, gate, waiter, !waiter->parked);
    return UNDECIDED;
}

/* ---- calling those who were decided ------------------------------------ */

/* What this thread is delivering, so that a delivery within a delivery can be
   put behind it. */
static _Thread_local struct weir__decided *delivering;

void weir__gate_deliver(struct weir__decided *decided) {
    if (!decided->first) {
        return;
    }
    if (delivering) {
        *delivering->end = decided->first;
        delivering->end = decided->end;
        return;
    }
    delivering = decided;
    while (decided->first) {
        struct weir__waiter *waiter = decided->first;
        decided->first = waiter->next;
        if (!decided->first) {
            decided->end = &decided->first;
        }
        waiter->answer(waiter, waiter->result);
    }
    delivering = NULL;
}

/* ---- waiting ----------------------------------------------------------- */

/* A thread is awake again, by being decided or by its time-out. */
static int decide(weir_gate_t gate, struct weir__waiter *waiter) {
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    if (waiter->result == UNDECIDED) {
        bool was_head = gate->head == waiter;
        unlink_waiter(gate, waiter);
        waiter->result = ETIMEDOUT;
        note_settled(gate, waiter);
        if (was_head) {
            serve(gate, &decided);
        }
    }
    pthread_mutex_unlock(&gate->lock);
    weir__gate_deliver(&decided);
    return waiter->result;
}

/* Whether the job on this thread holds every permit that is out, and wants more
   than are left. */
static bool waits_for_itself(weir_gate_t gate, size_t count) {
    size_t held = weir__holder_holds(gate), permits = load_permits(gate);
    return held > 0 && held == IN_USE(load_word(gate)) && permits >= held &&
           count > permits - held;
}

/* How long nothing must have happened before that is said: permits may have been
   carried off in a way that Weir does not see. */
#define STALLED_NANOSECONDS 2000000000

/* Whether it waits for itself, and nothing has changed since this was last
   asked. */
static bool is_stalled(weir_gate_t gate, struct weir__waiter *waiter) {
    pthread_mutex_lock(&gate->lock);
    bool stalled = waiter->result == UNDECIDED &&
                   waiter->changes == gate->changes &&
                   waits_for_itself(gate, waiter->count);
    waiter->changes = gate->changes;
    pthread_mutex_unlock(&gate->lock);
    return stalled;
}

/* Waits for as long as something may come of it. With a permit of the gate in
   hand the job may come to wait for itself later, when others have given back
   theirs. */
static void refuse_stalled(weir_gate_t gate, struct weir__waiter *waiter) {
    while (weir__holder_holds(gate) > 0) {
        dispatch_time_t soon =
            dispatch_time(DISPATCH_TIME_NOW, STALLED_NANOSECONDS);
        if (dispatch_semaphore_wait(waiter->parked, soon) == 0) {
            dispatch_semaphore_signal(waiter->parked); /* for the wait */
            return;
        }
        if (is_stalled(gate, waiter)) {
            weir__misuse(
                "the gate \"%.100s\" was asked to wait for %zu permits by "
                "the job that holds %zu of its %zu, which waits for itself "
                "for ever; take all that a job needs at once",
                gate->object.label, waiter->count, weir__holder_holds(gate),
                load_permits(gate));
        }
    }
}

static void wait_parked(weir_gate_t gate, struct weir__waiter *waiter,
                        dispatch_time_t timeout) {
    struct weir__holder *job = weir__top_holder;
    _Atomic size_t *at_gates = job ? job->at_gates : NULL;
    if (at_gates) {
        atomic_fetch_add_explicit(at_gates, 1, memory_order_relaxed);
    }
    if (job && timeout == DISPATCH_TIME_FOREVER) {
        refuse_stalled(gate, waiter);
    }
    dispatch_semaphore_wait(waiter->parked, timeout);
    if (at_gates) {
        atomic_fetch_sub_explicit(at_gates, 1, memory_order_relaxed);
    }
}

static int wait_in_queue(weir_gate_t gate, size_t count,
                         dispatch_time_t timeout) {
    struct weir__waiter waiter = {.count = count,
                                  .parked = dispatch_semaphore_create(0)};
    if (!waiter.parked) {
        return ENOMEM;
    }
    pthread_mutex_lock(&gate->lock);
    int result = take_or_enqueue(gate, &waiter);
    pthread_mutex_unlock(&gate->lock);
    if (result == UNDECIDED) {
        wait_parked(gate, &waiter, timeout);
        result = decide(gate, &waiter);
    }
    dispatch_release(waiter.parked);
    if (result == ETIMEDOUT) {
        trace(WEIR_TRACE_TIMED_OUT, gate, waiter.number, count);
    }
    return result == 0 ? acquired(gate, count, waiter.number) : result;
}

static int time_out_at_once(weir_gate_t gate, size_t count) {
    pthread_mutex_lock(&gate->lock);
    gate->timed_out++;
    pthread_mutex_unlock(&gate->lock);
    trace(WEIR_TRACE_TIMED_OUT, gate, 0, count);
    return ETIMEDOUT;
}

int weir_gate_wait(weir_gate_t gate, size_t count, dispatch_time_t timeout) {
    int error = refusal(gate, count);
    if (error || count == 0) {
        return error;
    }
    if (take(gate, count, WAITERS | CLOSED)) {
        return acquired(gate, count, 0);
    }
    return timeout == DISPATCH_TIME_NOW ? time_out_at_once(gate, count)
                                        : wait_in_queue(gate, count, timeout);
}

/* ---- signalling -------------------------------------------------------- */

/* Takes permits off what is out, unless somebody waits and the lock is not held.
   Returns the word that was there before. */
static size_t give(weir_gate_t gate, size_t count, bool locked) {
    size_t word = load_word(gate);
    do {
        if (WEIR_UNLIKELY(count > IN_USE(word))) {
            if (locked) {
                pthread_mutex_unlock(&gate->lock);
            }
            weir__misuse("the gate \"%.100s\" was given back %zu of its %zu "
                         "permits while %zu were out; signal what was taken, "
                         "once",
                         gate->object.label, count, load_permits(gate),
                         IN_USE(word));
        }
        if ((word & WAITERS) && !locked) {
            break;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &gate->word, &word, word - count * ONE_PERMIT, memory_order_acq_rel,
        memory_order_relaxed));
    return word;
}

size_t weir_gate_signal(weir_gate_t gate, size_t count) {
    if (count == 0) {
        return 0;
    }
    if (WEIR_UNLIKELY(weir__top_holder != NULL)) {
        weir__holder_gave(gate, count);
    }
    trace(WEIR_TRACE_SIGNAL, gate, 0, count);
    WEIR_DECIDED(decided);
    size_t woken = 0;
    size_t word = give(gate, count, false);
    if (word & WAITERS) {
        /* Under the lock: the permits are what keeps the gate alive, and once
           they are back destroy() waits for it. */
        pthread_mutex_lock(&gate->lock);
        word = give(gate, count, true);
        gate->changes++;
        gate->is_signalling = true;
        woken = serve(gate, &decided);
        gate->is_signalling = false;
        gate->woken += woken;
        pthread_mutex_unlock(&gate->lock);
    }
    if ((word & ORPHANED) && IN_USE(word) == count) {
        destroy(gate);
    }
    weir__gate_deliver(&decided);
    return woken;
}

/* ---- resize and close -------------------------------------------------- */

/* Refuses those who may be refused and, with a count above `most`, must be. */
static void refuse_above(weir_gate_t gate, size_t most, int error,
                         struct weir__decided *decided) {
    struct weir__waiter *next;
    for (struct weir__waiter *waiter = gate->head; waiter; waiter = next) {
        next = waiter->next;
        if (!waiter->stays && waiter->count > most) {
            settle(gate, waiter, error, decided);
        }
    }
}

void weir__gate_resize(weir_gate_t gate, size_t permits,
                       struct weir__decided *decided) {
    pthread_mutex_lock(&gate->lock);
    atomic_store_explicit(&gate->permits, permits, memory_order_release);
    gate->changes++;
    refuse_above(gate, permits, EINVAL, decided);
    serve(gate, decided);
    pthread_mutex_unlock(&gate->lock);
}

int weir_gate_resize(weir_gate_t gate, size_t permits) {
    weir__object_check(&gate->object);
    if (permits > PERMITS_MAX) {
        return EINVAL;
    }
    WEIR_DECIDED(decided);
    weir__gate_resize(gate, permits, &decided);
    weir__gate_deliver(&decided);
    return 0;
}

void weir_gate_close(weir_gate_t gate) {
    weir__object_check(&gate->object);
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_or_explicit(&gate->word, CLOSED, memory_order_acq_rel);
    gate->changes++;
    refuse_above(gate, 0, ECANCELED, &decided);
    serve(gate, &decided);
    pthread_mutex_unlock(&gate->lock);
    weir__gate_deliver(&decided);
}

/* ---- requests ---------------------------------------------------------- */

/* Takes the permits, or puts the waiter into the queue: UNDECIDED. */
static int submit(weir_gate_t gate, struct weir__waiter *waiter) {
    int result = refusal(gate, waiter->count);
    if (result == 0 && waiter->count > 0 &&
        !take(gate, waiter->count, WAITERS | CLOSED)) {
        pthread_mutex_lock(&gate->lock);
        result = take_or_enqueue(gate, waiter);
        pthread_mutex_unlock(&gate->lock);
    }
    return result;
}

static void trace_answer(weir_gate_t gate, const struct weir__waiter *waiter,
                         int result) {
    if (result == 0 && waiter->count > 0) {
        trace(WEIR_TRACE_ACQUIRED, gate, waiter->number, waiter->count);
    }
}

/* Whoever lets go of a request last frees it, and then its hold on the gate. */
static void let_go(weir_gate_request_t request) {
    if (atomic_fetch_sub_explicit(&request->holds, 1, memory_order_acq_rel) ==
        1) {
        weir_gate_t gate = request->gate;
        weir__object_bury(&request->object);
        weir_gate_release(gate);
    }
}

static void request_answer(struct weir__waiter *waiter, int result) {
    weir_gate_request_t request =
        (weir_gate_request_t)((char *)waiter -
                              offsetof(struct weir_gate_request_s, waiter));
    trace_answer(request->gate, waiter, result);
    request->decided(request->context, result);
    let_go(request);
}

int weir_gate_request_f(weir_gate_t gate, size_t count, void *context,
                        void (*decided)(void *context, int result),
                        weir_gate_request_t *out) {
    weir__object_check(&gate->object);
    weir_gate_request_t request = weir__object_create(
        sizeof *request, "the request at the gate", gate->object.label);
    if (!request) {
        return ENOMEM;
    }
    request->holds = 2;
    request->gate = weir_gate_retain(gate);
    request->waiter.count = count;
    request->waiter.answer = request_answer;
    request->context = context;
    request->decided = decided;
    if (out) {
        *out = request;
    } else {
        weir_gate_request_release(request);
    }
    weir__holder_forget();
    int result = submit(gate, &request->waiter);
    if (result != UNDECIDED) {
        request->waiter.result = result;
        request->waiter.next = NULL;
        struct weir__decided list = {&request->waiter, &request->waiter.next};
        weir__gate_deliver(&list);
    }
    return 0;
}

int weir_gate_request_cancel(weir_gate_request_t request) {
    return weir_gate_request_end(request, ECANCELED);
}

int weir_gate_request_end(weir_gate_request_t request, int result) {
    weir__object_check(&request->object);
    weir_gate_t gate = request->gate;
    if (result <= 0) {
        weir__misuse("a request at the gate \"%.100s\" was ended with %d; only "
                     "the gate grants it, so the result is above 0",
                     gate->object.label, result);
    }
    WEIR_DECIDED(mine);
    WEIR_DECIDED(others);
    pthread_mutex_lock(&gate->lock);
    bool cancels = request->waiter.result == UNDECIDED;
    if (cancels) {
        bool was_head = gate->head == &request->waiter;
        settle(gate, &request->waiter, result, &mine);
        if (was_head) {
            serve(gate, &others);
        }
    }
    pthread_mutex_unlock(&gate->lock);
    if (cancels) { /* at once, also within a delivery */
        if (result == ETIMEDOUT) {
            trace(WEIR_TRACE_TIMED_OUT, gate, request->waiter.number,
                  request->waiter.count);
        }
        request_answer(&request->waiter, result);
    }
    weir__gate_deliver(&others);
    return cancels ? 0 : EALREADY;
}

weir_gate_request_t weir_gate_request_retain(weir_gate_request_t request) {
    weir__object_retain(&request->object);
    return request;
}

void weir_gate_request_release(weir_gate_request_t request) {
    if (weir__object_release(&request->object)) {
        let_go(request);
    }
}

/* ---- asynchronous work ------------------------------------------------- */

struct work {
    struct weir__waiter waiter;
    weir_gate_t gate;
    void *context;
    dispatch_queue_t queue; /* of work that is submitted; else NULL, and: */
    dispatch_function_t function;
    void (*granted)(void *context, size_t count);
};

static void work_destroy(struct work *work) {
    weir_gate_release(work->gate);
    if (work->queue) {
        dispatch_release(work->queue);
    }
    free(work);
}

static void run_work(void *context) {
    struct work *work = context;
    size_t count = work->waiter.count;
    struct weir__holder holder;
    weir__holder_push(&holder, NULL, NULL);
    if (count > 0) {
        weir__holder_took(work->gate, count);
    }
    work->function(work->context);
    weir__holder_pop(&holder);
    weir_gate_signal(work->gate, count);
    work_destroy(work);
}

/* It has its permits: it is never refused. */
static void work_answer(struct weir__waiter *waiter, int result) {
    struct work *work = (struct work *)waiter; /* its first member */
    trace_answer(work->gate, waiter, result);
    if (work->queue) {
        dispatch_async_f(work->queue, work, run_work);
    } else {
        work->granted(work->context, waiter->count);
        work_destroy(work);
    }
}

static struct work *work_create(weir_gate_t gate, size_t count, void *context) {
    weir__object_check(&gate->object);
    struct work *work = calloc(1, sizeof *work);
    if (work) {
        work->waiter.count = count;
        work->waiter.stays = true;
        work->waiter.answer = work_answer;
        work->gate = weir_gate_retain(gate);
        work->context = context;
    }
    return work;
}

static int work_submit(struct work *work) {
    weir__holder_forget();
    int result = submit(work->gate, &work->waiter);
    if (result == 0) {
        work->waiter.next = NULL;
        struct weir__decided list = {&work->waiter, &work->waiter.next};
        weir__gate_deliver(&list);
    } else if (result != UNDECIDED) {
        work_destroy(work);
        return result;
    }
    return 0;
}

int weir_gate_async_f(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                      void *context, dispatch_function_t function) {
    struct work *work = work_create(gate, count, context);
    if (!work) {
        return ENOMEM;
    }
    work->queue = queue;
    work->function = function;
    dispatch_retain(queue);
    return work_submit(work);
}

int weir_gate_grant_f(weir_gate_t gate, size_t count, void *context,
                      void (*granted)(void *context, size_t count)) {
    struct work *work = work_create(gate, count, context);
    if (!work) {
        return ENOMEM;
    }
    work->granted = granted;
    return work_submit(work);
}

/* ---- figures ----------------------------------------------------------- */

void weir_gate_disown(weir_gate_t gate, size_t count) {
    if (WEIR_UNLIKELY(weir__top_holder != NULL)) {
        weir__holder_gave(gate, count);
    }
}

void weir_gate_stats(weir_gate_t gate, weir_gate_stats_t *stats, size_t size) {
    weir__object_check(&gate->object);
    pthread_mutex_lock(&gate->lock);
    size_t word = load_word(gate);
    weir_gate_stats_t figures = {
        .permits = load_permits(gate),
        .in_use = IN_USE(word),
        .peak = atomic_load_explicit(&gate->peak, memory_order_relaxed),
        .waiting = gate->waiting,
        .waits = atomic_load_explicit(&gate->waits, memory_order_relaxed),
        .blocked = gate->blocked,
        .timed_out = gate->timed_out,
        .woken = gate->woken,
        .nanoseconds_waited = gate->nanoseconds_waited,
        .nanoseconds_waited_most = gate->nanoseconds_waited_most,
        .cancelled = gate->cancelled,
        .closed = (word & CLOSED) != 0,
    };
    pthread_mutex_unlock(&gate->lock);
    weir__copy_stats(stats, size, &figures, sizeof figures);
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
typedef void (^work_block_t)(void);
typedef void (^granted_block_t)(size_t count);
typedef void (^decided_block_t)(int result);

static void call_work(void *context) {
    work_block_t block = (work_block_t)context;
    block();
    Block_release(block);
}

static void call_granted(void *context, size_t count) {
    granted_block_t block = (granted_block_t)context;
    block(count);
    Block_release(block);
}

static void call_decided(void *context, int result) {
    decided_block_t block = (decided_block_t)context;
    block(result);
    Block_release(block);
}

int weir_gate_async(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                    void (^work)(void)) {
    work_block_t copy = Block_copy(work);
    if (!copy) {
        return ENOMEM;
    }
    int error = weir_gate_async_f(gate, count, queue, (void *)copy, call_work);
    if (error) {
        Block_release(copy);
    }
    return error;
}

int weir_gate_grant(weir_gate_t gate, size_t count,
                    void (^granted)(size_t count)) {
    granted_block_t copy = Block_copy(granted);
    if (!copy) {
        return ENOMEM;
    }
    int error = weir_gate_grant_f(gate, count, (void *)copy, call_granted);
    if (error) {
        Block_release(copy);
    }
    return error;
}

int weir_gate_request(weir_gate_t gate, size_t count,
                      void (^decided)(int result),
                      weir_gate_request_t *request) {
    decided_block_t copy = Block_copy(decided);
    if (!copy) {
        return ENOMEM;
    }
    int error =
        weir_gate_request_f(gate, count, (void *)copy, call_decided, request);
    if (error) {
        Block_release(copy);
    }
    return error;
}
#endif
