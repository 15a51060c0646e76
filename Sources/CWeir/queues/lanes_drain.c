/* lanes_drain.c: wakes lanes, which then run the jobs (see lanes.c). */
#include "queues/lanes_state.h"
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

/* Removes and returns the next job; there is one. */
static struct weir__lane_job pop_next(weir_lanes_t lanes) {
    struct weir__lane_fifo *fifo = next_fifo(lanes);
    struct weir__lane_job job = weir__lane_fifo_pop(fifo);
    lanes->popped += fifo == &lanes->fifo;
    return job;
}

static void run_lane_job(weir_lanes_t lanes, struct weir__lane *lane,
                         struct weir__lane_job *job) {
    weir__trace(WEIR_TRACE_START, lanes, job->number, lane->number, 1);
    job->work(job->context, lane->context);
    weir__trace(WEIR_TRACE_END, lanes, job->number, lane->number, 1);
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

static void wake_and_unlock(weir_lanes_t lanes, size_t most);

/* Runs the jobs until none may start. The lock is held before and after. */
static void drain_locked(weir_lanes_t lanes, struct weir__lane *lane) {
    lane->thread = weir__thread_number();
    while (weir__lanes_can_start(lanes)) {
        struct weir__lane_job job = pop_next(lanes);
        lanes->stats.running++;
        if (lanes->stats.running > lanes->stats.peak) {
            lanes->stats.peak = lanes->stats.running;
        }
        begin_job_locked(lanes, lane, job.number);
        wake_and_unlock(lanes, weir__lanes_serve(lanes));

        run_lane_job(lanes, lane, &job);
        pthread_mutex_lock(&lanes->lock);
        end_job_locked(lane);
        lanes->stats.running--;
        lanes->stats.finished++;
        dispatch_group_leave(lanes->unfinished);
        weir__lanes_report_idle(lanes);
        weir__lanes_serve(lanes); /* without a backlog this lane is the room */
    }
}

static void go_idle(weir_lanes_t lanes, struct weir__lane *lane) {
    lane->next_idle = lanes->idle;
    lanes->idle = lane;
}

void weir__lane_drain(void *context) {
    struct weir__lane *lane = context;
    weir_lanes_t lanes = lane->lanes;
    size_t class = weir__lanes_class(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.starting--;
    drain_locked(lanes, lane);
    go_idle(lanes, lane);
    weir__lanes_unlock(lanes);
    weir__lanes_drop_hold(lanes);
    weir__lane_stop(class);
}

/* ---- waking ------------------------------------------------------------ */

/* Takes an idle lane and a hold if a job can start, or returns NULL. */
static struct weir__lane *take_idle(weir_lanes_t lanes) {
    bool may_start =
        weir__lanes_can_start(lanes) &&
        lanes->stats.running + lanes->stats.starting < lanes->stats.width;
    struct weir__lane *lane = may_start ? lanes->idle : NULL;
    if (!lane) {
        return NULL;
    }
    lanes->idle = lane->next_idle;
    lanes->stats.starting++;
    add_relaxed(&lanes->holds, 1);
    return lane;
}

/* Starts up to `most` lanes, or the lane that runs on this thread. */
static void wake_and_unlock(weir_lanes_t lanes, size_t most) {
    struct weir__lane *woken = NULL, *lane;
    while (most-- > 0 && (lane = take_idle(lanes))) {
        lane->next_idle = woken;
        woken = lane;
    }
    if (woken && lanes->on_caller) {
        lanes->stats.starting--;
        drain_locked(lanes, woken);
        go_idle(lanes, woken);
        weir__lanes_unlock(lanes);
        weir__lanes_drop_hold(lanes);
        return;
    }
    struct weir__decided decided = weir__lanes_take_decided(lanes);
    pthread_mutex_unlock(&lanes->lock);
    while ((lane = woken)) {
        woken = lane->next_idle;
        weir__lane_start(lane);
    }
    weir__deliver(&decided);
}

void weir__lanes_wake_and_unlock(weir_lanes_t lanes) {
    wake_and_unlock(lanes, 1);
}

void weir__lanes_wake_all_and_unlock(weir_lanes_t lanes) {
    weir__lanes_serve(lanes);
    wake_and_unlock(lanes, weir__lanes_queued(lanes));
}
