/* condition.h: conditions with a time limit by the monotonic clock. */
#pragma once

#include "base/internal.h"
#include "system/maker.h"

#include <pthread.h>

/* Waits at most `nanoseconds`. Returns false if the time was over. */
static inline bool weir__condition_wait(pthread_cond_t *condition,
                                        pthread_mutex_t *lock,
                                        uint64_t nanoseconds) {
    const struct timespec length = {
        .tv_sec = (time_t)(nanoseconds / 1000000000),
        .tv_nsec = (long)(nanoseconds % 1000000000)};
#if WEIR_SYSTEM_DARWIN
    return pthread_cond_timedwait_relative_np(condition, lock, &length) == 0;
#else
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += length.tv_sec;
    until.tv_nsec += length.tv_nsec;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_cond_timedwait(condition, lock, &until) == 0;
#endif
}

static inline void weir__condition_create(pthread_cond_t *condition) {
#if WEIR_SYSTEM_DARWIN
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
}
