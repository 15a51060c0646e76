/*
 * internal.h: what the sources of CWeir share and nobody else sees: counted
 * references, the sentence before the trap, the recording points, labels, time
 * and blocks. Everything here is hidden from the linker's users, or static.
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
#include <weir/trace.h>

#define WEIR_HIDDEN __attribute__((__visibility__("hidden")))
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- misuse.c ---------------------------------------------------------- */

/* Says the sentence and traps. `format` is without a full stop or newline. */
WEIR_HIDDEN void weir__misuse(const char *format, ...)
    __attribute__((__noreturn__, __format__(__printf__, 1, 2), __cold__));

/* ---- trace.c ----------------------------------------------------------- */

WEIR_HIDDEN extern _Atomic(const weir_trace_observer_t *) weir__observer;

WEIR_HIDDEN void weir__tell(weir_trace_kind_t kind, const void *object,
                            const char *label, uint64_t job, size_t lane,
                            size_t count) __attribute__((__cold__));

/* A recording point: one load and one branch while nobody observes. */
static inline void weir__trace(weir_trace_kind_t kind, const void *object,
                               const char *label, uint64_t job, size_t lane,
                               size_t count) {
    if (WEIR_UNLIKELY(atomic_load_explicit(&weir__observer,
                                           memory_order_acquire) != NULL)) {
        weir__tell(kind, object, label, job, lane, count);
    }
}

/* ---- queue.c ----------------------------------------------------------- */

/* Whether the caller runs on this queue, one that weir_queue_create made
   serial. */
WEIR_HIDDEN bool weir__on_serial_queue(dispatch_queue_t queue);

/* ---- cores.c ----------------------------------------------------------- */

/* How many cores the process may use, by affinity and quota. */
WEIR_HIDDEN size_t weir__cores(void);

/* ---- references -------------------------------------------------------- */

static inline void weir__retain(_Atomic size_t *references, const char *kind,
                                const char *label) {
    if (WEIR_UNLIKELY(atomic_fetch_add_explicit(references, 1,
                                                memory_order_relaxed) == 0)) {
        weir__misuse("%s \"%s\" was retained after its last release; keep a "
                     "reference for as long as it is used",
                     kind, label);
    }
}

/* Whether that was the last one. */
static inline bool weir__release(_Atomic size_t *references, const char *kind,
                                 const char *label) {
    size_t before =
        atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel);
    if (WEIR_UNLIKELY(before == 0)) {
        weir__misuse("%s \"%s\" was released more often than it was created "
                     "and retained",
                     kind, label);
    }
    return before == 1;
}

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
static inline void weir__copy_figures(void *out, size_t out_size,
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
