/*
 * internal.h: shared by all sources of CWeir and hidden from the library's
 * users: counted objects, the sentence before a trap, labels, time and blocks.
 */
#ifndef WEIR_INTERNAL_H
#define WEIR_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir/base.h>

#define WEIR_HIDDEN __attribute__((__visibility__("hidden")))
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- misuse.c ---------------------------------------------------------- */

/* Says the sentence and traps. `format` is without a full stop or newline. */
WEIR_HIDDEN void weir__misuse(const char *format, ...)
    __attribute__((__noreturn__, __format__(__printf__, 1, 2), __cold__));

/* ---- object.c ---------------------------------------------------------- */

/* The beginning of every counted object: what its users hold. */
struct weir__object {
    _Atomic size_t references;
    uint64_t serial; /* no other object of the process has it */
    char *label;
    const char *kind; /* as a sentence calls it, "the gate" */
};

/* An object of `size` bytes, zeroed, with one reference and a copy of the
   label; NULL with errno ENOMEM. */
WEIR_HIDDEN void *weir__object_create(size_t size, const char *kind,
                                      const char *label);

WEIR_HIDDEN void weir__object_retain(struct weir__object *object);

/* Whether that was the last reference. */
WEIR_HIDDEN bool weir__object_release(struct weir__object *object);

/* Says that an object without references was used, where that can be seen. */
WEIR_HIDDEN void weir__object_check(const struct weir__object *object);

/* Frees an object that nobody holds any more, but not at once: for a while its
   memory stays readable, so that a release too many can be told. What else it
   owns is freed before. */
WEIR_HIDDEN void weir__object_bury(struct weir__object *object);

/* ---- small things ------------------------------------------------------ */

/* A copy of a label, "" for NULL; NULL where memory is short. */
static inline char *weir__label(const char *label) {
    return strdup(label ? label : "");
}

static inline uint64_t weir__nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline bool weir__is_same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Raises *most to value where it is lower. */
static inline void weir__raise_size(_Atomic size_t *most, size_t value) {
    size_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (seen < value && !atomic_compare_exchange_weak_explicit(
                               most, &seen, value, memory_order_relaxed,
                               memory_order_relaxed)) {
    }
}

/* Hands a struct of figures to a caller who may know a shorter or a longer
   version of it: what he knows more is zero. */
static inline void weir__copy_stats(void *out, size_t out_size,
                                    const void *figures, size_t size) {
    memset(out, 0, out_size);
    memcpy(out, figures, out_size < size ? out_size : size);
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
#if __has_include(<Block.h>)
#include <Block.h>
#else
/* The toolchain has the functions, not always the header. */
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
#define Block_copy(block)                                                      \
    ((__typeof__(block))_Block_copy((const void *)(block)))
#define Block_release(block) _Block_release((const void *)(block))
#endif
#endif

#endif /* WEIR_INTERNAL_H */
