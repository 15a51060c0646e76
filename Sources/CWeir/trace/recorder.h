/*
 * recorder.h: events as they are kept, put in order, explained and written.
 */
#ifndef WEIR_RECORDER_H
#define WEIR_RECORDER_H

#include "base/internal.h"
#include "trace/point.h"

/* ---- trace.c ----------------------------------------------------------- */

/* Makes `observer` the recorder's, if no other recorder has one there. */
WEIR_HIDDEN bool weir__observe(const weir_trace_observer_t *observer);

/* Removes it, and waits for the threads in it. */
WEIR_HIDDEN void weir__unobserve(const weir_trace_observer_t *observer);

/* Tells the recorder, if one records. */
WEIR_HIDDEN void weir__tell_recorder(const weir_trace_event_t *event);

/* How many events no recorder could be told of, for want of memory. */
WEIR_HIDDEN extern _Atomic uint64_t weir__untold;

/* ---- recorder.c -------------------------------------------------------- */

/* An event as it is kept: 64 bytes. */
struct weir__record {
    uint64_t nanoseconds;
    const void *object;
    const char *label; /* the buffer's */
    uint64_t job;
    size_t lane;
    size_t count;
    uint64_t kind;   /* a weir_trace_kind_t */
    uint64_t serial; /* the object's */
};

/* An event among those of all threads. What is NONE or an index is one into
   the timeline's moments. */
struct weir__moment {
    const struct weir__record *record;
    size_t thread; /* from 1, in order of first use */
    size_t order;  /* on its thread */

    /* What timeline.c finds out. */
    size_t subject; /* index into the timeline's subjects; NONE for a note */
    size_t next;    /* on its thread */
    size_t from;    /* what led to this: a START's or a dropped job's SUBMIT, an
                       END's START, a WAKE's WAIT, and of what ends a wait its
                       WAKE or, where there is none, its WAIT */
    size_t to;      /* the other way round */
    size_t ended;   /* of a WAIT what ended it, of what ended one the WAIT */
    size_t below;   /* of a START the job that it runs inside of */
    size_t free;    /* of the subject, from this moment on */
    size_t waiting;
    size_t queued;
    size_t running;
    bool is_blocking; /* of a WAIT: its thread does nothing else meanwhile */
    bool is_broken;   /* of a START: its END was lost, and more came after */
};

#define WEIR_NONE SIZE_MAX

/* A figure of a subject while the timeline is gone through: how much more or
   less it is than at the beginning, and the extremes of that. */
struct weir__figure {
    ptrdiff_t now;
    ptrdiff_t least;
    ptrdiff_t most;
};

/* A gate, lanes or a group. */
struct weir__subject {
    const char *label;
    size_t number; /* among those of its label, from 1 */
    bool has_jobs; /* lanes */
    bool has_permits;
    bool has_members;    /* a group */
    size_t least_inside; /* of a group, by the counts in its events */

    struct weir__figure out; /* permits */
    struct weir__figure waiting;
    struct weir__figure queued;
    struct weir__figure running; /* of a group what is outstanding */
};

/* All that was recorded, in the order of time. */
struct weir__timeline {
    struct weir__moment *moments;
    size_t count;
    struct weir__subject *subjects;
    size_t subject_count;
    size_t thread_count;
    size_t main_thread; /* its number, or 0 */

    /* From then on every thread's events are here; before, some were dropped. */
    uint64_t whole_from;
};

/* ---- timeline.c -------------------------------------------------------- */

/* Puts the moments in order and fills in the rest. ENOMEM, or 0. */
WEIR_HIDDEN int weir__timeline_explain(struct weir__timeline *timeline);

WEIR_HIDDEN void weir__timeline_free(struct weir__timeline *timeline);

/* ---- formats.c --------------------------------------------------------- */

/* Both return 0, ENOMEM or what write said. */
WEIR_HIDDEN int weir__write_lines(const struct weir__timeline *timeline,
                                  int descriptor);
WEIR_HIDDEN int weir__write_events(const struct weir__timeline *timeline,
                                   int descriptor);

#endif /* WEIR_RECORDER_H */
