/*
 * lanes.c: makes and frees lanes, the bounded executor, and reads their state.
 *
 * DESIGN. Lanes are one FIFO of jobs under a lock, and `width` lanes. A lane is
 * a serial dispatch queue that owns its lane struct as its context; the queue's
 * finalizer frees it. A lane is idle, or drains: a block on its queue takes
 * jobs from the FIFO until it is empty. A submit wakes one idle lane, the one
 * that was busy last, so that a light load stays on warm lanes.
 *
 * Why serial queues: libdispatch gives each a thread at once, up to 255. Why
 * one FIFO: dealing the jobs out to the lanes in turn makes short jobs wait for
 * long ones (0.64 s against 0.51 s for 64 mixed jobs, in docs/benchmarks.md).
 * Why not one dispatch_async a job: it costs 0.2 us to 0.6 us and an
 * allocation; and a FIFO can be bounded and inspected. Why no threads of Weir's
 * own: users know libdispatch's threads, names, priorities and tools.
 *
 * Jobs that must run (weir_lanes_async_must_f) have a FIFO of their own,
 * outside the backlog and outside a cancel. The lower number at the front of
 * the two starts first. One FIFO with marked jobs was rejected: a cancel would
 * have to separate them, which needs memory.
 *
 * A dispatch_group counts the accepted jobs that have not ended, for
 * weir_lanes_wait and weir_lanes_notify. Nothing can cancel its notifications,
 * so requests for an idle moment have a queue of their own.
 *
 * Lanes suspend and close themselves instead of calling dispatch_suspend on the
 * queues of the lanes: a queued job is in the FIFO, where it can be counted and
 * dropped. If the system has no thread for a lane, libdispatch sleeps in the
 * submitting thread and tries again. Threads created on trial could be gone a
 * moment later: readers.c tries them, but not every submit.
 *
 * The lock orders all of this; the atomic counts beside it are holds (object.h)
 * and numbers that are only shown. Lanes are kept alive by one hold for all
 * references of their users together, and by one hold for each draining lane.
 * So release lets queued jobs finish, and the last reference may be dropped on
 * a lane.
 */
#include "queues/lanes_state.h"
#include "system/cores.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- inspection -------------------------------------------------------- */

static size_t describe_holders(const struct weir__object *object,
                               const void *gate,
                               struct weir__inspection *inspection) {
    weir_lanes_t lanes = (weir_lanes_t)(uintptr_t)object; /* its first member */
    size_t known = 0;
    pthread_mutex_lock(&lanes->lock);
    for (size_t i = 0; i < lanes->made * WEIR_HELD_MAX; i++) {
        const struct weir__lane *lane = lanes->lanes[i / WEIR_HELD_MAX];
        const struct weir__held *held = &lane->holder.held[i % WEIR_HELD_MAX];
        size_t count = load_relaxed(&held->count);
        if (lane->job != 0 && count > 0 && load_relaxed(&held->gate) == gate) {
            weir__inspection_print(inspection, "  job %" PRIu64 " ", lane->job);
            weir__inspection_name(inspection, "of", object->label);
            weir__inspection_print(inspection, " took %zu", count);
            weir__inspection_running(inspection, lane->thread, lane->since);
            known += count;
        }
    }
    pthread_mutex_unlock(&lanes->lock);
    return known;
}

static void describe_waiters(const struct weir__waiters *waiters,
                             const char *reason,
                             struct weir__inspection *inspection) {
    for (const struct weir__waiter *waiter = waiters->head; waiter;
         waiter = waiter->next) {
        weir__inspection_wait(inspection, &waiter->caller, reason,
                              waiter->since);
    }
}

static void describe_lanes(const struct weir__object *object,
                           struct weir__inspection *inspection) {
    weir_lanes_t lanes = (weir_lanes_t)(uintptr_t)object; /* its first member */
    pthread_mutex_lock(&lanes->lock);
    size_t queued = weir__lanes_queued(lanes);
    weir__inspection_name(inspection, "lanes", object->label);
    weir__inspection_print(inspection, ": %zu of %zu jobs running, %zu queued",
                           lanes->stats.running, lanes->stats.width, queued);
    weir__inspection_age(inspection, ", none began",
                         queued ? lanes->stalled : 0);
    weir__inspection_print(inspection, "%s%s\n",
                           lanes->stats.suspended ? ", suspended" : "",
                           lanes->stats.closed ? ", closed" : "");
    for (size_t i = 0; i < lanes->made; i++) {
        const struct weir__lane *lane = lanes->lanes[i];
        if (lane->job != 0) {
            weir__inspection_print(inspection, "  job %" PRIu64 " on lane %zu",
                                   lane->job, lane->number);
            weir__inspection_running(inspection, lane->thread, lane->since);
        }
    }
    describe_waiters(&lanes->for_room, WEIR_FOR_ROOM, inspection);
    describe_waiters(&lanes->for_idle, WEIR_FOR_END, inspection);
    if (queued > 0) {
        weir__inspection_queued(inspection, lanes->stalled);
    }
    pthread_mutex_unlock(&lanes->lock);
    weir__inspection_blocked(inspection, object);
}

