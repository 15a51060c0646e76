/*
 * trace.c: reports events to the program's observer and to the recorders.
 *
 * DESIGN. The recording points are in the gates, groups and lanes; they call
 * weir__trace, which is inline and only checks whether any observer is set.
 * There can be three observers: the program's own, that of a recorder and that
 * of WEIR_TRACE. Each is a pointer, without a lock on the way. One pointer for
 * the program's observer and a recorder's was rejected: the program would
 * receive the recorder's observer as the former one and put it back
 * after the recorder is gone. The owner of the program's observer keeps it
 * forever. A recorder has to know that no thread is within it any more: each
 * thread writes in a slot of its own which recorder it is about to call,
 * checks that this is still the current one, and clears the slot afterwards (a
 * hazard pointer); the removal of a recorder waits for all these slots. A
 * count of the threads within was rejected: all threads would write it, twice
 * an event.
 *
 * This source has the constructor for WEIR_TRACE: every object with a recording
 * point needs this source, so that a static archive links the constructor into
 * every program with something to record.
 *
 * The slots are never freed, since threads read them without a lock; a thread
 * that ends leaves its slot to the next one. There are as many slots as
 * threads were ever traced at once.
 */
#include "trace/point.h"
#include "trace/recorder.h"

#include <pthread.h>
#include <sched.h>

#include <weir/spi.h>

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
    const weir_trace_observer_t *former = atomic_exchange(&program, observer);
    /* It wraps below 0 for a moment if another call runs at the same point;
       that is as good as above 0. */
    atomic_fetch_add(&weir__trace_observers,
                     (size_t) !!observer - (size_t) !!former);
    return former;
}

bool weir__recorder_attach(enum weir__recorder_place place,
                           const weir_trace_observer_t *observer) {
    const weir_trace_observer_t *none = NULL;
    if (!atomic_compare_exchange_strong(&recorders[place], &none, observer)) {
        return false;
    }
    atomic_fetch_add(&weir__trace_observers, 1);
    return true;
}

void weir__recorder_detach(enum weir__recorder_place place,
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
        atomic_fetch_add_explicit(&weir__trace_lost, 1, memory_order_relaxed);
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

void weir__trace_report_to_recorder(const weir_trace_event_t *event) {
    report_to_one(WEIR_RECORDER_OF_PROGRAM, event);
    report_to_one(WEIR_RECORDER_OF_ENVIRONMENT, event);
}

/* The clock of the events; another one for a schedule in simulated time. */
static _Atomic(weir_spi_trace_clock_t) clock_now;

void weir_spi_trace_set_clock(weir_spi_trace_clock_t clock) {
    atomic_store(&clock_now, clock);
}

static uint64_t now(void) {
    weir_spi_trace_clock_t clock =
        atomic_load_explicit(&clock_now, memory_order_acquire);
    return WEIR_UNLIKELY(clock != NULL) ? clock() : weir__nanoseconds();
}

static void report(const weir_trace_event_t *event) {
    const weir_trace_observer_t *observer =
        atomic_load_explicit(&program, memory_order_acquire);
    if (observer) {
        observer->observe(observer->context, event);
    }
    weir__trace_report_to_recorder(event);
}

void weir__trace_report(weir_trace_kind_t kind, const void *object,
                        const char *label, uint64_t job, size_t lane,
                        size_t count) {
    const struct weir__object *counted = object;
    const weir_trace_event_t event = {
        .kind = kind,
        .object = object,
        .label = label,
        .job = job,
        .lane = lane,
        .count = count,
        .nanoseconds = now(),
        .serial = counted ? counted->serial : 0,
    };
    report(&event);
}

void weir_trace_note(const char *label, uint64_t job, size_t value) {
    weir__trace(WEIR_TRACE_NOTE, NULL, label, job, 0, value);
}

uint64_t weir_trace_serial(void) { return weir__object_serial(); }

void weir_trace_emit(const weir_trace_event_t *event) {
    if (WEIR_UNLIKELY(atomic_load_explicit(&weir__trace_observers,
                                           memory_order_relaxed) == 0)) {
        return;
    }
    weir_trace_event_t timed = *event;
    if (timed.nanoseconds == 0) {
        timed.nanoseconds = now();
    }
    report(&timed);
}

/* ---- WEIR_TRACE ---------------------------------------------------------- */

__attribute__((__constructor__)) static void begin_of_process(void) {
    weir__trace_environment_begin();
}

/* After the functions of atexit, so that their events are recorded, too. */
__attribute__((__destructor__)) static void end_of_process(void) {
    (void)weir_trace_finish();
}
