/*
 * gate_work.c: the permits of asynchronous work that its queue has not begun.
 *
 * DESIGN. Work runs on the queue that the caller named, on the threads that
 * libdispatch gives that queue: on a global queue one a core in the first
 * second. Threads of Weir's own, synchronously on the queue, were rejected: a
 * caller that passes a global queue asks for libdispatch's choice.
 *
 * Work of weir_gate_async_f gets its permits in its turn and then goes
 * to its queue. If threads that wait at the same gate occupy the queue, or all
 * threads that libdispatch has, the work never begins, keeps its permits, and
 * the threads wait forever. So the permits of work that has not begun are only
 * reserved: if a thread has waited for a whole round (gate.c) in which nothing
 * changed at the gate, waiters that are not work are served with reserved
 * permits, the latest grant losing its permits first. Work without permits
 * takes them when it begins, before all other waiters, on the thread of its
 * queue.
 *
 * To grant only when the work begins was rejected: all work of a gate would go
 * to its queue at once, where it holds a thread each. To serve waiting threads
 * without the round was rejected too: it ends the order of the requests
 * whenever a queue is a little late, and then work does wait in its queue's
 * threads.
 *
 * Permits are then held by what runs, or by work whose permits a thread in
 * weir_gate_wait can have. A thread that waits behind a request (weir_files_run
 * does) makes no rounds. Permits of a request
 * (weir_gate_request_f) are used from its callback on; what the caller does
 * with them, the gate cannot see.
 */
#include "permits/gate_internal.h"
#include "system/threads.h"

void weir__gate_hand_over(weir_gate_t gate, struct weir__waiter *work) {
    if (work->count == 0) {
        return;
    }
    pthread_mutex_lock(&gate->lock);
    work->previous = NULL;
    work->next = gate->unbegun;
    if (work->next) {
        work->next->previous = work;
    }
    gate->unbegun = work;
    gate->reserved += work->count;
    pthread_mutex_unlock(&gate->lock);
}

static void unlist(weir_gate_t gate, struct weir__waiter *work) {
    *(work->previous ? &work->previous->next : &gate->unbegun) = work->next;
    if (work->next) {
        work->next->previous = work->previous;
    }
    gate->reserved -= work->count;
    gate->changes++;
}

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
    work->thread = weir__thread_number();
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
    weir__gate_trace(WEIR_TRACE_ACQUIRED, gate, work->number, work->count);
}

/* Lists work that runs, if the program is inspected. */
static void list_begun(weir_gate_t gate, struct weir__waiter *work) {
    uint64_t begin = weir__begin_time();
    if (WEIR_UNLIKELY(begin != 0)) {
        work->is_begun = true;
        work->since = begin;
        work->thread = weir__thread_number();
        work->previous = NULL;
        work->next = gate->begun;
        if (work->next) {
            work->next->previous = work;
        }
        gate->begun = work;
    }
}

void weir__gate_end_work(weir_gate_t gate, struct weir__waiter *work) {
    pthread_mutex_lock(&gate->lock);
    *(work->previous ? &work->previous->next : &gate->begun) = work->next;
    if (work->next) {
        work->next->previous = work->previous;
    }
    pthread_mutex_unlock(&gate->lock);
}

void weir__gate_begin(weir_gate_t gate, struct weir__waiter *work) {
    if (work->count == 0) {
        return;
    }
    pthread_mutex_lock(&gate->lock);
    if (work->was_taken_back) {
        take_again(gate, work);
    } else {
        unlist(gate, work);
    }
    list_begun(gate, work);
    pthread_mutex_unlock(&gate->lock);
}

/* The semaphore is for the thread of the queue, when the work begins. */
static bool take_back(weir_gate_t gate, struct weir__waiter *work) {
    work->parked = dispatch_semaphore_create(0);
    if (!work->parked) {
        return false;
    }
    unlist(gate, work);
    work->was_taken_back = true;
    atomic_fetch_sub_explicit(&gate->word, work->count * WEIR_GATE_ONE_PERMIT,
                              memory_order_acq_rel);
    weir__gate_trace(WEIR_TRACE_SIGNAL, gate, 0, work->count);
    return true;
}

/* Frees `count` permits, if taking back all reserved ones suffices. While
   waiters are queued, permits come and go only under the lock. */
static bool free_reserved(weir_gate_t gate, size_t count) {
    size_t permits = weir__gate_permits(gate);
    size_t in_use = WEIR_GATE_IN_USE(weir__gate_word(gate));
    if (count > permits || in_use - gate->reserved > permits - count) {
        return false;
    }
    while (WEIR_GATE_IN_USE(weir__gate_word(gate)) > permits - count) {
        if (!take_back(gate, gate->unbegun)) {
            return false;
        }
    }
    return true;
}

void weir__gate_overtake(weir_gate_t gate, struct weir__decided *decided) {
    struct weir__waiter *next;
    struct weir__waiter *first = gate->reserved > 0 ? gate->waiters.head : NULL;
    for (struct weir__waiter *waiter = first; waiter; waiter = next) {
        next = waiter->next;
        if (waiter->is_work && !waiter->parked) {
            continue; /* it would wait for the same queue */
        }
        size_t permits = weir__gate_permits(gate);
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
