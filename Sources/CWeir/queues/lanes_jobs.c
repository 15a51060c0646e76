/* lanes_jobs.c: accepts jobs into the FIFO, and drops them (see lanes.c). */
#include "queues/lanes_state.h"
#include "trace/point.h"

#include <weir/spi.h>

/* ---- submitting -------------------------------------------------------- */

enum admission { WAIT_FOR_ROOM, TRY_FOR_ROOM, REQUIRED };

/* Returns 0 if there is room, WEIR_UNDECIDED for a wait, or an error. */
static int find_room(weir_lanes_t lanes, enum admission admission) {
    if (admission == REQUIRED) {
        return 0;
    }
    if (lanes->stats.closed) {
        return ECANCELED;
    }
    if (weir__lanes_have_room(lanes)) {
        return 0;
    }
    if (admission == TRY_FOR_ROOM) {
        return EAGAIN;
    }
    return weir__holder_is_of(lanes) ? 0 : WEIR_UNDECIDED;
}

static int lanes_submit(weir_lanes_t lanes, struct weir__lane_job job,
                        enum admission admission) {
    weir__lanes_check(lanes);
    weir__holder_clear();
    pthread_mutex_lock(&lanes->lock);
    int error = find_room(lanes, admission);
    lanes->stats.refused += error == EAGAIN || error == ECANCELED;
    if (error == WEIR_UNDECIDED) {
        return weir__lanes_wait_for_room_and_unlock(lanes, job);
    }
    if (error == 0) {
        error = weir__lanes_put(lanes, &job,
                                admission == REQUIRED ? &lanes->required
                                                      : &lanes->fifo);
    }
    if (error) {
        weir__lanes_unlock(lanes);
        return error;
    }
    weir__lanes_wake_and_unlock(lanes);
    return 0;
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

/* ---- suspend, close, cancel -------------------------------------------- */

void weir_lanes_suspend(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.suspended++;
    weir__lanes_serve(lanes);
    weir__lanes_unlock(lanes);
}

void weir_lanes_resume(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    if (lanes->stats.suspended == 0) {
        pthread_mutex_unlock(&lanes->lock);
        weir__misuse(
            "the lanes \"%.100s\" were resumed more often than they were "
            "suspended; pair each resume with one suspend",
            weir__lanes_label(lanes));
    }
    lanes->stats.suspended--;
    weir__lanes_wake_all_and_unlock(lanes);
}

int weir_lanes_each(weir_lanes_t lanes, void *user,
                    void (*visit)(void *user, void *lane_context)) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    if (lanes->stats.running > 0 || weir__lanes_can_start(lanes) ||
        lanes->is_visited) {
        pthread_mutex_unlock(&lanes->lock);
        return EBUSY;
    }
    lanes->is_visited = true;
    pthread_mutex_unlock(&lanes->lock);
    for (size_t i = 0; i < lanes->made; i++) {
        visit(user, lanes->lanes[i]->context);
    }
    pthread_mutex_lock(&lanes->lock);
    lanes->is_visited = false;
    weir__lanes_wake_all_and_unlock(lanes);
    return 0;
}

void weir_lanes_close(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.closed = true;
    weir__lanes_refuse(lanes);
    weir__lanes_unlock(lanes);
}

static void drop_job(weir_lanes_t lanes, struct weir__lane_job job) {
    weir__trace(WEIR_TRACE_CANCEL, lanes, job.number, 0, 1);
    if (job.dropped) {
        job.dropped(job.context);
    }
    dispatch_group_leave(lanes->unfinished);
}

void weir__lanes_drop_and_unlock(weir_lanes_t lanes,
                                 struct weir__lane_fifo dropped) {
    size_t count = dropped.count;
    lanes->stats.dropped += count;
    lanes->dropping += count;
    /* The context of a dropped job may own the last reference. */
    add_relaxed(&lanes->holds, 1);
    weir__lanes_wake_all_and_unlock(lanes);
    while (dropped.count > 0) {
        drop_job(lanes, weir__lane_fifo_pop(&dropped));
    }
    pthread_mutex_lock(&lanes->lock);
    lanes->dropping -= count;
    weir__lanes_report_idle(lanes);
    weir__lanes_unlock(lanes);
    weir__lanes_drop_hold(lanes);
}

size_t weir_lanes_cancel(weir_lanes_t lanes) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    struct weir__lane_fifo dropped = lanes->fifo;
    lanes->fifo = (struct weir__lane_fifo){0};
    weir__lanes_drop_and_unlock(lanes, dropped);
    free(dropped.jobs);
    return dropped.count;
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
static void call_job(void *context, void *lane_context) {
    ((void (^)(void *))context)(lane_context);
    Block_release(context);
}

static int submit_block(weir_lanes_t lanes, void (^work)(void *lane_context),
                        enum admission admission) {
    void *copy = (void *)Block_copy(work);
    struct weir__lane_job job = {call_job, weir__block_drop, copy, 0};
    return weir__block_passed(copy, copy ? lanes_submit(lanes, job, admission)
                                         : ENOMEM);
}

int weir_lanes_async(weir_lanes_t lanes, void (^work)(void *lane_context)) {
    return submit_block(lanes, work, WAIT_FOR_ROOM);
}

int weir_lanes_try_async(weir_lanes_t lanes, void (^work)(void *lane_context)) {
    return submit_block(lanes, work, TRY_FOR_ROOM);
}

static void call_visit(void *visit, void *lane_context) {
    ((void (^)(void *))visit)(lane_context);
}

int weir_lanes_each_b(weir_lanes_t lanes, void (^visit)(void *lane_context)) {
    return weir_lanes_each(lanes, (void *)visit, call_visit);
}
#endif
