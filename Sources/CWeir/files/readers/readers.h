/* readers.h: the number of lanes of a run that reads, and its measurement. */
#pragma once

#include "files/processor/processor.h"
#include "files/readers/plan.h"

/* Lets `least` to `most` lanes follow the storage. False without memory. */
WEIR_HIDDEN bool weir__readers_create(weir_files_t files, size_t least,
                                      size_t most);
WEIR_HIDDEN void weir__readers_destroy(weir_files_t files);

/* Begins a run: with the least number. */
WEIR_HIDDEN void weir__readers_begin(weir_files_t files);

/* Writes the statistics of the readers. */
WEIR_HIDDEN void weir__readers_show(weir_files_t files,
                                    weir_files_stats_t *stats);

/* Measures and decides; for weir__readers_check. */
WEIR_HIDDEN void weir__readers_decide(weir_files_t files, uint64_t now);

/* Forgets the present interval, in which the run was paused. */
WEIR_HIDDEN void weir__readers_restart(weir_files_t files);

struct readers {
    _Atomic uint64_t due; /* the time of the next decision */
    pthread_mutex_t lock; /* of all that follows */
    struct readers_plan plan;
    struct readers_interval last; /* totals at the end of the last interval */
    /* For statistics, which wait for no lane to be made. */
    _Atomic size_t allowed; /* readers at present */
    _Atomic size_t peak;    /* the most readers of this run */
    _Atomic int reason;     /* enum readers_reason */
};

/* Called by a lane before each file: may change the number of lanes. */
static inline void weir__readers_check(weir_files_t files, uint64_t now) {
    struct readers *readers = files->readers;
    if (readers && now >= load_relaxed(&readers->due)) {
        weir__readers_decide(files, now);
    }
}

/* Returns the number of lanes that may read at present. */
static inline size_t weir__readers_allowed(weir_files_t files) {
    const struct readers *readers = files->readers;
    return readers ? load_relaxed(&readers->allowed) : files->width;
}
