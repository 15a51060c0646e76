/* waiters.c: a queue of waiters, and the delivery of their results. */
#include "permits/waiters.h"

void weir__waiters_insert(struct weir__waiters *waiters,
                          struct weir__waiter *waiter,
                          struct weir__waiter *before) {
    waiter->next = before;
    waiter->previous = before ? before->previous : waiters->tail;
    *(waiter->previous ? &waiter->previous->next : &waiters->head) = waiter;
    *(before ? &before->previous : &waiters->tail) = waiter;
    waiter->result = WEIR_UNDECIDED;
}

void weir__waiters_remove(struct weir__waiters *waiters,
                          struct weir__waiter *waiter) {
    *(waiter->previous ? &waiter->previous->next : &waiters->head) =
        waiter->next;
    *(waiter->next ? &waiter->next->previous : &waiters->tail) =
        waiter->previous;
}

void weir__waiter_decide(struct weir__waiter *waiter, int result,
                         struct weir__decided *decided) {
    dispatch_semaphore_t parked = waiter->parked;
    if (parked) {
        dispatch_retain(parked);
        waiter->result = result;
        dispatch_semaphore_signal(parked);
        dispatch_release(parked);
    } else {
        waiter->result = result;
        waiter->next = NULL;
        *decided->end = waiter;
        decided->end = &waiter->next;
    }
}

/* The list that this thread delivers; a nested delivery appends to it. */
static _Thread_local struct weir__decided *delivering;

void weir__deliver(struct weir__decided *decided) {
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
        waiter->notify(waiter, waiter->result);
    }
    delivering = NULL;
}
