/*
 * holder.h: the permits that the job on this thread is known to hold.
 */
#ifndef WEIR_PERMITS_HOLDER_H
#define WEIR_PERMITS_HOLDER_H

#include "base/internal.h"

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

#endif /* WEIR_PERMITS_HOLDER_H */
