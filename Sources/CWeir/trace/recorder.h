/* recorder.h: a recorder for a place. */
#pragma once

#include "trace/observers.h"

/* Makes a recorder like weir_trace_recorder_create, for a place. */
WEIR_HIDDEN weir_trace_recorder_t
weir__recorder_create(enum weir__recorder_place place, size_t events);

/* Returns the number of events for which a stopped recorder had no memory. */
WEIR_HIDDEN uint64_t weir__recorder_lost(weir_trace_recorder_t recorder);
