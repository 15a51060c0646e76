/*
 * lanes_state.h: the state of lanes, and the calls that the file processor
 * uses. From the bottom to the top: lanes.c makes and frees lanes; lanes_fifo.c
 * has the rings of jobs; lanes_waiters.c queues submits that wait for room;
 * lanes_drain.c wakes lanes, which run the jobs, and lanes_threads.c counts
 * their threads; lanes_jobs.c and lanes_requests.c accept jobs; lanes_width.c
 * changes the number of lanes.
 */
#pragma once

#include "base/internal.h"
#include "permits/holder.h"
#include "permits/waiters.h"
#include "trace/inspection.h"

#include <pthread.h>

#include <weir/lanes.h>

/* What inspections show as the reasons of waits. */
#define WEIR_FOR_ROOM "room in the backlog"
#define WEIR_FOR_END "the end"

struct weir__lane_job {
    void (*work)(void *context, void *lane_context);
    void (*dropped)(void *context);
    void *context;
    uint64_t number;
};

/* The jobs that wait for a lane, in a ring: at [first, first + used) modulo
   capacity, a power of two. A withdrawn job leaves a place without work, but
   never the first one. */
struct weir__lane_fifo {
    struct weir__lane_job *jobs;
    size_t capacity;
    size_t first;
    size_t used;
    size_t count; /* of jobs */
};

/* A submit that waits for room. */
struct weir__room_waiter {
    struct weir__waiter waiter;
    struct weir__lane_job job;
};

struct weir__lane {
    weir_lanes_t lanes;
    dispatch_queue_t queue; /* NULL for WEIR_LANES_INLINE */
    void *context;
    void (*destroy)(void *context);
    size_t number;
    struct weir__lane *next_idle;

    /* Of the running job, under the lock of the lanes. */
    uint64_t job;   /* its number, or 0 */
    uint64_t since; /* its begin, 0 if it is not known */
    int thread;
    struct weir__holder holder;
};

struct weir_lanes_s {
    struct weir__object object;
    struct weir__listed listed;
    _Atomic size_t holds;    /* one of all users, one of each draining lane */
    _Atomic size_t at_gates; /* jobs that wait for permits */
    void (*dropped)(void *context);
    void *(*lane_create)(void *user, size_t lane);
    void (*lane_destroy)(void *lane_context);
    void *user;
    dispatch_qos_class_t qos;
    size_t width_max; /* the most lanes there may ever be */
    size_t backlog;   /* SIZE_MAX for no bound, or WEIR_LANES_NO_BACKLOG */
    bool on_caller;   /* WEIR_LANES_INLINE */
    dispatch_group_t unfinished;
    struct weir__lane **lanes;

    pthread_mutex_t lock; /* of all members below */
    size_t made;          /* lanes; they may be more than run at once */
    struct weir__lane_fifo fifo;
    struct weir__lane_fifo required; /* outside the backlog, never dropped */
    struct weir__lane *idle;
    bool is_visited;               /* weir_lanes_each: no job may start */
    struct weir__waiters for_room; /* submits, of threads and requests */
    struct weir__waiters for_idle; /* requests */
    struct weir__decided decided;  /* requests; weir__lanes_unlock delivers */
    size_t dropping;               /* jobs that a cancel is dropping */
    uint64_t stalled; /* since when jobs are queued and none began; 0 if that
                         is not known */
    size_t popped;    /* jobs taken since a submit was last served */
    weir_lanes_stats_t stats; /* its width, the jobs that may run at once, its
                                 suspended and its closed are authoritative */
};

static inline const char *weir__lanes_label(weir_lanes_t lanes) {
    return lanes->object.label;
}

/* Reports a use after the last release. A running job is a hold, too. */
static inline void weir__lanes_check(weir_lanes_t lanes) {
    if (WEIR_UNLIKELY(load_relaxed(&lanes->holds) == 0)) {
        weir__object_check(&lanes->object);
    }
}

static inline size_t weir__lanes_queued(weir_lanes_t lanes) {
    return lanes->fifo.count + lanes->required.count;
}

static inline bool weir__lanes_can_start(weir_lanes_t lanes) {
    return weir__lanes_queued(lanes) > 0 && lanes->stats.suspended == 0 &&
           !lanes->is_visited && lanes->stats.running < lanes->stats.width;
}

/* Makes the lane of a number, with queue and context, or returns NULL. */
WEIR_HIDDEN struct weir__lane *weir__lanes_make_lane(weir_lanes_t lanes,
                                                     size_t number);

/* Frees a lane whose context was not made. */
WEIR_HIDDEN void weir__lanes_discard_lane(struct weir__lane *lane);

/* Drops a hold. The last one frees the lanes. */
WEIR_HIDDEN void weir__lanes_drop_hold(weir_lanes_t lanes);

/* Waits for the dispatch group of an object. Returns 0 or ETIMEDOUT. */
WEIR_HIDDEN int weir__lanes_wait_for_group(const struct weir__object *object,
                                           dispatch_group_t group,
                                           dispatch_time_t timeout);

