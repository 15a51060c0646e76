/* pace.h: measures whether listing a directory waits for its storage. */
#pragma once

#include "base/internal.h"

/* Moving means of the last listings, in nanoseconds. Zeroed, it is new. */
struct pace {
    uint64_t time;
    uint64_t waited;
    bool is_slow;
};

/* One listing. */
struct pace_sample {
    uint64_t begun;
    uint64_t time;
    uint64_t waited;
    long switches;
    bool is_precise;
};

/* Begins and ends a sample on the thread that lists. Only a precise sample
   measures `waited`, which costs two system calls. */
WEIR_HIDDEN void weir__pace_begin(struct pace_sample *sample, bool is_precise);
WEIR_HIDDEN void weir__pace_end(struct pace_sample *sample);

/* Adds a sample to the means. */
WEIR_HIDDEN void weir__pace_add(struct pace *pace,
                                const struct pace_sample *sample);

/* Returns true if the next sample must be precise. */
WEIR_HIDDEN bool weir__pace_is_suspect(const struct pace *pace);
