/* run.c: the runs of a file processor, and their statistics. */
#include "files/batch/device_slots.h"
#include "files/batch/submission.h"
#include "files/feed/feeder.h"
#include "files/file/links.h"
#include "files/readers/readers.h"

#include <limits.h>

static void begin(weir_files_t files) {
    files->run++;
    files->is_closed = false;
    for (size_t i = 0; i < COUNTERS; i++) {
        files->counters[i] = 0;
    }
    files->counters[COUNTER_FEEDING] = 1;
    files->counters[COUNTER_FEEDING_BEGUN] = weir__nanoseconds();
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
    files_count_time(files, COUNTER_FEEDING_TIME,
                     files_counted(files, COUNTER_FEEDING_BEGUN));
    atomic_store(&files->counters[COUNTER_FEEDING], 0);
    weir__batches_await(files);
    weir__device_slots_clear(files);
    weir__links_clear(files->links);
    int reason = end(files);
    atomic_store(&files->is_claimed, false);
    weir_files_release(files);
    return reason;
}

static uint64_t feeding_time(weir_files_t files) {
    return files_counted(files, COUNTER_FEEDING)
               ? weir__nanoseconds() -
                     files_counted(files, COUNTER_FEEDING_BEGUN)
               : files_counted(files, COUNTER_FEEDING_TIME);
}

void weir_files_stats(weir_files_t files, weir_files_stats_t *stats,
                      size_t size) {
    weir_files_stats_t all = {
        .files = files_counted(files, COUNTER_FILES),
        .bytes = files_counted(files, COUNTER_BYTES),
        .failed = files_counted(files, COUNTER_FAILED),
        .special = files_counted(files, COUNTER_SPECIAL),
        .special_named = files_counted(files, COUNTER_SPECIAL_NAMED),
        .links = files_counted(files, COUNTER_LINKS),
        .excluded = files_counted(files, COUNTER_EXCLUDED),
        .directories = files_counted(files, COUNTER_DIRECTORIES),
        .lanes_peak = load_relaxed(&files->busy_lanes_peak),
        .descriptors_peak = load_relaxed(&files->permits_peak),
        .filtered = files_counted(files, COUNTER_FILTERED),
        .found = files_counted(files, COUNTER_FOUND),
        .feeding = files_counted(files, COUNTER_FEEDING),
        .changed = files_counted(files, COUNTER_CHANGED),
        .linked = files_counted(files, COUNTER_LINKED),
        .opened = files_counted(files, COUNTER_OPENED),
        .bytes_expected = files_counted(files, COUNTER_BYTES_EXPECTED),
        .unread = files_counted(files, COUNTER_UNREAD),
        .waited_permits = files_counted(files, COUNTER_WAITED_PERMITS),
        .waited_readers = files_counted(files, COUNTER_WAITED_READERS),
        .waited_lanes = files_counted(files, COUNTER_WAITED_LANES),
        .waited_delivery = files_counted(files, COUNTER_WAITED_DELIVERY),
        .feeding_time = feeding_time(files),
        .listed_ahead = files_counted(files, COUNTER_LISTED_AHEAD),
    };
    weir__readers_show(files, &all);
    weir__copy_stats(stats, size, &all, sizeof all);
}
