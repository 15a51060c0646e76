/* waiters.h: a queue of threads and requests that wait. */
#pragma once

#include "base/internal.h"
#include "trace/inspection.h"

/* The result of a waiter that is still in the queue. */
#define WEIR_UNDECIDED (-1)

/* A thread, parked on a semaphore of its own, or a request, which has a
   function to call. */
struct weir__waiter {
    struct weir__waiter *next; /* in the queue, or in a list of decisions */
    struct weir__waiter *previous;
    _Atomic int result;
    dispatch_semaphore_t parked; /* of a thread; NULL for a request */
    void (*notify)(struct weir__waiter *waiter, int result); /* of a request */

    /* At a gate. */
    size_t count;
    uint64_t number;
    uint64_t since;             /* of the wait */
    struct weir__caller caller; /* that waits */
    size_t kept;         /* permits that the waiter keeps until it is served */
    uint64_t changes;    /* of the gate, in the last round of the wait */
    unsigned rounds;     /* without a change of the gate */
    bool must_be_served; /* neither a close nor a resize refuses it */
    bool is_work;        /* for a queue: weir_gate_async_f */
    bool was_taken_back; /* granted work that lost its permits again */
};

/* The lock of the queue's owner guards it. */
struct weir__waiters {
    struct weir__waiter *head;
    struct weir__waiter *tail;
};

/* Decided requests, in order, whose owners have not been notified yet. */
struct weir__decided {
    struct weir__waiter *first;
    struct weir__waiter **end;
};

#define WEIR_DECIDED(name) struct weir__decided name = {NULL, &name.first}

/* Adds a waiter before another one, or at the end for NULL. */
WEIR_HIDDEN void weir__waiters_insert(struct weir__waiters *waiters,
                                      struct weir__waiter *waiter,
                                      struct weir__waiter *before);
WEIR_HIDDEN void weir__waiters_remove(struct weir__waiters *waiters,
                                      struct weir__waiter *waiter);

/* Gives a waiter outside the queue its result; then it may be gone. */
WEIR_HIDDEN void weir__waiter_decide(struct weir__waiter *waiter, int result,
                                     struct weir__decided *decided);

/* Notifies the owners in the list. Called without the lock. */
WEIR_HIDDEN void weir__deliver(struct weir__decided *decided);
