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

/* How many there are: the program's own, a recorder. */
WEIR_HIDDEN extern _Atomic size_t weir__observers;

/* `object` is NULL or begins with a struct weir__object. */
WEIR_HIDDEN void weir__tell(weir_trace_kind_t kind, const void *object,
                            const char *label, uint64_t job, size_t lane,
                            size_t count) __attribute__((__cold__));

/* A recording point: one load and one branch while nobody observes. */
static inline void weir__trace(weir_trace_kind_t kind, const void *object,
                               const char *label, uint64_t job, size_t lane,
                               size_t count) {
    if (WEIR_UNLIKELY(atomic_load_explicit(&weir__observers,
                                           memory_order_relaxed) != 0)) {
        weir__tell(kind, object, label, job, lane, count);
    }
}

/* ---- queue.c ----------------------------------------------------------- */

/* Whether the caller runs on this queue, one that weir_queue_create made
   serial, or on one that targets it. */
WEIR_HIDDEN bool weir__on_serial_queue(dispatch_queue_t queue);

/* ---- cores.c ----------------------------------------------------------- */

/* How many cores the process may use, by affinity and quota. */
WEIR_HIDDEN size_t weir__cores(void);

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

/* ---- holder.c ---------------------------------------------------------- */

#define WEIR_HELD_MAX ((size_t)4)

/* A job that runs on this thread, and the permits that it is known to hold. */
struct weir__holder {
    struct weir__holder *below;
    bool is_of_other;         /* what is below belongs to another thread */
    const void *lanes;        /* whose job it is, or NULL */
    _Atomic size_t *at_gates; /* counts the jobs that wait for permits */
    struct {
        const void *gate;
        size_t count;
    } held[WEIR_HELD_MAX]; /* what finds no room here is not known */
};

WEIR_HIDDEN extern _Thread_local struct weir__holder *weir__top_holder;

WEIR_HIDDEN void weir__holder_push(struct weir__holder *holder,
                                   const void *lanes, _Atomic size_t *at_gates);
WEIR_HIDDEN void weir__holder_pop(struct weir__holder *holder);

/* On a thread that works for a job on another one, as a loop's worker does:
   what the job must not do, it must not do either. Returns whether there is
   anything to be popped. */
WEIR_HIDDEN bool weir__holder_adopt(struct weir__holder *holder,
                                    struct weir__holder *jobs);

/* Whether this thread runs a job of these lanes, or works for one. */
WEIR_HIDDEN bool weir__holder_is_of(const void *lanes);

/* The job on this thread, if there is one, took permits or gave some back. */
WEIR_HIDDEN void weir__holder_took(const void *gate, size_t count);
WEIR_HIDDEN void weir__holder_gave(const void *gate, size_t count);

/* How many permits the jobs on this thread hold. */
WEIR_HIDDEN size_t weir__holder_holds(const void *gate);

/* What it submits may carry its permits off, and give them back elsewhere. */
WEIR_HIDDEN void weir__holder_forget(void);

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
