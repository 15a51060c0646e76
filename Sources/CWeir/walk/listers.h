/* listers.h: the directories of a look-ahead, and the threads that list them. */
#pragma once

#include "walk/ahead.h"

#include <pthread.h>

enum plan_state {
    PLAN_WAITING,
    PLAN_IN_PROGRESS,
    PLAN_LISTED,
    PLAN_FAILED,    /* the walk lists the directory itself */
    PLAN_ABANDONED, /* in progress, and out of the list */
};

/* A directory that the walk will enter, in the list of a look-ahead. */
struct plan {
    struct plan *previous;
    struct plan *next;
    enum plan_state state;
    size_t depth;
    size_t index; /* among the names of its parent */
    struct listing listing;
    struct pace_sample sample;
    size_t path_length;
    char path[]; /* ends in NUL */
};

/* A serial queue that lists one directory after the other. */
struct lister {
    struct weir__ahead *ahead;
    struct lister *next_idle;
    dispatch_queue_t queue;
    char *buffer; /* of WEIR_DIRECTORY_BUFFER bytes, or NULL */
};

struct weir__ahead {
    _Atomic size_t holds; /* one of the walk, one of each lister at work */
    struct ahead_limits limits;
    struct walk_rules rules;
    weir_gate_t gate; /* besides that of the descriptor budget; or NULL */
    struct lister *listers;
    struct bytes path; /* of the walk's thread */

    pthread_mutex_t lock; /* of all members below */
    pthread_cond_t finished;
    struct plan *first; /* in the order of the walk */
    struct plan *last;
    size_t waiting;     /* plans */
    size_t in_progress; /* plans, abandoned ones included */
    size_t bytes;       /* of all plans and their listings */
    size_t events;      /* listings that ended, and listers without work */
    size_t starting;    /* listers that were woken and do not run yet */
    struct lister *idle;
};

/* Creates a look-ahead with one hold and idle listers, or NULL. */
WEIR_HIDDEN struct weir__ahead *
weir__listers_create(const struct walk_rules *rules,
                     const struct ahead_limits *limits, weir_gate_t gate);

/* Drops a hold. The last one frees the look-ahead, which has no plan then. */
WEIR_HIDDEN void weir__listers_drop_hold(struct weir__ahead *ahead);

/* Wakes listers for the plans. Releases the lock, which is held. */
WEIR_HIDDEN void weir__listers_wake_and_unlock(struct weir__ahead *ahead);

/* Removes a plan, which is freed if no lister has it. Under the lock. */
WEIR_HIDDEN void weir__plan_remove(struct weir__ahead *ahead,
                                   struct plan *plan);

/* Returns the bytes that a plan and its listing have. */
static inline size_t plan_size(const struct plan *plan) {
    return sizeof *plan + plan->path_length + 1 + listing_size(&plan->listing);
}

/* Returns true if there is room for one more listing in progress. */
static inline bool ahead_has_room(const struct weir__ahead *ahead) {
    return ahead->bytes +
               (ahead->in_progress + 1) * ahead->limits.listing_bytes <=
           ahead->limits.bytes;
}
