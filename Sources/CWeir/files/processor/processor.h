/*
 * processor.h: the state of a file processor, which all its parts share.
 *
 * DESIGN. The parts form layers; each includes only layers below its own:
 *
 *     run/        creates a processor, runs it, reads its statistics
 *     feed/       finds the files and packs them into batches
 *     batch/      permits, device slots, submission and delivery of a batch
 *     lane/       reads the files of a batch, one after the other
 *     file/       opens one file, calls its job, verifies the content
 *     readers/    decides how many lanes read at once
 *     processor/  this state, the memory of a batch, stop and pause
 */
#pragma once

#include "queues/lanes_state.h"
#include "walk/filter.h"

#include <pthread.h>

#include <weir/files.h>
#include <weir/gate.h>

struct batch;

struct file_identity {
    dev_t device;
    ino_t inode;
};

/* The results of a batch during its delivery, and the values beside them. */
struct results {
    weir_file_result_t *data;
    void **values;
    size_t capacity;
};

struct weir_files_s {
    struct weir__object object;
    weir_files_options_t options; /* with the defaults filled in */
    struct file_identity *excluded;
    struct weir__filters *filters; /* NULL for none */
    weir_lanes_t lanes;
    weir_gate_t own_gate; /* for options.descriptors; NULL for no such limit */
    size_t permits_per_batch;
    size_t files_per_inode_batch;
    size_t batches_max;
    size_t first_lanes;
    bool lacks_lane;    /* memory was short for one of these */
    size_t buffer_size; /* of these */
    size_t added_buffer_size;
    size_t width;            /* the most lanes there may be */
    struct readers *readers; /* NULL if the number of lanes is fixed */

    /* Calls a lane without work. A pointer: batch/, which defines it, is above
       lane/, which calls it. */
    void (*call_seeker)(weir_files_t files);

    struct links *links; /* the files with several names */
    uint64_t run;        /* the number of the present run */

    _Atomic bool is_claimed; /* by a run */
    _Atomic bool is_paused;
    _Atomic int stop_reason;     /* an errno value, or 0 */
    _Atomic uint64_t give_up_at; /* of weir__nanoseconds, once stopped */
    uint64_t grace;              /* of open files after a stop */

    weir_files_stats_t counts; /* by files_count; the lanes and peaks are not */
    _Atomic uint64_t feeding_begun; /* a time */
    _Atomic size_t busy_lanes, busy_lanes_peak;
    _Atomic size_t queued;   /* batches that wait for a lane */
    _Atomic bool has_seeker; /* a lane without work, or called for that */
    _Atomic size_t permits_out, permits_peak;

    struct device_slots *device_slots; /* the feeder's; `taken` is locked */

    pthread_mutex_t lock;    /* guards the fields that follow */
    pthread_cond_t released; /* a batch was */
    pthread_cond_t answered; /* the feeder got permits or a slot, or a stop */
    pthread_cond_t resumed;  /* the pause ended, or a stop came */
    pthread_cond_t shared;   /* for a lane that seeks work: it may leave */
    struct busy *busy;       /* the present file of each lane */
    struct batch *head;      /* of the batches to deliver, in order */
    struct batch *tail;
    struct batch *unused;
    bool is_running;      /* a run can be cancelled */
    bool is_awaited;      /* the feed waits for the lanes */
    size_t made;          /* batches that exist */
    size_t taken;         /* of these, the feed's in progress */
    size_t large_batches; /* in progress */
    bool is_delivering;

    /* These belong to the one thread that delivers. */
    bool is_closed; /* nothing more is delivered in this run */
    struct results results;
};

/* ---- control.c --------------------------------------------------------- */

/* Ends the run soon. Keeps the first reason. Called without the lock. */
WEIR_HIDDEN void weir__files_stop(weir_files_t files, int reason);

/* Waits until the run is not paused, or is stopped. */
WEIR_HIDDEN void weir__files_wait_while_paused(weir_files_t files);

/* Sets the time that open files have to end after a stop. */
WEIR_HIDDEN void weir__files_set_grace(weir_files_t files,
                                       uint64_t nanoseconds);

/* True if that time is over. */
WEIR_HIDDEN bool weir__files_is_grace_over(weir_files_t files);

static inline bool files_is_stopped(weir_files_t files) {
    return WEIR_UNLIKELY(load_relaxed(&files->stop_reason) != 0);
}

static inline bool files_is_paused(weir_files_t files) {
    return WEIR_UNLIKELY(load_relaxed(&files->is_paused));
}

/* ---- options ----------------------------------------------------------- */

static inline bool files_is_literal(weir_files_t files) {
    return files->options.flags & WEIR_FILES_LITERAL;
}

static inline bool files_has_whole_trees(weir_files_t files) {
    return files->options.flags & WEIR_FILES_WHOLE_TREE;
}

/* ---- counts ------------------------------------------------------------ */

/* Adds to a field of the counts, which other threads change and read. */
static inline void files_count(uint64_t *count, uint64_t more) {
    __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

static inline uint64_t files_counted(const uint64_t *count) {
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

/* Adds the time since `begun`, unless that is 0. */
static inline void files_count_time(uint64_t *count, uint64_t begun) {
    if (WEIR_UNLIKELY(begun != 0)) {
        files_count(count, weir__nanoseconds() - begun);
    }
}

static inline void files_count_special(weir_files_t files, bool is_named) {
    files_count(&files->counts.special, 1);
    files_count(&files->counts.special_named, is_named);
}
