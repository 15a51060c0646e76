/* lanes_jobs.c: accepts jobs into the FIFO of their lanes, and runs or drops
   them. lanes.c has the note on the design. */
#include "permits/holder.h"
#include "queues/lanes_internal.h"
#include "system/threads.h"
#include "trace/point.h"

#include <weir/spi.h>

/* ---- the FIFOs --------------------------------------------------------- */

static bool fifo_grow(struct weir__lane_fifo *fifo) {
    size_t capacity = fifo->capacity ? fifo->capacity * 2 : 16;
    struct weir__lane_job *jobs = malloc(capacity * sizeof *jobs);
    if (!jobs) {
        return false;
    }
    for (size_t i = 0; i < fifo->count; i++) {
        jobs[i] = fifo->jobs[(fifo->first + i) & (fifo->capacity - 1)];
    }
    free(fifo->jobs);
    fifo->jobs = jobs;
    fifo->capacity = capacity;
    fifo->first = 0;
    return true;
}

static bool fifo_push(struct weir__lane_fifo *fifo, struct weir__lane_job job,
                      bool at_front) {
    if (fifo->count == fifo->capacity && !fifo_grow(fifo)) {
        return false;
    }
    if (at_front) {
        fifo->first = (fifo->first - 1) & (fifo->capacity - 1);
        fifo->jobs[fifo->first] = job;
    } else {
        fifo->jobs[(fifo->first + fifo->count) & (fifo->capacity - 1)] = job;
    }
    fifo->count++;
    return true;
}

static const struct weir__lane_job *
fifo_first(const struct weir__lane_fifo *fifo) {
    return &fifo->jobs[fifo->first];
}

static struct weir__lane_job fifo_pop(struct weir__lane_fifo *fifo) {
    struct weir__lane_job job = *fifo_first(fifo);
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    return job;
}

/* Returns the FIFO whose first job starts next. At least one FIFO has a job. */
static struct weir__lane_fifo *next_fifo(weir_lanes_t lanes) {
    if (lanes->required.count == 0 || lanes->fifo.count == 0) {
        return lanes->required.count ? &lanes->required : &lanes->fifo;
    }
    return fifo_first(&lanes->required)->number <
                   fifo_first(&lanes->fifo)->number
               ? &lanes->required
               : &lanes->fifo;
}

/* ---- draining ---------------------------------------------------------- */

/* Wakes sleeping producers if lanes have taken half of the backlog. */
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
    struct weir__lane_job job = fifo_pop(fifo);
    if (fifo == &lanes->fifo) {
        wake_producers_locked(lanes);
    }
    return job;
}

static bool can_start(weir_lanes_t lanes) {
    return weir__lanes_queued(lanes) > 0 && lanes->stats.suspended == 0;
}

static void run_lane_job(weir_lanes_t lanes, struct weir__lane *lane,
                         struct weir__lane_job *job) {
    struct weir__holder holder;
    weir__holder_push(&holder, lanes, &lanes->at_gates);
    weir__trace(WEIR_TRACE_START, lanes, weir__lanes_label(lanes), job->number,
                lane->number, 1);
    job->work(job->context, lane->context);
    weir__trace(WEIR_TRACE_END, lanes, weir__lanes_label(lanes), job->number,
                lane->number, 1);
    weir__holder_pop(&holder);
}

/* Runs the jobs of the FIFO until none may start. The lock is held on entry and
   on return. */
