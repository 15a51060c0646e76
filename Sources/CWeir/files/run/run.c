/* run.c: the runs of a file processor, and their statistics. */
#include "files/batch/device_slots.h"
#include "files/batch/submission.h"
#include "files/feed/feeder.h"
#include "files/file/links.h"
#include "files/readers/readers.h"

#include <limits.h>

/* The counts by words: a field has one, or two on a machine of 32 bits. */
typedef size_t __attribute__((__may_alias__)) word_t;
#define WORDS (sizeof(weir_files_stats_t) / sizeof(word_t))

static void begin_counts(weir_files_t files) {
    word_t *words = (word_t *)&files->counts;
    for (size_t i = 0; i < WORDS; i++) {
        __atomic_store_n(&words[i], 0, __ATOMIC_RELAXED);
    }
    files->feeding_begun = weir__nanoseconds();
    files_count(&files->counts.feeding, 1);
}

/* Copies the counts while lanes add to them. */
static weir_files_stats_t counts_of(weir_files_t files) {
    const word_t *words = (const word_t *)&files->counts;
    weir_files_stats_t counts;
    for (size_t i = 0; i < WORDS; i++) {
        ((word_t *)&counts)[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    }
    return counts;
}

static void begin(weir_files_t files) {
    files->run++;
    files->is_closed = false;
    begin_counts(files);
    files->permits_peak = files->busy_lanes_peak = 0;
    weir__readers_begin(files);
    pthread_mutex_lock(&files->lock);
    files->stop_reason = 0;
    files->is_running = true;
    pthread_mutex_unlock(&files->lock);
}

/* Ends the run, which can no longer be cancelled. Returns its result. */
static int end(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    files->is_running = false;
    int reason = files->stop_reason;
    pthread_mutex_unlock(&files->lock);
    return reason;
}

static bool is_valid_source(const weir_files_source_t *source) {
    if (!weir__reserves_zero(source) ||
        !weir__knows_flags(source->flags, WEIR_SOURCE_BY_INODE)) {
        return false;
    }
    switch (source->kind) {
    case WEIR_SOURCE_PATH:
    case WEIR_SOURCE_DESCRIPTOR:
        return source->path;
    case WEIR_SOURCE_LIST:
    case WEIR_SOURCE_LIST_FILE:
        return source->path && source->separator >= 0 &&
               source->separator <= UCHAR_MAX;
    case WEIR_SOURCE_ITEMS:
        return source->next;
    }
    return false;
}

int weir_files_run(weir_files_t files, const weir_files_source_t *sources,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!is_valid_source(&sources[i])) {
            return EINVAL;
        }
    }
    if (atomic_exchange(&files->is_claimed, true)) {
        return EBUSY;
    }
    weir__object_retain(&files->object); /* a job may drop the last reference */
    begin(files);
    if (files->options.begun) {
        files->options.begun(files->options.user);
    }
    weir__feed_sources(files, sources, count);
    files_count_time(&files->counts.feeding_time, files->feeding_begun);
    __atomic_store_n(&files->counts.feeding, 0, __ATOMIC_RELEASE);
    weir__batches_await(files);
    weir__device_slots_clear(files);
    weir__links_clear(files->links);
    int reason = end(files);
    atomic_store(&files->is_claimed, false);
    weir_files_release(files);
    return reason;
}

void weir_files_stats(weir_files_t files, weir_files_stats_t *stats,
                      size_t size) {
    weir_files_stats_t all = counts_of(files);
    if (all.feeding) {
        all.feeding_time = weir__nanoseconds() - files->feeding_begun;
    }
    all.lanes_peak = load_relaxed(&files->busy_lanes_peak);
    all.descriptors_peak = load_relaxed(&files->permits_peak);
    weir__readers_show(files, &all);
    weir__copy_stats(stats, size, &all, sizeof all);
}
