/* observers.h: the program's observer and the recorders. */
#pragma once

#include "base/internal.h"

#include <weir/trace.h>

/* The number of observers: the program's own and those of recorders. */
WEIR_HIDDEN extern _Atomic size_t weir__trace_observers;

/* The number of events that were lost because memory was short. */
WEIR_HIDDEN extern _Atomic uint64_t weir__trace_lost;

/* The recorders that can record at once. */
enum weir__recorder_place {
    WEIR_RECORDER_OF_PROGRAM,
    WEIR_RECORDER_OF_ENVIRONMENT, /* WEIR_TRACE */
    WEIR_RECORDERS
};

/* Sets the recorder's observer, unless the place is taken. */
WEIR_HIDDEN bool weir__observers_attach(enum weir__recorder_place place,
                                        const weir_trace_observer_t *observer);

/* Removes the observer and waits for the threads within it. */
WEIR_HIDDEN void weir__observers_detach(enum weir__recorder_place place,
                                        const weir_trace_observer_t *observer);

/* Reports an event to all observers. */
WEIR_HIDDEN void weir__observers_report(const weir_trace_event_t *event);
