/* inspection.h: the objects alive, the threads that wait, and their text. */
#pragma once

#include "base/internal.h"

#include <weir/inspect.h>

#include "system/clocks.h"

/* ---- the objects alive -------------------------------------------------- */

struct weir__inspection;

/* The place of an object in the list of all, a member of the object. */
struct weir__listed {
    struct weir__listed *next;
    struct weir__listed *previous;
    const struct weir__object *object;
    void (*describe)(const struct weir__object *object,
                     struct weir__inspection *inspection);

    /* Of lanes: describes the jobs that took permits, and counts these. */
    size_t (*describe_holders)(const struct weir__object *object,
                               const void *gate,
                               struct weir__inspection *inspection);

    /* Returns a number that changes with progress, or 0 without waits. NULL:
       the object is not watched. */
    uint64_t (*progress)(const struct weir__object *object);
    uint64_t progress_seen; /* by the watch */
    uint64_t quiet_since;   /* since when that has not changed */
};

/* Adds an object. Its functions are called under the list's lock; they may take
   the object's lock, under which nothing is listed or unlisted. */
WEIR_HIDDEN void weir__list(struct weir__listed *place,
                            const struct weir__object *object);

/* Removes an object before it is destroyed. Waits for an inspection of it. */
WEIR_HIDDEN void weir__unlist(struct weir__listed *place);

/* ---- the callers that wait ---------------------------------------------- */

/* The code that waits or holds permits. */
struct weir__caller {
    uint64_t task;    /* its number, or 0 */
    int thread;       /* if there is no task; 0 for a request of C */
    const char *name; /* of the task, or NULL */
    const char *file; /* of the call, or NULL */
    size_t line;
};

#define WEIR_CALLER_TEXT 176

/* Returns `text` with the task, the thread or "a request", and the place. */
WEIR_HIDDEN char *weir__caller_text(const struct weir__caller *caller,
                                    char text[static WEIR_CALLER_TEXT]);

/* A thread that waits for an object, on the stack of that thread; or a task. */
struct weir__blocked {
    struct weir__blocked *next;
    struct weir__blocked *previous;
    const struct weir__object *object;
    const char *reason; /* as in "waits for REASON" */
    struct weir__caller caller;
    uint64_t since;
};

/* Begins a wait of this thread, or of a task. */
WEIR_HIDDEN void weir__blocked_begin(struct weir__blocked *blocked,
                                     const struct weir__object *object,
                                     const char *reason,
                                     const struct weir__caller *task);
WEIR_HIDDEN void weir__blocked_end(struct weir__blocked *blocked);

/* ---- times -------------------------------------------------------------- */

/* True once the program has called weir/inspect.h. */
WEIR_HIDDEN extern _Atomic bool weir__is_inspected;

/* Returns the time that a job begins, or 0 if the program is not inspected. */
static inline uint64_t weir__begin_time(void) {
    return load_relaxed(&weir__is_inspected) ? weir__nanoseconds_coarse() : 0;
}

/* ---- the watch ---------------------------------------------------------- */

/* A look of the watch at all waits. */
struct weir__look {
    uint64_t now;
    uint64_t last;   /* the look before; 0 for none */
    uint64_t length; /* of a wait without progress that is reported */
};

/* Writes the objects with waits that a look shows. Returns 0 or an error. */
WEIR_HIDDEN int weir__inspect_look(const struct weir__look *look,
                                   int descriptor);

/* ---- the text, for the functions of weir__listed ------------------------ */

WEIR_HIDDEN void weir__inspection_print(struct weir__inspection *inspection,
                                        const char *format, ...)
    __attribute__((__format__(__printf__, 2, 3)));

/* Writes `KIND "LABEL"`. */
WEIR_HIDDEN void weir__inspection_name(struct weir__inspection *inspection,
                                       const char *kind, const char *label);

/* Writes some words and the time since then, if that is known. */
WEIR_HIDDEN void weir__inspection_age(struct weir__inspection *inspection,
                                      const char *words, uint64_t since);

/* Ends the line of a job or of work with its thread and its time. */
WEIR_HIDDEN void weir__inspection_running(struct weir__inspection *inspection,
                                          int thread, uint64_t since);

/* Writes a line for a caller that waits, unless a look does not show it. */
WEIR_HIDDEN void weir__inspection_wait(struct weir__inspection *inspection,
                                       const struct weir__caller *caller,
                                       const char *reason, uint64_t since);

/* Counts queued jobs, which the lines show, as a wait since a time, or 0. */
WEIR_HIDDEN void weir__inspection_queued(struct weir__inspection *inspection,
                                         uint64_t since);

/* Writes a line for each thread or task in the second list that waits for an object. */
WEIR_HIDDEN void weir__inspection_blocked(struct weir__inspection *inspection,
                                          const struct weir__object *object);

/* Describes the jobs that took permits of a gate, whose lock is not held. */
WEIR_HIDDEN size_t weir__inspection_holders(struct weir__inspection *inspection,
                                            const void *gate);
