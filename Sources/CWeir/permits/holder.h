/* holder.h: the permits that the job on this thread is known to hold. */
#pragma once

#include "base/internal.h"

#include <weir/gate.h>

#define WEIR_HELD_MAX ((size_t)4)

/* Permits of a gate, which only the job's thread changes. */
struct weir__held {
    _Atomic(const void *) gate;
    _Atomic size_t count;
};

/* A job that runs on this thread, and the permits that it is known to hold. */
struct weir__holder {
    struct weir__holder *below;
    bool is_adopted;          /* `below` belongs to another thread */
    const void *lanes;        /* that run the job, or NULL */
    _Atomic size_t *at_gates; /* counts the jobs that wait for permits */
    struct weir__held held[WEIR_HELD_MAX]; /* taken by the job itself; further
                                              gates are not recorded */
};

/* The innermost job on this thread, or NULL. */
WEIR_HIDDEN extern _Thread_local struct weir__holder *weir__top_holder;

/* True once a thread of the process ran a job. */
WEIR_HIDDEN extern _Atomic bool weir__had_holders;

/* True if a job runs on this thread. A call instead of a variable, which a
   program without jobs need not find. */
static inline bool weir__holder_exists(void) {
    return WEIR_UNLIKELY(load_relaxed(&weir__had_holders)) &&
           weir__top_holder != NULL;
}

WEIR_HIDDEN void weir__holder_push(struct weir__holder *holder,
                                   const void *lanes, _Atomic size_t *at_gates);
WEIR_HIDDEN void weir__holder_pop(struct weir__holder *holder);

/* Makes this thread work for a job of another thread, as a loop's worker does.
   Returns true if the caller must pop the holder later. */
WEIR_HIDDEN bool weir__holder_adopt(struct weir__holder *holder,
                                    struct weir__holder *jobs);

/* Returns true if this thread runs a job of these lanes or works for one. */
WEIR_HIDDEN bool weir__holder_is_of(const void *lanes);

/* Adds or removes permits of the job on this thread, if one runs. */
WEIR_HIDDEN void weir__holder_add(const void *gate, size_t count);
WEIR_HIDDEN void weir__holder_remove(const void *gate, size_t count);

/* Returns the permits that the jobs on this thread hold, as far as known. */
WEIR_HIDDEN size_t weir__holder_holds(const void *gate);

/* Returns the permits that the scopes on this thread hold until they end. */
WEIR_HIDDEN size_t weir__scopes_keep(weir_gate_t gate);

/* Forgets the permits of the jobs on this thread, when one submits work. */
WEIR_HIDDEN void weir__holder_clear(void);
