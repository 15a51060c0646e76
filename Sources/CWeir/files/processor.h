/*
 * files.h: what the parts of the file processor share: its life and its permits
 * (files.c), feeding (feed.c), reading on a lane (reader.c) and delivering
 * (delivery.c).
 */
#ifndef WEIR_INTERNAL_FILES_H
#define WEIR_INTERNAL_FILES_H

#include "files/links.h"
#include "files/stride.h"
#include "files/waits.h"
#include "queues/lanes_internal.h"
#include "walk/filter.h"

#include <pthread.h>

#include <weir/files.h>
#include <weir/gate.h>

struct file_identity {
    dev_t device;
    ino_t inode;
};

/* What is of reading alone. */
struct reading {
    uint64_t run; /* how many there were, this one too */
    _Atomic uint64_t changed, linked, opened, bytes_expected, unread;
    _Atomic bool is_paused;
    pthread_cond_t resumed; /* or stopped; with the processor's lock */
    struct links links;
    struct busy *busy; /* what each lane is at; under the processor's lock */
};

struct weir_files_s {
    struct weir__object object;
    weir_files_options_t options; /* as given, defaults filled in */
    struct file_identity *excluded;
    struct weir__filters *filters; /* NULL for none */
    weir_lanes_t lanes;
    weir_gate_t own_gate; /* --descriptors; NULL for none */
    size_t permits_each;  /* what a stride with files to open takes */
    size_t buffer_size;
    size_t width; /* how many lanes */

    _Atomic bool claimed; /* by a run */
    _Atomic bool running; /* it can be cancelled */
    _Atomic int stopped;  /* why no more files are opened, or 0 */

    _Atomic uint64_t files, bytes, failed, special, special_named;
    _Atomic uint64_t links, excluded_count, directories;
    _Atomic uint64_t filtered, found, feeding;
    _Atomic size_t permits_out, permits_peak;
    _Atomic size_t busy, busy_peak; /* lanes */

    struct reading reading;
    struct waits waits;
    struct turns *turns; /* the feeder's; what is in them is under the lock */
    size_t stride_by_inode; /* files a stride, where they are sorted */

    pthread_mutex_t lock; /* what follows */
    pthread_cond_t freed;
    pthread_cond_t answered; /* what the feeder asked for, or stopped */
    struct stride *head;     /* to be delivered, in order */
    struct stride *tail;
    struct stride *free;
    size_t made;
    size_t strides_max; /* that are ever made; does not change */
    size_t large;       /* large strides that are under way */
    bool delivering;

    /* The deliverer's, of whom there is one at a time. */
    bool closed; /* nothing more is delivered in this run */
    struct results results;
};

/* ---- delivery.c -------------------------------------------------------- */

/* A stride to fill. Waits for one where `wait` is set; else NULL where all are
   under way. NULL with errno ENOMEM where memory is short. */
WEIR_HIDDEN struct stride *weir__delivery_take(weir_files_t files, bool wait);

/* The same, for one that is large, of which there are fewer. */
WEIR_HIDDEN struct stride *weir__delivery_take_large(weir_files_t files);

/* Gives a stride back that is not to be delivered. */
WEIR_HIDDEN void weir__delivery_give(weir_files_t files, struct stride *stride);

/* Puts a stride into the order: behind `after`, or at its end for NULL. */
WEIR_HIDDEN void weir__delivery_enter(weir_files_t files, struct stride *stride,
                                      struct stride *after);

/* Takes it out again, before anything was done with it. */
WEIR_HIDDEN void weir__delivery_withdraw(weir_files_t files,
                                         struct stride *stride,
                                         struct stride *after);

/* A stride is finished: delivers what can be delivered now. */
WEIR_HIDDEN void weir__delivery_finish(weir_files_t files,
                                       struct stride *stride);

/* Frees all strides. Nothing may be under way. */
WEIR_HIDDEN void weir__delivery_destroy(weir_files_t files);

/* ---- reader.c ---------------------------------------------------------- */

/* The context of a lane. */
WEIR_HIDDEN void *weir__reader_create(void *files, size_t lane);
WEIR_HIDDEN void weir__reader_destroy(void *reader);

/* The job of a lane: reads a stride's files and finishes it. */
WEIR_HIDDEN void weir__reader_run(void *stride, void *reader);

WEIR_HIDDEN void weir__reading_create(weir_files_t files);
WEIR_HIDDEN void weir__reading_destroy(weir_files_t files);

/* A run begins, or has ended. */
WEIR_HIDDEN void weir__reading_begin(weir_files_t files);
WEIR_HIDDEN void weir__reading_end(weir_files_t files);

WEIR_HIDDEN void weir__reading_figures(weir_files_t files,
                                       weir_files_stats_t *figures);

/* ---- pause.c ----------------------------------------------------------- */

/* Waits until the run is not paused, or stopped. */
WEIR_HIDDEN void weir__reading_wait(weir_files_t files);

/* One or the other has come. Not with the lock held. */
WEIR_HIDDEN void weir__reading_wake(weir_files_t files);

/* ---- files.c ----------------------------------------------------------- */

/* Makes the run end soon. Keeps the first reason. Not with the lock held. */
WEIR_HIDDEN void weir__files_stop(weir_files_t files, int reason);

/* Takes the permits a stride needs. Without `wait` returns false where they
   are not to be had at once; with it where the run is stopped meanwhile, or
   memory is short. */
WEIR_HIDDEN bool weir__files_take_permits(weir_files_t files,
                                          struct stride *stride, bool wait);
WEIR_HIDDEN void weir__files_give_permits(weir_files_t files,
                                          struct stride *stride);

/* ---- feed.c ------------------------------------------------------------ */

/* Puts what the sources give into strides and submits them. */
WEIR_HIDDEN void weir__files_feed(weir_files_t files,
                                  const weir_files_source_t *sources,
                                  size_t count);

static inline bool files_stopped(weir_files_t files) {
    return WEIR_UNLIKELY(
        atomic_load_explicit(&files->stopped, memory_order_relaxed) != 0);
}

static inline bool files_are_literal(weir_files_t files) {
    return files->options.flags & WEIR_FILES_LITERAL;
}

static inline bool files_open_late(weir_files_t files) {
    return files->options.flags & WEIR_FILES_OPEN_LATE;
}

static inline bool files_are_whole_trees(weir_files_t files) {
    return files->options.flags & WEIR_FILES_WHOLE_TREE;
}

static inline bool files_paused(weir_files_t files) {
    return WEIR_UNLIKELY(
        atomic_load_explicit(&files->reading.is_paused, memory_order_relaxed));
}

static inline void files_count(_Atomic uint64_t *figure, uint64_t more) {
    atomic_fetch_add_explicit(figure, more, memory_order_relaxed);
}

static inline void files_count_special(weir_files_t files, bool named) {
    files_count(&files->special, 1);
    files_count(&files->special_named, named);
}

#endif /* WEIR_INTERNAL_FILES_H */
