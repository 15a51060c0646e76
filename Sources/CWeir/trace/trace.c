/*
 * trace.c: telling an observer what happens.
 *
 * DESIGN. The recording points are in gate.c, group.c and lanes.c, through
 * weir__trace, which is inline and does nothing but look whether anybody
 * observes. There can be two: one of the program's own and a recorder, each a
 * pointer, with no lock on the way. One pointer for both was rejected: the
 * program would be handed the recorder's, which goes away, and put it back. The
 * program's is kept by its owner for ever. The recorder has to know that no
 * thread is in it any more: each thread says in a place of its own which
 * recorder it is about to call, looks whether that is still the one, and takes
 * it back afterwards (a hazard pointer); who removes a recorder looks at all
 * these places. A count of the threads within was rejected: all threads would
 * write it, twice an event.
 *
 * The places are never freed, since they are read without a lock on them; a
 * thread that ends leaves its own to the next. There are as many as there ever
 * were threads at once that traced.
 */
#include "trace/point.h"
#include "trace/recorder.h"

#include <pthread.h>
#include <sched.h>

_Atomic size_t weir__observers;
_Atomic uint64_t weir__untold;

static _Atomic(const weir_trace_observer_t *) program;
static _Atomic(const weir_trace_observer_t *) recorder;

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
    const weir_trace_observer_t *former = atomic_exchange(&program, observer);
    /* Below 0 for a moment where another call is at the same point, which is
       as good as above it. */
    atomic_fetch_add(&weir__observers, (size_t) !!observer - (size_t) !!former);
    return former;
}

bool weir__observe(const weir_trace_observer_t *observer) {
    const weir_trace_observer_t *none = NULL;
    if (!atomic_compare_exchange_strong(&recorder, &none, observer)) {
        return false;
    }
    atomic_fetch_add(&weir__observers, 1);
    return true;
}

void weir__unobserve(const weir_trace_observer_t *observer) {
    atomic_fetch_sub(&weir__observers, 1);
    atomic_store(&recorder, NULL);
    pthread_mutex_lock(&mutex);
    for (struct place *place = places; place; place = place->next) {
        while (atomic_load(&place->calling) == observer) {
            sched_yield();
        }
    }
    pthread_mutex_unlock(&mutex);
}

static void tell_program(const weir_trace_event_t *event) {
    const weir_trace_observer_t *observer =
        atomic_load_explicit(&program, memory_order_acquire);
    if (observer) {
        observer->observe(observer->context, event);
    }
}

void weir__tell_recorder(const weir_trace_event_t *event) {
    const weir_trace_observer_t *observer = atomic_load(&recorder);
    if (!observer) {
        return;
    }
    struct place *place = own_place();
    if (!place) {
        atomic_fetch_add_explicit(&weir__untold, 1, memory_order_relaxed);
        return;
    }
    for (;;) {
        atomic_store(&place->calling, observer);
        const weir_trace_observer_t *still = atomic_load(&recorder);
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
    const struct weir__object *counted = object;
    const weir_trace_event_t event = {
        .kind = kind,
        .object = object,
        .label = label,
        .job = job,
        .lane = lane,
        .count = count,
        .nanoseconds = weir__nanoseconds(),
        .serial = counted ? counted->serial : 0,
    };
    tell_program(&event);
    weir__tell_recorder(&event);
}

void weir_trace_note(const char *label, uint64_t job, size_t value) {
    weir__trace(WEIR_TRACE_NOTE, NULL, label, job, 0, value);
}
