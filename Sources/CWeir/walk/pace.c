/*
 * pace.c: measures whether listing a directory waits for its storage.
 *
 * DESIGN. The clock alone would take a busy processor for a slow disk. A thread
 * that waits gives up its processor, and the kernel counts that as a voluntary
 * switch; one that is made to wait for a processor has an involuntary one. The
 * clock needs no system call and the count does, so the count is read only
 * after the clock has made listings suspect; and until then one listing of eight
 * is timed, since a clock costs as much as sorting a few names. Rejected: the thread's CPU time,
 * which is a system call each time too, and misses a busy processor.
 */
#include "walk/pace.h"

#include <sys/resource.h>

/* Slow listings are fast again below this. */
#define FAST_NANOSECONDS ((uint64_t)50000)

/* A sample counts for one of so many. */
#define SHARE 4

static long voluntary_switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

void weir__pace_begin(struct pace_sample *sample, bool is_precise) {
    *sample = (struct pace_sample){.is_precise = is_precise};
    if (is_precise) {
        sample->switches = voluntary_switches();
    }
    sample->begun = weir__nanoseconds();
}

void weir__pace_end(struct pace_sample *sample) {
    sample->time = weir__nanoseconds() - sample->begun;
    if (sample->is_precise && voluntary_switches() != sample->switches) {
        sample->waited = sample->time;
    }
}

static uint64_t mean(uint64_t before, uint64_t value) {
    return before - before / SHARE + value / SHARE;
}

void weir__pace_add(struct pace *pace, const struct pace_sample *sample) {
    pace->time = mean(pace->time, sample->time);
    if (!sample->is_precise && !pace->is_slow) {
        return;
    }
    pace->waited = mean(pace->waited, sample->waited);
    pace->is_slow = pace->waited >
                    (pace->is_slow ? FAST_NANOSECONDS : PACE_SLOW_NANOSECONDS);
}