static void drain_locked(weir_lanes_t lanes, struct weir__lane *lane) {
    while (can_start(lanes)) {
        struct weir__lane_job job = pop_next(lanes);
        lanes->stats.running++;
        if (lanes->stats.running > lanes->stats.peak) {
            lanes->stats.peak = lanes->stats.running;
        }
        pthread_mutex_unlock(&lanes->lock);

        run_lane_job(lanes, lane, &job);
        pthread_mutex_lock(&lanes->lock);
        lanes->stats.running--;
        lanes->stats.finished++;
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
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.starting--;
    drain_locked(lanes, lane);
    go_idle(lanes, lane);
    pthread_mutex_unlock(&lanes->lock);
    weir__threads_give();
    weir__lanes_drop_hold(lanes);
}

/* Finds a thread for a lane. Returns false if there is none and the lanes at
   work suffice. */
static bool find_thread(weir_lanes_t lanes, struct weir__lane *lane,
                        bool can_help) {
    lane->is_inline = lanes->on_caller;
    if (lane->is_inline || weir__threads_take()) {
        return true;
    }
    bool others = lanes->stats.running + lanes->stats.starting > 0;
    lane->is_inline = can_help && lanes->caller_helps;
    if (others || lane->is_inline) {
        weir__threads_give();
    }
    return !others;
}

/* Takes an idle lane and a hold on the lanes if a job can start. Otherwise
   returns NULL. */
static struct weir__lane *take_idle(weir_lanes_t lanes, bool can_help) {
    struct weir__lane *lane = can_start(lanes) ? lanes->idle : NULL;
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
static void wake_and_unlock(weir_lanes_t lanes, struct weir__lane *lane) {
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

/* ---- submitting -------------------------------------------------------- */

enum admission { WAIT_FOR_ROOM, TRY_FOR_ROOM, AT_FRONT, REQUIRED };

static bool is_full(weir_lanes_t lanes) {
    return lanes->fifo.count >= lanes->backlog;
}

/* Returns 0 or ECANCELED. */
static int wait_for_room(weir_lanes_t lanes) {
    lanes->stats.blocked++;
    if (lanes->producers++ == 0) {
        lanes->popped = 0;
    }
    weir__trace(WEIR_TRACE_WAIT, lanes, weir__lanes_label(lanes), 0, 0, 1);
    while (is_full(lanes) && !lanes->stats.closed) {
        pthread_cond_wait(&lanes->room, &lanes->lock);
    }
    lanes->producers--;
    weir__trace(lanes->stats.closed ? WEIR_TRACE_CANCEL : WEIR_TRACE_ACQUIRED,
                lanes, weir__lanes_label(lanes), 0, 0, 1);
    return lanes->stats.closed ? ECANCELED : 0;
}

/* Finds a place in the FIFO. Returns 0 or the reason why there is none. */
static int find_room(weir_lanes_t lanes, enum admission admission) {
    if (admission == AT_FRONT || admission == REQUIRED) {
        return 0;
    }
    if (lanes->stats.closed) {
        return ECANCELED;
    }
    if (!is_full(lanes)) {
        return 0;
    }
    if (admission == TRY_FOR_ROOM) {
        return EAGAIN;
    }
    return weir__holder_is_of(lanes) ? 0 : wait_for_room(lanes);
}

/* Puts a job into the FIFO, under the lock. Returns 0 or an error. */
static int accept_job(weir_lanes_t lanes, struct weir__lane_job job,
                      enum admission admission) {
    int error = find_room(lanes, admission);
    if (error) {
        return error;
    }
    job.number = lanes->stats.submitted + 1;
    struct weir__lane_fifo *fifo =
        admission == REQUIRED ? &lanes->required : &lanes->fifo;
    if (!fifo_push(fifo, job, admission == AT_FRONT)) {
        return ENOMEM;
    }
    lanes->stats.submitted = job.number;
    if (weir__lanes_queued(lanes) > lanes->stats.queued_peak) {
        lanes->stats.queued_peak = weir__lanes_queued(lanes);
    }
    dispatch_group_enter(lanes->unfinished);
    weir__trace(WEIR_TRACE_SUBMIT, lanes, weir__lanes_label(lanes), job.number,
                0, 1);
    return 0;
}

static int lanes_submit(weir_lanes_t lanes, struct weir__lane_job job,
                        enum admission admission) {
    weir__lanes_check(lanes);
    weir__holder_clear();
    pthread_mutex_lock(&lanes->lock);
    int error = accept_job(lanes, job, admission);
    wake_and_unlock(lanes, error ? NULL : take_idle(lanes, true));
    return error;
}

int weir_lanes_async_f(weir_lanes_t lanes, void *context,
                       void (*work)(void *context, void *lane_context)) {
    return weir_lanes_async_drop_f(lanes, context, work, lanes->dropped);
}

int weir_lanes_async_drop_f(weir_lanes_t lanes, void *context,
                            void (*work)(void *context, void *lane_context),
                            void (*dropped)(void *context)) {
    return lanes_submit(lanes,
                        (struct weir__lane_job){work, dropped, context, 0},
                        WAIT_FOR_ROOM);
}

int weir_lanes_try_async_f(weir_lanes_t lanes, void *context,
                           void (*work)(void *context, void *lane_context)) {
    return lanes_submit(
        lanes, (struct weir__lane_job){work, lanes->dropped, context, 0},
        TRY_FOR_ROOM);
}

int weir_lanes_async_must_f(weir_lanes_t lanes, void *context,
                            void (*work)(void *context, void *lane_context)) {
    return lanes_submit(lanes, (struct weir__lane_job){work, NULL, context, 0},
                        REQUIRED);
}

int weir__lanes_async_front_f(weir_lanes_t lanes, void *context,
                              void (*work)(void *context, void *lane_context)) {
    return lanes_submit(lanes, (struct weir__lane_job){work, NULL, context, 0},
                        AT_FRONT);
}

/* ---- suspend, close, cancel -------------------------------------------- */

void weir_lanes_suspend(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.suspended++;
    pthread_mutex_unlock(&lanes->lock);
}

/* Wakes as many lanes as there are jobs. Called with the lock held; releases it
   before it returns. */
static void wake_all_and_unlock(weir_lanes_t lanes) {
    struct weir__lane *first = NULL, *lane;
    for (size_t woken = 0;
         woken < weir__lanes_queued(lanes) && !lanes->on_caller &&
         (lane = take_idle(lanes, false));
         woken++) {
        lane->next_idle = first;
        first = lane;
    }
    wake_and_unlock(lanes, lanes->on_caller ? take_idle(lanes, false) : NULL);
    while ((lane = first)) {
        first = lane->next_idle;
        dispatch_async_f(lane->queue, lane, drain);
    }
}

void weir_lanes_resume(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    if (lanes->stats.suspended == 0) {
        pthread_mutex_unlock(&lanes->lock);
        weir__misuse(
            "the lanes \"%.100s\" were resumed more often than they were "
            "suspended; pair each weir_lanes_resume with one "
            "weir_lanes_suspend",
            weir__lanes_label(lanes));
    }
    lanes->stats.suspended--;
    wake_all_and_unlock(lanes);
}

void weir_lanes_close(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.closed = true;
    pthread_cond_broadcast(&lanes->room);
    pthread_mutex_unlock(&lanes->lock);
}

static void drop_job(weir_lanes_t lanes, struct weir__lane_job job) {
    weir__trace(WEIR_TRACE_CANCEL, lanes, weir__lanes_label(lanes), job.number,
                0, 1);
    if (job.dropped) {
        job.dropped(job.context);
    }
    dispatch_group_leave(lanes->unfinished);
}

size_t weir_lanes_cancel(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    struct weir__lane_fifo dropped = lanes->fifo;
    lanes->fifo = (struct weir__lane_fifo){0};
    lanes->stats.dropped += dropped.count;
    /* The context of a dropped job may own the last reference. */
    atomic_fetch_add_explicit(&lanes->holds, 1, memory_order_relaxed);
    pthread_cond_broadcast(&lanes->room);
    pthread_mutex_unlock(&lanes->lock);
    size_t count = dropped.count;
    while (dropped.count > 0) {
        drop_job(lanes, fifo_pop(&dropped));
    }
    free(dropped.jobs);
    weir__lanes_drop_hold(lanes);
    return count;
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
static void call_job(void *context, void *lane_context) {
    ((void (^)(void *))context)(lane_context);
    Block_release(context);
}

static void drop_job_block(void *context) { Block_release(context); }

static int submit_block(weir_lanes_t lanes, void (^work)(void *lane_context),
                        enum admission admission) {
    void *copy = (void *)Block_copy(work);
    struct weir__lane_job job = {call_job, drop_job_block, copy, 0};
    return weir__block_passed(copy, copy ? lanes_submit(lanes, job, admission)
                                         : ENOMEM);
}

int weir_lanes_async(weir_lanes_t lanes, void (^work)(void *lane_context)) {
    return submit_block(lanes, work, WAIT_FOR_ROOM);
}

int weir_lanes_try_async(weir_lanes_t lanes, void (^work)(void *lane_context)) {
    return submit_block(lanes, work, TRY_FOR_ROOM);
}
#endif
