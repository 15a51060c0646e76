/*
 * observers.c: the program's observer and the recorders, which get the events.
 *
 * DESIGN. There can be three observers: the program's own, that of a recorder
 * and that of WEIR_TRACE. Each is a pointer, without a lock on the way. With
 * one pointer for two the program would receive the recorder's observer as the
 * former one and put it back later. A recorder has to know that no thread is
 * within it any more: each thread writes in a slot of its own which recorder it
 * is about to call, checks that this is still the current one, and clears the
 * slot afterwards (a hazard pointer); the removal of a recorder waits for all
 * these slots. Both write first and then read what the other one writes, so
 * these operations are sequentially consistent. A count of the threads within
 * was rejected: all threads would write it, twice an event.
 *
 * The slots are never freed; a thread that ends leaves its slot to the next.
 */
#include "trace/observers.h"

#include <pthread.h>
#include <sched.h>

_Atomic size_t weir__trace_observers;
_Atomic uint64_t weir__trace_lost;

static _Atomic(const weir_trace_observer_t *) program;
static _Atomic(const weir_trace_observer_t *) recorders[WEIR_RECORDERS];

struct slot {
    _Atomic(const weir_trace_observer_t *) calling;
    struct slot *next; /* in the list of all slots */
    bool in_use;
};

static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct slot *slots;
static pthread_key_t slot_key;
static bool has_slot_key; /* guarded by the lock */
static _Thread_local struct slot *own;

static void release_slot(void *slot) {
    own = NULL;
    pthread_mutex_lock(&slots_lock);
    ((struct slot *)slot)->in_use = false;
    pthread_mutex_unlock(&slots_lock);
}

/* Called with the lock held. A key that cannot be had is asked for again. */
static struct slot *acquire_slot(void) {
    struct slot *slot = slots;
    if (!has_slot_key && pthread_key_create(&slot_key, release_slot) != 0) {
        return NULL;
    }
    has_slot_key = true;
    while (slot && slot->in_use) {
        slot = slot->next;
    }
    if (!slot && (slot = calloc(1, sizeof *slot)) != NULL) {
        slot->next = slots;
        slots = slot;
    }
    if (slot) {
        slot->in_use = true;
    }
    return slot;
}

/* Returns the slot of this thread, or NULL if memory is short. */
static struct slot *own_slot(void) {
    if (!own) {
        pthread_mutex_lock(&slots_lock);
        own = acquire_slot();
        pthread_mutex_unlock(&slots_lock);
        if (own && pthread_setspecific(slot_key, own) != 0) {
            release_slot(own);
        }
    }
    return own;
}

const weir_trace_observer_t *
weir_trace_set_observer(const weir_trace_observer_t *observer) {
    if (observer && !weir__reserves_zero(observer)) {
        errno = EINVAL;
        return NULL;
    }
    const weir_trace_observer_t *former = atomic_exchange(&program, observer);
    /* It may wrap below 0 for a moment, which is as good as above 0. */
    atomic_fetch_add(&weir__trace_observers,
                     (size_t) !!observer - (size_t) !!former);
    return former;
}

bool weir__observers_attach(enum weir__recorder_place place,
                            const weir_trace_observer_t *observer) {
    const weir_trace_observer_t *none = NULL;
    if (!atomic_compare_exchange_strong(&recorders[place], &none, observer)) {
        return false;
    }
    atomic_fetch_add(&weir__trace_observers, 1);
    return true;
}

void weir__observers_detach(enum weir__recorder_place place,
                            const weir_trace_observer_t *observer) {
    atomic_fetch_sub(&weir__trace_observers, 1);
    atomic_store(&recorders[place], NULL);
    pthread_mutex_lock(&slots_lock);
    for (struct slot *slot = slots; slot; slot = slot->next) {
        while (atomic_load(&slot->calling) == observer) {
            sched_yield();
        }
    }
    pthread_mutex_unlock(&slots_lock);
}

static void report_to_one(enum weir__recorder_place place,
                          const weir_trace_event_t *event) {
    const weir_trace_observer_t *observer = atomic_load(&recorders[place]);
    if (!observer) {
        return;
    }
    struct slot *slot = own_slot();
    if (!slot) {
        add_relaxed(&weir__trace_lost, 1);
        return;
    }
    for (;;) {
        atomic_store(&slot->calling, observer);
        const weir_trace_observer_t *still = atomic_load(&recorders[place]);
        if (still == observer) {
            break;
        }
        observer = still;
    }
    if (observer) {
        observer->observe(observer->context, event);
    }
    atomic_store_explicit(&slot->calling, NULL, memory_order_release);
}

void weir__observers_report(const weir_trace_event_t *event) {
    const weir_trace_observer_t *observer =
        atomic_load_explicit(&program, memory_order_acquire);
    if (observer) {
        observer->observe(observer->context, event);
    }
    report_to_one(WEIR_RECORDER_OF_PROGRAM, event);
    report_to_one(WEIR_RECORDER_OF_ENVIRONMENT, event);
}
