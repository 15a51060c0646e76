/*
 * lanes_drain.c: wakes lanes, which then run the jobs of the FIFO. lanes.c has
 * the note on the design.
 *
 * DESIGN. If the system has no thread for a lane while others are at work, the
 * job is left to those. But they may wait for that very job, so the search for
 * a thread goes on: the submitting thread tries again for up to a second, once
 * for each shortage; after that each submit, and once a second each thread that
 * waits for the lanes, for room in their backlog, or for a group. libdispatch
 * would block the submitting thread until there is a thread, which is forever
 * if the lanes at work wait for that thread. A thread of our own that tries
 * again was rejected: a shortage comes before it could be created, and a timer
 * of libdispatch needs a thread, too.
 */
#include "queues/lanes_internal.h"
#include "system/threads.h"
#include "trace/point.h"

/* ---- draining ---------------------------------------------------------- */

/* Returns the FIFO whose first job starts next. At least one FIFO has a job. */
static struct weir__lane_fifo *next_fifo(weir_lanes_t lanes) {
    if (lanes->required.count == 0 || lanes->fifo.count == 0) {
        return lanes->required.count ? &lanes->required : &lanes->fifo;
    }
    return weir__lane_fifo_first(&lanes->required)->number <
                   weir__lane_fifo_first(&lanes->fifo)->number
               ? &lanes->required
               : &lanes->fifo;
}

/* Wakes sleeping producers after a job was taken, if lanes have taken half of
   the backlog. */
static void wake_producers_locked(weir_lanes_t lanes) {
    lanes->popped++;
    size_t half = lanes->backlog / 2;
    if (lanes->producers &&
        (lanes->popped >= half || lanes->fifo.count <= half)) {
        lanes->popped = 0;
        pthread_cond_broadcast(&lanes->room);
    }
}

/* Removes and returns the next job; there is one. */
static struct weir__lane_job pop_next(weir_lanes_t lanes) {
    struct weir__lane_fifo *fifo = next_fifo(lanes);
    struct weir__lane_job job = weir__lane_fifo_pop(fifo);
    if (fifo == &lanes->fifo && !weir__lanes_have_no_backlog(lanes)) {
        wake_producers_locked(lanes);
    }
    return job;
}

static void run_lane_job(weir_lanes_t lanes, struct weir__lane *lane,
                         struct weir__lane_job *job) {
    weir__trace(WEIR_TRACE_START, lanes, weir__lanes_label(lanes), job->number,
                lane->number, 1);
    job->work(job->context, lane->context);
    weir__trace(WEIR_TRACE_END, lanes, weir__lanes_label(lanes), job->number,
                lane->number, 1);
}

/* Records for an inspection that a job begins. */
static void begin_job_locked(weir_lanes_t lanes, struct weir__lane *lane,
                             uint64_t number) {
    lane->job = number;
    lane->since = lanes->stalled = weir__begin_time();
    weir__holder_push(&lane->holder, lanes, &lanes->at_gates);
}

static void end_job_locked(struct weir__lane *lane) {
    weir__holder_pop(&lane->holder);
    lane->job = 0;
}

/* Runs the jobs of the FIFO until none may start. The lock is held on entry and
   on return. */
static void drain_locked(weir_lanes_t lanes, struct weir__lane *lane) {
    lane->thread = weir__thread_number();
    while (weir__lanes_can_start(lanes)) {
        struct weir__lane_job job = pop_next(lanes);
        lanes->stats.running++;
        if (lanes->stats.running > lanes->stats.peak) {
            lanes->stats.peak = lanes->stats.running;
        }
        begin_job_locked(lanes, lane, job.number);
        pthread_mutex_unlock(&lanes->lock);

        run_lane_job(lanes, lane, &job);
        pthread_mutex_lock(&lanes->lock);
        end_job_locked(lane);
        lanes->stats.running--;
        lanes->stats.finished++;
        if (lanes->producers && weir__lanes_have_no_backlog(lanes)) {
            pthread_cond_broadcast(&lanes->room);
        }
        dispatch_group_leave(lanes->unfinished);
    }
}

static void go_idle(weir_lanes_t lanes, struct weir__lane *lane) {
    lane->next_idle = lanes->idle;
    lanes->idle = lane;
}