/* The jobs that began, ended or were dropped. */
static uint64_t progress_of(const struct weir__object *object) {
    weir_lanes_t lanes = (weir_lanes_t)(uintptr_t)object; /* its first member */
    pthread_mutex_lock(&lanes->lock);
    const weir_lanes_stats_t *stats = &lanes->stats;
    uint64_t progress =
        1 + 2 * stats->finished + stats->running + stats->dropped;
    pthread_mutex_unlock(&lanes->lock);
    return progress;
}

/* ---- life -------------------------------------------------------------- */

/* The finalizer of a lane's queue. */
static void lane_finish(void *context) {
    struct weir__lane *lane = context;
    if (lane->destroy) {
        lane->destroy(lane->context);
    }
    free(lane);
}

static dispatch_queue_t lane_queue(const char *label, size_t number,
                                   dispatch_qos_class_t qos) {
    char name[128];
    snprintf(name, sizeof name, "%.100s.lane-%zu", label, number);
    dispatch_queue_attr_t attr = DISPATCH_QUEUE_SERIAL;
    if (qos) {
        attr = dispatch_queue_attr_make_with_qos_class(attr, qos, 0);
    }
    return dispatch_queue_create(name, attr);
}

struct weir__lane *weir__lanes_make_lane(weir_lanes_t lanes, size_t number) {
    struct weir__lane *lane = calloc(1, sizeof *lane);
    if (!lane) {
        return NULL;
    }
    lane->lanes = lanes;
    lane->number = number;
    if (!lanes->on_caller) {
        lane->queue = lane_queue(weir__lanes_label(lanes), number, lanes->qos);
        if (!lane->queue) {
            free(lane);
            return NULL;
        }
        dispatch_set_context(lane->queue, lane);
        dispatch_set_finalizer_f(lane->queue, lane_finish);
    }
    lane->destroy = lanes->lane_destroy;
    if (lanes->lane_create) {
        lane->context = lanes->lane_create(lanes->user, number);
    }
    return lane;
}

static void lane_release(struct weir__lane *lane) {
    if (lane->queue) {
        dispatch_release(lane->queue);
    } else {
        lane_finish(lane);
    }
}

void weir__lanes_discard_lane(struct weir__lane *lane) {
    lane->destroy = NULL;
    lane_release(lane);
}

static void lanes_destroy(weir_lanes_t lanes) {
    for (size_t i = 0; i < lanes->made; i++) {
        lane_release(lanes->lanes[i]);
    }
    if (lanes->unfinished) {
        dispatch_release(lanes->unfinished);
    }
    pthread_mutex_destroy(&lanes->lock);
    free(lanes->fifo.jobs);
    free(lanes->required.jobs);
    free(lanes->lanes);
    weir__object_bury(&lanes->object);
}

size_t weir_lanes_default_width(void) {
    size_t width = weir__cores();
    return width < WEIR_LANES_WIDTH_MAX ? width : WEIR_LANES_WIDTH_MAX;
}

static weir_lanes_t lanes_allocate(const char *label, size_t most) {
    weir_lanes_t lanes = weir__object_create(sizeof *lanes, "the lanes", label);
    if (!lanes) {
        return NULL;
    }
    lanes->holds = 1;
    lanes->width_max = most;
    lanes->unfinished = dispatch_group_create();
    lanes->lanes = calloc(most, sizeof(struct weir__lane *));
    pthread_mutex_init(&lanes->lock, NULL);
    lanes->decided.end = &lanes->decided.first;
    if (!lanes->unfinished || !lanes->lanes) {
        lanes_destroy(lanes);
        return NULL;
    }
    return lanes;
}

static void copy_options(weir_lanes_t lanes,
                         const weir_lanes_options_t *options) {
    lanes->on_caller = options->width == WEIR_LANES_INLINE;
    lanes->qos = options->qos;
    lanes->lane_create = options->lane_create;
    lanes->lane_destroy = options->lane_destroy;
    lanes->user = options->user;
    lanes->dropped = options->dropped;
    lanes->backlog =
        options->backlog && !lanes->on_caller ? options->backlog : SIZE_MAX;
}

/* Makes the first lanes. False if memory is short. */
static bool make_lanes(weir_lanes_t lanes, size_t width) {
    for (size_t i = 0; i < width; i++) {
        struct weir__lane *lane = weir__lanes_make_lane(lanes, i);
        if (!lane) {
            return false;
        }
        lanes->lanes[lanes->made++] = lane;
    }
    for (size_t i = width; i-- > 0;) { /* so that lane 0 is woken first */
        lanes->lanes[i]->next_idle = lanes->idle;
        lanes->idle = lanes->lanes[i];
    }
    lanes->stats.width = width;
    return true;
}

