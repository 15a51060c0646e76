/* internal.h: attributes, objects, misuse, time and statistics. */
#pragma once

#include "base/compiler.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir/base.h>

#include "base/object.h"

/* Atomic operations that order no other access to memory. */
#define load_relaxed(place) atomic_load_explicit(place, memory_order_relaxed)
#define store_relaxed(place, value)                                            \
    atomic_store_explicit(place, value, memory_order_relaxed)
#define add_relaxed(place, value)                                              \
    atomic_fetch_add_explicit(place, value, memory_order_relaxed)
#define subtract_relaxed(place, value)                                         \
    atomic_fetch_sub_explicit(place, value, memory_order_relaxed)

/* Reports a programmer's error, without a full stop, and traps. */
WEIR_HIDDEN void weir__misuse(const char *format, ...)
    __attribute__((__noreturn__, __format__(__printf__, 1, 2), __cold__));

/* Writes "weir: warning: SENTENCE" to standard error. */
WEIR_HIDDEN void weir__warn(const char *format, ...)
    __attribute__((__format__(__printf__, 1, 2), __cold__));

static inline uint64_t weir__nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t weir__nanoseconds(void) {
    return weir__nanoseconds_of(CLOCK_MONOTONIC);
}

static inline bool weir__is_same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Raises *most to `value` if it is lower. */
static inline void weir__raise_size(_Atomic size_t *most, size_t value) {
    size_t seen = load_relaxed(most);
    while (seen < value && !atomic_compare_exchange_weak_explicit(
                               most, &seen, value, memory_order_relaxed,
                               memory_order_relaxed)) {
    }
}

/* True if the words that a struct of the caller reserves are zero. */
#define weir__reserves_zero(given)                                             \
    (memcmp((given)->reserved, (uintptr_t[8]){0}, sizeof(given)->reserved) == 0)

/* True if no flag above the last one that has a meaning is set. */
static inline bool weir__knows_flags(unsigned flags, unsigned last) {
    return flags < 2 * last;
}

/* Copies statistics to a struct of another size; unknown fields are zero. */
static inline void weir__copy_stats(void *out, size_t out_size,
                                    const void *stats, size_t size) {
    memset(out, 0, out_size);
    memcpy(out, stats, out_size < size ? out_size : size);
}