/* The block on a lane's queue. */
static void drain(void *context) {
    struct weir__lane *lane = context;
    weir_lanes_t lanes = lane->lanes;
    weir__threads_begin();
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.starting--;
    drain_locked(lanes, lane);
    go_idle(lanes, lane);
    pthread_mutex_unlock(&lanes->lock);
    /* The end of the lanes asks for threads, and this one is not free yet. */
    weir__lanes_drop_hold(lanes);
    weir__threads_end();
}

/* ---- a shortage of threads ---------------------------------------------- */

static pthread_mutex_t starved_lock = PTHREAD_MUTEX_INITIALIZER;
static weir_lanes_t starved; /* lanes that lack a thread */
static size_t starved_count;

/* Called with the lanes locked. */
static void note_shortage(weir_lanes_t lanes) {
    lanes->lacks_thread = true;
    pthread_mutex_lock(&starved_lock);
    if (!lanes->is_starved) {
        lanes->is_starved = true;
        lanes->next_starved = starved;
        starved = lanes;
        starved_count++;
    }
    pthread_mutex_unlock(&starved_lock);
}

static void remove_starved_locked(weir_lanes_t lanes) {
    weir_lanes_t *place = &starved;
    while (*place != lanes) {
        place = &(*place)->next_starved;
    }
    *place = lanes->next_starved;
    lanes->is_starved = false;
    starved_count--;
}

void weir__lanes_forget(weir_lanes_t lanes) {
    pthread_mutex_lock(&starved_lock);
    if (lanes->is_starved) {
        remove_starved_locked(lanes);
    }
    pthread_mutex_unlock(&starved_lock);
}

/* Adds a hold unless the last one is gone. */
static bool hold(weir_lanes_t lanes) {
    size_t holds = atomic_load_explicit(&lanes->holds, memory_order_relaxed);
    while (holds > 0 && !atomic_compare_exchange_weak_explicit(
                            &lanes->holds, &holds, holds + 1,
                            memory_order_relaxed, memory_order_relaxed)) {
    }
    return holds > 0;
}

/* Removes the lanes that have lacked a thread for longest from the list, with a
   hold. Returns NULL if they are ending, or if there are none. */
static weir_lanes_t take_starved(void) {
    pthread_mutex_lock(&starved_lock);
    weir_lanes_t lanes = starved;
    while (lanes && lanes->next_starved) {
        lanes = lanes->next_starved;
    }
    if (lanes) {
        remove_starved_locked(lanes);
        lanes = hold(lanes) ? lanes : NULL;
    }
    pthread_mutex_unlock(&starved_lock);
    return lanes;
}

static size_t count_starved(void) {
    pthread_mutex_lock(&starved_lock);
    size_t count = starved_count;
    pthread_mutex_unlock(&starved_lock);
    return count;
}

void weir__lanes_retry(void) {
    for (size_t count = count_starved(); count > 0; count--) {
        weir_lanes_t lanes = take_starved();
        if (lanes) {
            pthread_mutex_lock(&lanes->lock);
            weir__lanes_wake_all_and_unlock(lanes, false);
            weir__lanes_drop_hold(lanes);
        }
    }
}

/* Waits for a group that was not empty. */
static int wait_for_group(dispatch_group_t group, dispatch_time_t timeout) {
    const int64_t round = 1000000000;
    while (timeout == DISPATCH_TIME_FOREVER) {
        dispatch_time_t soon = dispatch_time(DISPATCH_TIME_NOW, round);
        if (dispatch_group_wait(group, soon) == 0) {
            return 0;
        }
        weir__lanes_retry();
    }
    return dispatch_group_wait(group, timeout) == 0 ? 0 : ETIMEDOUT;
}

int weir__lanes_wait_for_group(const struct weir__object *object,
                               dispatch_group_t group,
                               dispatch_time_t timeout) {
    if (dispatch_group_wait(group, DISPATCH_TIME_NOW) == 0) {
        return 0;
    }
    if (timeout == DISPATCH_TIME_NOW) {
        return ETIMEDOUT;
    }
    struct weir__blocked blocked;
    weir__blocked_begin(&blocked, object, WEIR_INSPECT_END);
    int result = wait_for_group(group, timeout);
    weir__blocked_end(&blocked);
    return result;
}

#define TRIES 100
#define PAUSE_NANOSECONDS 10000000 /* times the tries: 1 s */

static bool still_lacks_thread(weir_lanes_t lanes) {
    pthread_mutex_lock(&lanes->lock);
    bool lacks = lanes->lacks_thread && lanes->idle;
    if (lacks && weir__lanes_can_start(lanes)) {
        weir__lanes_wake_all_and_unlock(lanes, false);
        return true;
    }
    pthread_mutex_unlock(&lanes->lock);
    return false;
}

