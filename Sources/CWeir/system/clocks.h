/* clocks.h: clocks that are cheap to read, and the stamps of files. */
#pragma once

#include "base/internal.h"
#include "system/maker.h"

/* The times of struct stat have their POSIX names. */
#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

/* A monotonic clock, exact to a few milliseconds. */
#if WEIR_SYSTEM_LINUX
#define WEIR_CLOCK_COARSE CLOCK_MONOTONIC_COARSE
#else
#define WEIR_CLOCK_COARSE CLOCK_MONOTONIC
#endif

/* The clock of dispatch_time, which stands still while the machine sleeps. */
#if WEIR_SYSTEM_DARWIN
#define WEIR_CLOCK_AWAKE CLOCK_UPTIME_RAW
#else
#define WEIR_CLOCK_AWAKE CLOCK_MONOTONIC
#endif

static inline uint64_t weir__nanoseconds_coarse(void) {
    return weir__nanoseconds_of(WEIR_CLOCK_COARSE);
}

#if WEIR_SYSTEM_LINUX

/* Returns a time that no later stamp of a file precedes. */
static inline struct timespec weir__file_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

/* Returns the nanoseconds of one step of that clock. */
static inline long weir__file_clock_step(void) {
    struct timespec step = {.tv_nsec = 0};
    clock_getres(CLOCK_REALTIME_COARSE, &step);
    return step.tv_nsec;
}

#else

/* The steps of the clock of files are unknown: two hundredths of a second. */
#define WEIR_STAMP_STEP 20000000L

static inline struct timespec weir__file_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_nsec -= WEIR_STAMP_STEP;
    if (now.tv_nsec < 0) {
        now.tv_nsec += 1000000000;
        now.tv_sec--;
    }
    return now;
}

static inline long weir__file_clock_step(void) { return WEIR_STAMP_STEP; }

#endif
