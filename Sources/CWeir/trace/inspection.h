/* inspection.h: the list of the objects alive and of the threads that wait, and
   the state that an inspection copies from them. */
#pragma once

#include "base/internal.h"

#include <weir/inspect.h>

/* ---- the objects alive -------------------------------------------------- */

struct weir__inspection;

/* The place of an object in the list of all, a member of the object. */
struct weir__listed {
    struct weir__listed *next;
    struct weir__listed *previous;
    const struct weir__object *object;
    void (*describe)(const struct weir__object *object,
                     struct weir__inspection *inspection);
};

/* Adds an object to the list. `describe` is called under the list's lock; it
   may take the object's lock, under which no object is listed or unlisted. */
WEIR_HIDDEN void
weir__list(struct weir__listed *place, const struct weir__object *object,
           void (*describe)(const struct weir__object *object,
                            struct weir__inspection *inspection));

/* Removes an object before it is destroyed. Waits for an inspection of it. */
WEIR_HIDDEN void weir__unlist(struct weir__listed *place);

/* ---- the threads that wait ---------------------------------------------- */

/* A thread that waits for an object, on the stack of that thread. */
struct weir__blocked {
    struct weir__blocked *next;
    struct weir__blocked *previous;
    const struct weir__object *object;
    weir_inspect_reason_t reason;
    int thread;
    uint64_t since;
};

WEIR_HIDDEN void weir__blocked_begin(struct weir__blocked *blocked,
                                     const struct weir__object *object,
                                     weir_inspect_reason_t reason);
WEIR_HIDDEN void weir__blocked_end(struct weir__blocked *blocked);

/* ---- times -------------------------------------------------------------- */

/* True once the program has called weir/inspect.h. */
WEIR_HIDDEN extern _Atomic bool weir__is_inspected;

/* Returns the time that a job begins, or 0 if the program is not inspected. */
static inline uint64_t weir__begin_time(void) {
    if (!atomic_load_explicit(&weir__is_inspected, memory_order_relaxed)) {
        return 0;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- what is copied ----------------------------------------------------- */

/* For weir__listed.describe: adds the object, which has a kind and its numbers
   of its own; the label, object and serial are filled in. */
WEIR_HIDDEN void weir__inspection_add(struct weir__inspection *inspection,
                                      const struct weir__object *object,
                                      weir_inspect_object_t seen);

/* Adds a wait for an object that began at `since`. */
WEIR_HIDDEN void weir__inspection_add_wait(struct weir__inspection *inspection,
                                           const void *object,
                                           weir_inspect_wait_t wait,
                                           uint64_t since);

/* Adds a running job that began at `since`, or at 0 if that is not known; before
   the lanes, whose job_count counts it. */
WEIR_HIDDEN void weir__inspection_add_job(struct weir__inspection *inspection,
                                          weir_inspect_job_t job,
                                          uint64_t since);

/* Adds a holder of permits of a gate; `lanes` may be NULL. */
WEIR_HIDDEN void
weir__inspection_add_holder(struct weir__inspection *inspection,
                            const void *gate, const struct weir__object *lanes,
                            weir_inspect_holder_t holder, uint64_t since);

/* Returns the time from `since` to the inspection; 0 for 0. */
WEIR_HIDDEN uint64_t
weir__inspection_age(const struct weir__inspection *inspection, uint64_t since);