void weir__lanes_seek_thread(weir_lanes_t lanes) {
    const struct timespec pause = {0, PAUSE_NANOSECONDS};
    bool lacks = true;
    for (int i = 0; lacks && i < TRIES; i++) {
        nanosleep(&pause, NULL);
        lacks = still_lacks_thread(lanes);
    }
    weir__lanes_drop_hold(lanes);
}

/* ---- waking ------------------------------------------------------------ */

/* Finds a thread for a lane. Returns false if there is none and the lanes at
   work suffice. Lanes that were added to the first ones are not worth a search:
   then the width falls to the number that have a thread. */
static bool find_thread(weir_lanes_t lanes, struct weir__lane *lane,
                        bool can_help) {
    lane->is_inline = lanes->on_caller;
    if (lane->is_inline || weir__threads_take()) {
        lanes->lacks_thread = lanes->has_sought = false;
        return true;
    }
    size_t at_work = lanes->stats.running + lanes->stats.starting;
    bool others = at_work > 0;
    if (at_work >= lanes->width_first) {
        lanes->stats.width = at_work;
        weir__threads_give();
        return false;
    }
    lane->is_inline = can_help && lanes->caller_helps;
    if (others || lane->is_inline) {
        weir__threads_give();
    }
    if (others) {
        note_shortage(lanes);
    }
    return !others;
}

/* Takes an idle lane and a hold on the lanes if a job can start. Otherwise
   returns NULL. */
static struct weir__lane *take_idle(weir_lanes_t lanes, bool can_help) {
    bool may_start =
        weir__lanes_can_start(lanes) &&
        lanes->stats.running + lanes->stats.starting < lanes->stats.width;
    struct weir__lane *lane = may_start ? lanes->idle : NULL;
    if (!lane || !find_thread(lanes, lane, can_help)) {
        return NULL;
    }
    lanes->idle = lane->next_idle;
    lanes->stats.starting++;
    atomic_fetch_add_explicit(&lanes->holds, 1, memory_order_relaxed);
    return lane;
}

/* Starts a lane from take_idle, on its queue or on this thread; NULL is
   allowed. Called with the lock held; releases it before it returns. */
static void start_and_unlock(weir_lanes_t lanes, struct weir__lane *lane) {
    if (lane && lane->is_inline) {
        lanes->stats.starting--;
        drain_locked(lanes, lane);
        go_idle(lanes, lane);
        pthread_mutex_unlock(&lanes->lock);
        weir__lanes_drop_hold(lanes);
    } else {
        pthread_mutex_unlock(&lanes->lock);
        if (lane) {
            dispatch_async_f(lane->queue, lane, drain);
        }
    }
}

static bool begins_search_locked(weir_lanes_t lanes) {
    bool begins = lanes->lacks_thread && !lanes->has_sought && lanes->idle &&
                  weir__lanes_can_start(lanes);
    if (WEIR_UNLIKELY(begins)) {
        lanes->has_sought = true;
        atomic_fetch_add_explicit(&lanes->holds, 1, memory_order_relaxed);
    }
    return begins;
}

void weir__lanes_wake_and_unlock(weir_lanes_t lanes, bool may_seek) {
    struct weir__lane *lane = take_idle(lanes, true);
    bool seeks = may_seek && begins_search_locked(lanes);
    start_and_unlock(lanes, lane);
    if (seeks) {
        weir__lanes_seek_thread(lanes);
    }
}

void weir__lanes_wake_all_and_unlock(weir_lanes_t lanes, bool may_seek) {
    pthread_cond_broadcast(&lanes->room);
    struct weir__lane *first = NULL, *lane;
    for (size_t woken = 0;
         woken < weir__lanes_queued(lanes) && !lanes->on_caller &&
         (lane = take_idle(lanes, false));
         woken++) {
        lane->next_idle = first;
        first = lane;
    }
    lane = lanes->on_caller ? take_idle(lanes, false) : NULL;
    bool seeks = may_seek && begins_search_locked(lanes);
    start_and_unlock(lanes, lane);
    while ((lane = first)) {
        first = lane->next_idle;
        dispatch_async_f(lane->queue, lane, drain);
    }
    if (seeks) {
        weir__lanes_seek_thread(lanes);
    }
}
