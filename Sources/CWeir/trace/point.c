/*
 * point.c: makes the events of the recording points.
 *
 * DESIGN. This source ends the recording of WEIR_TRACE: every object with a
 * recording point needs this source, and it needs environment.c, so that a
 * static archive links its constructor into every program with something to
 * record.
 */
#include "trace/point.h"

#include <weir/spi.h>

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

void weir__trace_report(weir_trace_kind_t kind, const void *object,
                        uint64_t job, size_t lane, size_t count,
                        const struct weir__caller *caller) {
    const struct weir__object *counted = object;
    char text[WEIR_CALLER_TEXT];
    const weir_trace_event_t event = {
        .kind = kind,
        .object = object,
        .label = counted->label,
        .job = job,
        .lane = lane,
        .count = count,
        .nanoseconds = now(),
        .serial = counted->serial,
        .caller =
            caller && caller->file ? weir__caller_text(caller, text) : NULL,
    };
    weir__observers_report(&event);
}

void weir_trace_note(const char *label, uint64_t job, size_t value) {
    const weir_trace_event_t event = {
        .kind = WEIR_TRACE_NOTE, .label = label, .job = job, .count = value};
    weir_trace_emit(&event);
}

uint64_t weir_trace_serial(void) { return weir__object_serial(); }

void weir_trace_emit(const weir_trace_event_t *event) {
    if (weir__trace_is_on()) {
        /* Programs compiled before have a shorter struct. */
        weir_trace_event_t timed = {0};
        memcpy(&timed, event, offsetof(weir_trace_event_t, caller));
        timed.nanoseconds = timed.nanoseconds ? timed.nanoseconds : now();
        weir__observers_report(&timed);
    }
}

/* After the functions of atexit, so that their events are recorded, too. */
__attribute__((__destructor__)) static void end_of_process(void) {
    (void)weir_trace_finish();
}
