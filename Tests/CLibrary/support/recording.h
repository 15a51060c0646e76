/* recording.h: reads the output of a trace recorder strictly, and reports events that
   never happened. */
#pragma once

#include "json.h"
#include "threads.h"
#include <weir.h>

/* The lines of JSON lines, or the lines of Trace Event JSON that are events. */
struct recording {
    char *text;
    const char **lines;
    size_t count;
};

/* Reads the file of a descriptor, and closes it. */
struct recording recording_read(int descriptor, weir_trace_format_t format);
/* Stop a recorder, and read its output in either format. */
struct recording lines_of(weir_trace_recorder_t recorder);
struct recording events_of(weir_trace_recorder_t recorder);

/* Returns the number of lines in which a member is a string. */
size_t recording_count(struct recording recording, const char *name,
                       const char *string);

/* Checks a number of those lines that have it, from the last one on. */
void recording_check(struct recording recording, const char *name, int count,
                     const double expected[]);

/* Declares a recorder that has started, and is released at the end of its scope. */
#define RECORDER(name, events)                                                 \
    ENDED_BY(recorder_end) weir_trace_recorder_t name = recorder_start(events)
weir_trace_recorder_t recorder_start(size_t events);
void recorder_end(weir_trace_recorder_t *recorder);
weir_trace_recorder_stats_t recorder_stats(weir_trace_recorder_t recorder);

/* Reports an event, with count 1. */
void report(uint64_t time, weir_trace_kind_t kind, uint64_t serial,
            const char *label, uint64_t job);