weir_lanes_t weir__lanes_create_variable(const weir_lanes_options_t *given,
                                         size_t most) {
    const weir_lanes_options_t defaults = {0};
    const weir_lanes_options_t *options = given ? given : &defaults;
    size_t width = options->width;
    if (width == WEIR_LANES_INLINE) {
        width = most = 1;
    } else if (width == 0) {
        width = weir_lanes_default_width();
    }
    most = most > width ? most : width;
    if (most > WEIR_LANES_WIDTH_MAX || !weir__reserves_zero(options)) {
        errno = EINVAL;
        return NULL;
    }
    weir_lanes_t lanes = lanes_allocate(options->label, most);
    if (lanes) {
        copy_options(lanes, options);
        if (make_lanes(lanes, width)) {
            lanes->listed.describe = describe_lanes;
            lanes->listed.describe_holders = describe_holders;
            lanes->listed.progress = progress_of;
            weir__list(&lanes->listed, &lanes->object);
            return lanes;
        }
        lanes_destroy(lanes);
    }
    errno = ENOMEM;
    return NULL;
}

weir_lanes_t weir_lanes_create(const weir_lanes_options_t *options) {
    return weir__lanes_create_variable(options, 0);
}

weir_lanes_t weir_lanes_retain(weir_lanes_t lanes) {
    weir__object_retain(&lanes->object);
    return lanes;
}

/* Without a reference and a running job, no code could resume the lanes. */
static void report_stranded(weir_lanes_t lanes, size_t jobs) {
    if (jobs > 0) {
        weir__misuse("the lanes \"%.100s\" were released while they were "
                     "suspended with %zu job%s, which would never run; resume "
                     "or cancel them first",
                     weir__lanes_label(lanes), jobs, jobs == 1 ? "" : "s");
    }
}

void weir__lanes_drop_hold(weir_lanes_t lanes) {
    if (weir__drop_hold(&lanes->holds)) {
        report_stranded(lanes, weir__lanes_queued(lanes));
        weir__unlist(&lanes->listed);
        lanes_destroy(lanes);
    }
}

void weir_lanes_release(weir_lanes_t lanes) {
    if (weir__object_release(&lanes->object)) {
        weir__lanes_drop_hold(lanes);
    }
}

/* ---- waiting ----------------------------------------------------------- */

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
    weir__blocked_begin(&blocked, object, WEIR_FOR_END, NULL);
    bool is_empty = dispatch_group_wait(group, timeout) == 0;
    weir__blocked_end(&blocked);
    return is_empty ? 0 : ETIMEDOUT;
}

int weir_lanes_wait(weir_lanes_t lanes, dispatch_time_t timeout) {
    weir__lanes_check(lanes);
    if (weir__holder_is_of(lanes)) {
        weir__misuse("the lanes \"%.100s\" were waited for by one of their own "
                     "jobs, which would wait for itself; wait on another "
                     "thread, or ask to be notified",
                     weir__lanes_label(lanes));
    }
    return weir__lanes_wait_for_group(&lanes->object, lanes->unfinished,
                                      timeout);
}

void weir_lanes_notify_f(weir_lanes_t lanes, dispatch_queue_t queue,
                         void *context, dispatch_function_t work) {
    weir__lanes_check(lanes);
    weir__holder_clear();
    dispatch_group_notify_f(lanes->unfinished, queue, context, work);
}

/* ---- statistics -------------------------------------------------------- */

static weir_lanes_limit_t current_limit(const weir_lanes_stats_t *stats) {
    if (stats->running >= stats->width) {
        return stats->at_gates ? WEIR_LANES_LIMIT_GATE : WEIR_LANES_LIMIT_WIDTH;
    }
    if (stats->suspended) {
        return WEIR_LANES_LIMIT_SUSPENDED;
    }
    return stats->queued ? WEIR_LANES_LIMIT_THREADS : WEIR_LANES_LIMIT_WORK;
}

const char *weir_lanes_limit_text(weir_lanes_limit_t limit) {
    switch (limit) {
    case WEIR_LANES_LIMIT_WIDTH:
        return "all lanes are busy";
    case WEIR_LANES_LIMIT_WORK:
        return "there are no more jobs";
    case WEIR_LANES_LIMIT_SUSPENDED:
        return "the lanes are suspended";
    case WEIR_LANES_LIMIT_THREADS:
        return "there are not enough threads";
    case WEIR_LANES_LIMIT_GATE:
        return "jobs wait for permits";
    }
    return "?";
}

void weir_lanes_stats(weir_lanes_t lanes, weir_lanes_stats_t *out,
                      size_t size) {
    weir__lanes_check(lanes);
    pthread_mutex_lock(&lanes->lock);
    weir_lanes_stats_t stats = lanes->stats;
    stats.queued = weir__lanes_queued(lanes);
    pthread_mutex_unlock(&lanes->lock);
    /* Not of the same instant: a job that waits now may have started since. */
    stats.threads = weir__lanes_threads(lanes);
    stats.at_gates = load_relaxed(&lanes->at_gates);
    if (stats.at_gates > stats.running) {
        stats.at_gates = stats.running;
    }
    stats.limit = current_limit(&stats);
    weir__copy_stats(out, size, &stats, sizeof stats);
}

#ifdef __BLOCKS__
void weir_lanes_notify(weir_lanes_t lanes, dispatch_queue_t queue,
                       void (^work)(void)) {
    weir__lanes_check(lanes);
    weir__holder_clear();
    dispatch_group_notify(lanes->unfinished, queue, work);
}
#endif