/* ---- lanes_fifo.c: under the lock -------------------------------------- */

/* Accepts a job into a FIFO and sets its number. Returns 0 or ENOMEM. */
WEIR_HIDDEN int weir__lanes_put(weir_lanes_t lanes, struct weir__lane_job *job,
                                struct weir__lane_fifo *fifo);

/* The first job; there is one. */
WEIR_HIDDEN const struct weir__lane_job *
weir__lane_fifo_first(const struct weir__lane_fifo *fifo);
WEIR_HIDDEN struct weir__lane_job
weir__lane_fifo_pop(struct weir__lane_fifo *fifo);

/* Takes a job out of a FIFO. Returns false if it is not there. */
WEIR_HIDDEN bool weir__lane_fifo_withdraw(struct weir__lane_fifo *fifo,
                                          const struct weir__lane_job *job);

/* ---- lanes_waiters.c: under the lock ----------------------------------- */

/* Returns true if a submit need not wait. */
WEIR_HIDDEN bool weir__lanes_have_room(weir_lanes_t lanes);

/* Adds the submit of a waiter to the end of the queue. */
WEIR_HIDDEN void weir__lanes_enqueue(weir_lanes_t lanes,
                                     struct weir__waiter *waiter);

/* Accepts the jobs of waiting submits, in order, as long as there is room.
   Returns their number, for which the caller wakes lanes. */
WEIR_HIDDEN size_t weir__lanes_serve(weir_lanes_t lanes);

/* Refuses all waiting submits of closed lanes. */
WEIR_HIDDEN void weir__lanes_refuse(weir_lanes_t lanes);

/* Decides the requests for an idle moment if this is one. */
WEIR_HIDDEN void weir__lanes_report_idle(weir_lanes_t lanes);

/* Waits at the end of the queue. Returns 0, ECANCELED or ENOMEM. */
WEIR_HIDDEN int weir__lanes_wait_for_room_and_unlock(weir_lanes_t lanes,
                                                     struct weir__lane_job job);

/* Removes the decided requests, for weir__deliver without the lock. */
static inline struct weir__decided
weir__lanes_take_decided(weir_lanes_t lanes) {
    struct weir__decided decided = lanes->decided;
    lanes->decided.first = NULL;
    lanes->decided.end = &lanes->decided.first;
    return decided;
}

/* Releases the lock, and delivers the decided requests. */
static inline void weir__lanes_unlock(weir_lanes_t lanes) {
    struct weir__decided decided = weir__lanes_take_decided(lanes);
    pthread_mutex_unlock(&lanes->lock);
    if (WEIR_UNLIKELY(decided.first != NULL)) {
        weir__deliver(&decided);
    }
}

/* ---- lanes_drain.c ----------------------------------------------------- */

/* Wakes a lane if a job can start. Releases the lock, which is held. */
WEIR_HIDDEN void weir__lanes_wake_and_unlock(weir_lanes_t lanes);

/* Serves waiting submits, and wakes lanes. Releases the lock, which is held. */
WEIR_HIDDEN void weir__lanes_wake_all_and_unlock(weir_lanes_t lanes);

/* The block on a lane's queue: runs jobs until none may start. */
WEIR_HIDDEN void weir__lane_drain(void *lane);

/* ---- lanes_threads.c ---------------------------------------------------- */

/* WEIR_LANES_THREADS_MAX, but for tests. */
WEIR_HIDDEN extern size_t weir__lanes_threads_max;

/* Starts a woken lane, as soon as the process may have a further thread. */
WEIR_HIDDEN void weir__lane_start(struct weir__lane *lane);

/* Returns the class of the threads of these lanes. */
WEIR_HIDDEN size_t weir__lanes_class(weir_lanes_t lanes);

/* Called at the end of a drain; the lanes may be gone. */
WEIR_HIDDEN void weir__lane_stop(size_t class);

/* Returns the number of threads that the lanes of the same class hold. */
WEIR_HIDDEN size_t weir__lanes_threads(weir_lanes_t lanes);

/* ---- lanes_jobs.c ------------------------------------------------------ */

/* Drops jobs out of the FIFO. Releases the lock, which is held. */
WEIR_HIDDEN void weir__lanes_drop_and_unlock(weir_lanes_t lanes,
                                             struct weir__lane_fifo dropped);

/* ---- for the file processor -------------------------------------------- */

/* Makes lanes whose width can change, up to `most`. NULL with errno. */
WEIR_HIDDEN weir_lanes_t
weir__lanes_create_variable(const weir_lanes_options_t *options, size_t most);

/* ---- lanes_width.c ----------------------------------------------------- */

/* Lets `width` jobs run at once, from 1 up to width_max, and makes the lanes
   that are missing. Returns the new width, which is less if memory or a context
   is missing. One thread at a time may call this. */
WEIR_HIDDEN size_t weir__lanes_set_width(weir_lanes_t lanes, size_t width);
