/*
 * trace.c: telling an observer what happens.
 *
 * DESIGN. The recording points are in gate.c, group.c and lanes.c, through
 * weir__trace, which is inline and does nothing but look whether there is an
 * observer. The observer is one pointer: no lock on the way. An observer of the
 * program's own is kept by its owner for ever. The recorder goes away, so it
 * has to know that no thread is in it any more: each thread says in a place of
 * its own which observer it is about to call, looks whether that is still the
 * one, and takes it back afterwards (a hazard pointer); who removes an observer
 * looks at all these places. A count of the threads within was rejected: all
 * threads would write it, twice an event.
 *
 * The places are never freed, since they are read without a lock on them; a
 * thread that ends leaves its own to the next. There are as many as there ever
 * were threads at once that traced.
 */
#include "recorder.h"

#include <pthread.h>
#include <sched.h>

_Atomic(const weir_trace_observer_t *) weir__observer;

struct place {
    _Atomic(const weir_trace_observer_t *) calling;
    struct place *next; /* of all there are */
    bool in_use;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct place *places;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static _Thread_local struct place *own;

static void leave_place(void *place) {
    own = NULL;
    pthread_mutex_lock(&mutex);
    ((struct place *)place)->in_use = false;
    pthread_mutex_unlock(&mutex);
}

static void make_key(void) {
    has_key = pthread_key_create(&key, leave_place) == 0;
}

static struct place *find_place(void) {
    struct place *place = places;
    while (place && place->in_use) {
        place = place->next;
    }
    if (!place && (place = calloc(1, sizeof *place)) != NULL) {
        place->next = places;
        places = place;
    }
    if (place) {
        place->in_use = true;
    }
    return place;
}

/* This thread's; NULL where memory is short. */
static struct place *own_place(void) {
    if (!own) {
        pthread_once(&once, make_key);
        pthread_mutex_lock(&mutex);
        own = has_key ? find_place() : NULL;
        pthread_mutex_unlock(&mutex);
        if (own && pthread_setspecific(key, own) != 0) {
            leave_place(own);
        }
    }
    return own;
}

const weir_trace_observer_t *
weir_trace_set_observer(const weir_trace_observer_t *observer) {
    return atomic_exchange(&weir__observer, observer);
}

bool weir__observe(const weir_trace_observer_t *observer) {
    const weir_trace_observer_t *none = NULL;
    return atomic_compare_exchange_strong(&weir__observer, &none, observer);
}

void weir__unobserve(const weir_trace_observer_t *observer) {
    const weir_trace_observer_t *present = observer;
    atomic_compare_exchange_strong(&weir__observer, &present, NULL);
    pthread_mutex_lock(&mutex);
    for (struct place *place = places; place; place = place->next) {
        while (atomic_load(&place->calling) == observer) {
            sched_yield();
        }
    }
    pthread_mutex_unlock(&mutex);
}

static void tell(const weir_trace_event_t *event) {
    struct place *place = own_place();
    if (!place) {
        return;
    }
    const weir_trace_observer_t *observer = atomic_load(&weir__observer);
    for (;;) {
        atomic_store(&place->calling, observer);
        const weir_trace_observer_t *still = atomic_load(&weir__observer);
        if (still == observer) {
            break;
        }
        observer = still;
    }
    if (observer) {
        observer->observe(observer->context, event);
    }
    atomic_store_explicit(&place->calling, NULL, memory_order_release);
}

void weir__tell(weir_trace_kind_t kind, const void *object, const char *label,
                uint64_t job, size_t lane, size_t count) {
    const weir_trace_event_t event = {
        .kind = kind,
        .object = object,
        .label = label,
        .job = job,
        .lane = lane,
        .count = count,
        .nanoseconds = weir__nanoseconds(),
    };
    tell(&event);
}

void weir_trace_note(const char *label, uint64_t job, size_t value) {
    weir__trace(WEIR_TRACE_NOTE, NULL, label, job, 0, value);
}
