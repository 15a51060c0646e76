/*
 * pace.c: measures whether listing a directory waits for its storage.
 *
 * DESIGN. The clock alone would take a busy processor for a slow disk. A thread
 * that waits gives up its processor, and the kernel counts that as a voluntary
 * switch. A listing with one has waited as long as it was not running. The
 * clock needs no system call and these counts do, so they are read only after
 * the clock has made listings suspect; and until then one listing of eight is
 * timed.
 */
#include "walk/pace.h"

/* Slow listings are fast again below this. */
#define FAST_NANOSECONDS ((uint64_t)50000)

/* A sample counts for one of so many. */
#define SHARE 4

void weir__pace_begin(struct pace_sample *sample, bool is_precise) {
    *sample = (struct pace_sample){.is_precise = is_precise};
    if (is_precise) {
        sample->before = weir__thread_usage();
    }
    sample->begun = weir__nanoseconds();
}

void weir__pace_end(struct pace_sample *sample) {
    sample->time = weir__nanoseconds() - sample->begun;
    if (!sample->is_precise) {
        return;
    }
    struct weir__thread_usage now = weir__thread_usage();
    uint64_t ran = now.ran - sample->before.ran;
    if (now.waits != sample->before.waits && sample->time > ran) {
        sample->waited = sample->time - ran;
    }
}

static uint64_t mean(uint64_t before, uint64_t value) {
    return before - before / SHARE + value / SHARE;
}

void weir__pace_add(struct pace *pace, const struct pace_sample *sample) {
    pace->time = mean(pace->time, sample->time);
    if (!sample->is_precise) {
        return;
    }
    pace->waited = mean(pace->waited, sample->waited);
    pace->is_slow = pace->waited >
                    (pace->is_slow ? FAST_NANOSECONDS : PACE_SLOW_NANOSECONDS);
}
