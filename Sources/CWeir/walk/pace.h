/* pace.h: measures whether listing a directory waits for its storage. */
#pragma once

#include "base/internal.h"
#include "system/threads.h"

/* Moving means of the last listings, in nanoseconds. Zeroed, it is new. */
struct pace {
    uint64_t time;
    uint64_t waited;
    bool is_slow;
    unsigned listings; /* that were not suspect */
};

/* Listings slower than this are slow; warm local ones take some 10 us. */
#define PACE_SLOW_NANOSECONDS ((uint64_t)250000)

/* Returns true if the next sample must be precise. */
static inline bool pace_is_suspect(const struct pace *pace) {
    return WEIR_UNLIKELY(pace->time > PACE_SLOW_NANOSECONDS || pace->is_slow);
}

/* One listing. */
struct pace_sample {
    uint64_t begun;
    uint64_t time;
    uint64_t waited;
    struct weir__thread_usage before; /* if precise */
    bool is_precise;
};

/* True if the next listing is to be timed: one of eight, or each suspect one. */
static inline bool pace_wants_sample(struct pace *pace) {
    return pace_is_suspect(pace) || pace->listings++ % 8 == 0;
}

/* Times a listing. A precise sample costs two system calls for `waited`. */
WEIR_HIDDEN void weir__pace_begin(struct pace_sample *sample, bool is_precise);
WEIR_HIDDEN void weir__pace_end(struct pace_sample *sample);

/* Adds a sample to the means. */
WEIR_HIDDEN void weir__pace_add(struct pace *pace,
                                const struct pace_sample *sample);
