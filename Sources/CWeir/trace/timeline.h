/* timeline.h: the events of all threads in the order of time. */
#pragma once

#include "base/internal.h"

#include <weir/trace.h>

#define WEIR_TRACE_LABEL 80

/* A recorded event: 128 bytes. */
struct weir__trace_record {
    uint64_t nanoseconds;
    uint64_t job;
    size_t lane;
    size_t count;
    uint32_t kind;   /* a weir_trace_kind_t */
    uint32_t caller; /* its offset in the label, after the zero; 0 for none */
    uint64_t serial; /* the object's */
    char label[WEIR_TRACE_LABEL];
};

/* An event. Members that name others are indices of moments, or WEIR_NONE. */
struct weir__moment {
    const struct weir__trace_record *record;
    size_t thread; /* from 1, in order of first use */
    size_t order;  /* on its thread */

    /* The members below are found by timeline.c. */

    size_t subject; /* its index in the timeline; WEIR_NONE for a note */
    size_t next;    /* the next event on its thread */

    /* The cause. For a START or a dropped job's CANCEL: its SUBMIT. For an END:
       its START. For a WAKE: its WAIT. For the end of a wait: its WAKE, or its
       WAIT if there is none. */
    size_t from;
    size_t to; /* the inverse of `from` */

    /* For a WAIT: the event that ended it. For that event: the WAIT. */
    size_t ended;
    size_t below; /* for a START: the job that this job runs within */

    /* The state of the subject after this event. */
    size_t free;
    size_t waiting;
    size_t queued;
    size_t running;

    /* For a WAIT: its thread did nothing else meanwhile. */
    bool is_blocking;

    /* For a START: the job is no slice of its thread. It ended on another one,
       or not before the job that it began in, or its END was lost. */
    bool is_broken;
};

#define WEIR_NONE SIZE_MAX

/* A counter of a subject: the difference from its beginning, with extremes. */
struct weir__counter {
    ptrdiff_t now;
    ptrdiff_t least;
    ptrdiff_t most;
};

/* A subject counts as a gate unless its events show another kind. */
enum weir__subject_kind { SUBJECT_GATE, SUBJECT_LANES, SUBJECT_GROUP };

/* A gate, lanes or a group. */
struct weir__subject {
    const char *label;
    size_t number; /* among those with the same label, from 1 */
    enum weir__subject_kind kind;
    size_t least_inside; /* the least count in a group's events */

    struct weir__counter out; /* permits */
    struct weir__counter waiting;
    struct weir__counter queued;
    struct weir__counter running; /* outstanding work, for a group */
};

/* All recorded events in the order of time. */
struct weir__timeline {
    struct weir__moment *moments;
    size_t count;
    struct weir__subject *subjects;
    size_t subject_count;
    size_t thread_count;
    size_t main_thread; /* its number, or 0 */

    /* From this time on no thread's events were dropped. */
    uint64_t whole_from;
};

/* ---- timeline.c -------------------------------------------------------- */

/* Sorts the moments, and fills in causes and states. Returns 0 or ENOMEM. */
WEIR_HIDDEN int weir__timeline_analyze(struct weir__timeline *timeline);

WEIR_HIDDEN void weir__timeline_free(struct weir__timeline *timeline);

/* ---- formats.c --------------------------------------------------------- */

/* Writes the timeline. Returns 0, ENOMEM or the error of write. */
WEIR_HIDDEN int weir__timeline_write(const struct weir__timeline *timeline,
                                     int descriptor,
                                     weir_trace_format_t format);
