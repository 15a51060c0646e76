/*
 * lanes.c: the bounded executor.
 *
 * DESIGN. One FIFO of jobs under a lock, and `width` lanes. A lane is a serial
 * dispatch queue that owns its lane struct as its context, freed by the
 * queue's finalizer. A lane is idle, or drains: a block on its queue takes
 * jobs from the FIFO until there is none. A submit wakes one idle lane, the
 * one that was busy last, so that a light load stays on warm lanes.
 *
 * Why serial queues: libdispatch gives each a thread at once, up to 255, while
 * a concurrent queue starts with one thread a core and gets one more a second.
 * Why one FIFO: dealing the jobs out to the lanes in turn makes short ones
 * wait behind long ones (0.64 s against 0.51 s for 64 mixed jobs, in
 * docs/benchmarks.md). Why not one
 * dispatch_async a job: it costs 0.2 us to 0.6 us and an allocation, where the
 * FIFO costs a lock; and a FIFO can be bounded, and looked at.
 *
 * A producer that finds the backlog full sleeps until half of it has been taken:
 * woken at each free place it would switch threads for every job (measured: 3 %
 * to 6 % of the time of a run over small files). Half of it taken, and not half
 * of it empty, since jobs that submit jobs may keep it nearly full for ever.
 *
 * Jobs that must run have a FIFO of their own, which neither the backlog nor a
 * cancel knows. The lower number of the two fronts starts first, so that all
 * jobs start in the order of submission. One FIFO with a mark on the jobs was
 * rejected: a cancel would have to sort them apart, which needs memory.
 *
 * A dispatch_group counts what was accepted and has not ended; wait and notify
 * are the group's.
 *
 * Suspending and closing are done here and not with dispatch_suspend on the
 * lanes' queues: a job that is queued is in the FIFO, where it can be counted
 * and dropped, and a lane that was woken and finds it may not go on goes idle.
 *
 * A lane whose queue could be given no thread is not woken (threads.c): the
 * lanes that are at work run its jobs. Where none is, the caller runs them if he
 * has said that he helps, as the feeder of files does; else it is libdispatch
 * that waits for a thread.
 *
 * What keeps lanes alive: their users' references, together, and each lane that
 * is draining. So release lets queued jobs finish, and the last reference may
 * go on a lane.
 */
#include "permits/holder.h"
#include "queues/lanes_internal.h"
#include "system/cores.h"
#include "trace/point.h"

#include "queues/fifo.h"
#include "system/threads.h"

#include <pthread.h>
#include <stdio.h>

struct lane {
    weir_lanes_t lanes;
    dispatch_queue_t queue; /* NULL for WEIR_LANES_INLINE */
    void *context;
    void (*destroy)(void *context);
    size_t number;
    bool here; /* it is set to work on the thread of who wakes it */
    struct lane *next_idle;
};

struct weir_lanes_s {
    struct weir__object object;
    _Atomic size_t holds;    /* one of the users, one of each draining lane */
    _Atomic size_t at_gates; /* jobs that wait for permits */
    void (*dropped)(void *context);
    size_t width;
    size_t backlog; /* SIZE_MAX for none */
    bool on_caller; /* WEIR_LANES_INLINE */
    bool caller_helps;
    dispatch_group_t unfinished;
    struct lane **lanes;

    pthread_mutex_t lock; /* what follows */
    pthread_cond_t room;
    struct fifo fifo;
    struct fifo must; /* jobs that neither wait for room nor are dropped */
    struct lane *idle;
    size_t producers;         /* sleeping until there is room */
    size_t popped;            /* jobs taken since they were woken last */
    weir_lanes_stats_t stats; /* suspended and closed are decided by these */
};

static const char *label_of(weir_lanes_t lanes) { return lanes->object.label; }

/* ---- the FIFOs --------------------------------------------------------- */

static size_t queued(weir_lanes_t lanes) {
    return lanes->fifo.count + lanes->must.count;
}

/* The FIFO whose first job is the next to start. One of them has one. */
static struct fifo *next_fifo(weir_lanes_t lanes) {
    if (lanes->must.count == 0 || lanes->fifo.count == 0) {
        return lanes->must.count ? &lanes->must : &lanes->fifo;
    }
    return fifo_first(&lanes->must)->number < fifo_first(&lanes->fifo)->number
               ? &lanes->must
               : &lanes->fifo;
}

/* ---- life -------------------------------------------------------------- */

/* The finalizer of a lane's queue. */
static void lane_finalize(void *context) {
    struct lane *lane = context;
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

static struct lane *lane_create(weir_lanes_t lanes, size_t number,
                                const weir_lanes_options_t *options) {
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane) {
        return NULL;
    }
    lane->lanes = lanes;
    lane->number = number;
    if (!lanes->on_caller) {
        lane->queue = lane_queue(label_of(lanes), number, options->qos);
        if (!lane->queue) {
            free(lane);
            return NULL;
        }
        dispatch_set_context(lane->queue, lane);
        dispatch_set_finalizer_f(lane->queue, lane_finalize);
    }
    lane->destroy = options->lane_destroy;
    if (options->lane_create) {
        lane->context = options->lane_create(options->user, number);
    }
    return lane;
}

/* Its finalizer needs a thread of libdispatch's. */
static void lane_release(struct lane *lane) {
    dispatch_queue_t queue = lane->queue;
    if (!queue) {
        lane_finalize(lane);
        return;
    }
    if (!weir__threads_take()) {
        dispatch_set_finalizer_f(queue, NULL);
        lane_finalize(lane);
    }
    weir__threads_give();
    dispatch_release(queue);
}

static void destroy(weir_lanes_t lanes) {
    for (size_t i = 0; i < lanes->width && lanes->lanes[i]; i++) {
        lane_release(lanes->lanes[i]);
    }
    if (lanes->unfinished) {
        dispatch_release(lanes->unfinished);
    }
    pthread_cond_destroy(&lanes->room);
    pthread_mutex_destroy(&lanes->lock);
    free(lanes->fifo.jobs);
    free(lanes->must.jobs);
    free(lanes->lanes);
    weir__object_bury(&lanes->object);
}

size_t weir_lanes_default_width(void) {
    size_t width = weir__cores();
    return width < WEIR_LANES_WIDTH_MAX ? width : WEIR_LANES_WIDTH_MAX;
}

static weir_lanes_t allocate(const char *label, size_t width) {
    weir_lanes_t lanes = weir__object_create(sizeof *lanes, "the lanes", label);
    if (!lanes) {
        return NULL;
    }
    lanes->holds = 1;
    lanes->width = width;
    lanes->unfinished = dispatch_group_create();
    lanes->lanes = calloc(width, sizeof(struct lane *));
    pthread_mutex_init(&lanes->lock, NULL);
    pthread_cond_init(&lanes->room, NULL);
    if (!lanes->lanes) {
        lanes->width = 0;
    }
    if (!lanes->unfinished || !lanes->lanes) {
        destroy(lanes);
        return NULL;
    }
    return lanes;
}

weir_lanes_t weir_lanes_create(const weir_lanes_options_t *given) {
    const weir_lanes_options_t defaults = {0};
    const weir_lanes_options_t *options = given ? given : &defaults;
    bool on_caller = options->width == WEIR_LANES_INLINE;
    size_t width = on_caller ? 1 : options->width;
    if (width == 0) {
        width = weir_lanes_default_width();
    }
    if (width > WEIR_LANES_WIDTH_MAX) {
        errno = EINVAL;
        return NULL;
    }
    weir_lanes_t lanes = allocate(options->label, width);
    if (!lanes) {
        errno = ENOMEM;
        return NULL;
    }
    lanes->on_caller = on_caller;
    lanes->dropped = options->dropped;
    lanes->backlog =
        options->backlog && !on_caller ? options->backlog : SIZE_MAX;
    lanes->stats.width = width;
    for (size_t i = width; i-- > 0;) { /* so that lane 0 is woken first */
        struct lane *lane = lane_create(lanes, i, options);
        if (!lane) {
            /* destroy() stops at the first empty place. */
            memmove(lanes->lanes, lanes->lanes + i + 1,
                    (width - i - 1) * sizeof *lanes->lanes);
            lanes->lanes[width - i - 1] = NULL;
            destroy(lanes);
            errno = ENOMEM;
            return NULL;
        }
        lanes->lanes[i] = lane;
        lane->next_idle = lanes->idle;
        lanes->idle = lane;
    }
    return lanes;
}

void (*weir__lanes_dropped(weir_lanes_t lanes))(void *context) {
    return lanes->dropped;
}

void weir__lanes_let_caller_help(weir_lanes_t lanes) {
    lanes->caller_helps = true;
}

weir_lanes_t weir_lanes_retain(weir_lanes_t lanes) {
    weir__object_retain(&lanes->object);
    return lanes;
}

/* Lanes that are still held, if only by a job that runs, can be used. */
static void check(weir_lanes_t lanes) {
    if (WEIR_UNLIKELY(
            atomic_load_explicit(&lanes->holds, memory_order_relaxed) == 0)) {
        weir__object_check(&lanes->object);
    }
}

/* Nobody can resume them any more. */
static void refuse_stranding(weir_lanes_t lanes, size_t jobs) {
    if (jobs > 0) {
        weir__misuse("the lanes \"%.100s\" were released while they were "
                     "suspended with %zu jobs, which would never run; resume "
                     "them first, or cancel them",
                     label_of(lanes), jobs);
    }
}

static void let_go(weir_lanes_t lanes) {
    if (atomic_fetch_sub_explicit(&lanes->holds, 1, memory_order_acq_rel) ==
        1) {
        refuse_stranding(lanes, queued(lanes));
        destroy(lanes);
    }
}

void weir_lanes_release(weir_lanes_t lanes) {
    if (weir__object_release(&lanes->object)) {
        pthread_mutex_lock(&lanes->lock);
        size_t jobs = lanes->stats.suspended ? queued(lanes) : 0;
        pthread_mutex_unlock(&lanes->lock);
        refuse_stranding(lanes, jobs);
        let_go(lanes);
    }
}

/* ---- draining ---------------------------------------------------------- */

/* A job was taken: wakes the producers that sleep, if it was time. */
static void wake_producers_locked(weir_lanes_t lanes) {
    lanes->popped++;
    size_t half = lanes->backlog / 2;
    if (lanes->producers &&
        (lanes->popped >= half || lanes->fifo.count <= half)) {
        lanes->popped = 0;
        pthread_cond_broadcast(&lanes->room);
    }
}

/* Takes the next job; there is one. */
static struct job take_next(weir_lanes_t lanes) {
    struct fifo *fifo = next_fifo(lanes);
    struct job job = fifo_pop(fifo);
    if (fifo == &lanes->fifo) {
        wake_producers_locked(lanes);
    }
    return job;
}

static bool may_start(weir_lanes_t lanes) {
    return queued(lanes) > 0 && lanes->stats.suspended == 0;
}

static void run_job(weir_lanes_t lanes, struct lane *lane, struct job *job) {
    struct weir__holder holder;
    weir__holder_push(&holder, lanes, &lanes->at_gates);
    weir__trace(WEIR_TRACE_START, lanes, label_of(lanes), job->number,
                lane->number, 1);
    job->work(job->context, lane->context);
    weir__trace(WEIR_TRACE_END, lanes, label_of(lanes), job->number,
                lane->number, 1);
    weir__holder_pop(&holder);
}

/* Runs the jobs of the FIFO until none may start. Comes and goes with the lock
   held. */
static void drain_locked(weir_lanes_t lanes, struct lane *lane) {
    while (may_start(lanes)) {
        struct job job = take_next(lanes);
        lanes->stats.running++;
        if (lanes->stats.running > lanes->stats.peak) {
            lanes->stats.peak = lanes->stats.running;
        }
        pthread_mutex_unlock(&lanes->lock);

        run_job(lanes, lane, &job);
        pthread_mutex_lock(&lanes->lock);
        lanes->stats.running--;
        lanes->stats.finished++;
        dispatch_group_leave(lanes->unfinished);
    }
}

static void go_idle(weir_lanes_t lanes, struct lane *lane) {
    lane->next_idle = lanes->idle;
    lanes->idle = lane;
}

/* The block on a lane's queue. */
static void drain(void *context) {
    struct lane *lane = context;
    weir_lanes_t lanes = lane->lanes;
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.starting--;
    drain_locked(lanes, lane);
    go_idle(lanes, lane);
    pthread_mutex_unlock(&lanes->lock);
    weir__threads_give();
    let_go(lanes);
}

/* Finds a thread for a lane. False where there is none, and none is needed. */
static bool find_thread(weir_lanes_t lanes, struct lane *lane, bool may_help) {
    lane->here = lanes->on_caller;
    if (lane->here || weir__threads_take()) {
        return true;
    }
    bool others = lanes->stats.running + lanes->stats.starting > 0;
    lane->here = may_help && lanes->caller_helps;
    if (others || lane->here) {
        weir__threads_give();
    }
    return !others;
}

/* Takes an idle lane, if there is one and something for it to do, and holds the
   lanes for it. */
static struct lane *take_idle(weir_lanes_t lanes, bool may_help) {
    struct lane *lane = may_start(lanes) ? lanes->idle : NULL;
    if (!lane || !find_thread(lanes, lane, may_help)) {
        return NULL;
    }
    lanes->idle = lane->next_idle;
    lanes->stats.starting++;
    atomic_fetch_add_explicit(&lanes->holds, 1, memory_order_relaxed);
    return lane;
}

/* Sets a lane that was taken to work: on its queue, or here and now. Comes with
   the lock held, and goes without. */
static void wake_locked(weir_lanes_t lanes, struct lane *lane) {
    if (lane && lane->here) {
        lanes->stats.starting--;
        drain_locked(lanes, lane);
        go_idle(lanes, lane);
        pthread_mutex_unlock(&lanes->lock);
        let_go(lanes);
    } else {
        pthread_mutex_unlock(&lanes->lock);
        if (lane) {
            dispatch_async_f(lane->queue, lane, drain);
        }
    }
}

/* ---- submitting -------------------------------------------------------- */

enum how { WAIT_FOR_ROOM, TRY_FOR_ROOM, AT_THE_FRONT, MUST_RUN };

static bool is_full(weir_lanes_t lanes) {
    return lanes->fifo.count >= lanes->backlog;
}

/* Returns 0 or ECANCELED. */
static int wait_for_room(weir_lanes_t lanes) {
    lanes->stats.blocked++;
    if (lanes->producers++ == 0) {
        lanes->popped = 0;
    }
    weir__trace(WEIR_TRACE_WAIT, lanes, label_of(lanes), 0, 0, 1);
    while (is_full(lanes) && !lanes->stats.closed) {
        pthread_cond_wait(&lanes->room, &lanes->lock);
    }
    lanes->producers--;
    weir__trace(lanes->stats.closed ? WEIR_TRACE_CANCEL : WEIR_TRACE_ACQUIRED,
                lanes, label_of(lanes), 0, 0, 1);
    return lanes->stats.closed ? ECANCELED : 0;
}

/* Finds a place in the FIFO. Returns 0 or why there is none. */
static int find_room(weir_lanes_t lanes, enum how how) {
    if (how == AT_THE_FRONT || how == MUST_RUN) {
        return 0;
    }
    if (lanes->stats.closed) {
        return ECANCELED;
    }
    if (!is_full(lanes)) {
        return 0;
    }
    if (how == TRY_FOR_ROOM) {
        return EAGAIN;
    }
    return weir__holder_is_of(lanes) ? 0 : wait_for_room(lanes);
}

/* Puts a job into the FIFO, with the lock held. Returns 0 or an error. */
static int accept(weir_lanes_t lanes, struct job job, enum how how) {
    int error = find_room(lanes, how);
    if (error) {
        return error;
    }
    job.number = lanes->stats.submitted + 1;
    struct fifo *fifo = how == MUST_RUN ? &lanes->must : &lanes->fifo;
    if (!fifo_push(fifo, job, how == AT_THE_FRONT)) {
        return ENOMEM;
    }
    lanes->stats.submitted = job.number;
    if (queued(lanes) > lanes->stats.queued_peak) {
        lanes->stats.queued_peak = queued(lanes);
    }
    dispatch_group_enter(lanes->unfinished);
    weir__trace(WEIR_TRACE_SUBMIT, lanes, label_of(lanes), job.number, 0, 1);
    return 0;
}

static int submit(weir_lanes_t lanes, struct job job, enum how how) {
    check(lanes);
    weir__holder_forget();
    pthread_mutex_lock(&lanes->lock);
    int error = accept(lanes, job, how);
    wake_locked(lanes, error ? NULL : take_idle(lanes, true));
    return error;
}

int weir_lanes_async_f(weir_lanes_t lanes, void *context,
                       void (*work)(void *context, void *lane_context)) {
    return weir_lanes_async_drop_f(lanes, context, work, lanes->dropped);
}

int weir_lanes_async_drop_f(weir_lanes_t lanes, void *context,
                            void (*work)(void *context, void *lane_context),
                            void (*dropped)(void *context)) {
    return submit(lanes, (struct job){work, dropped, context, 0},
                  WAIT_FOR_ROOM);
}

int weir_lanes_try_async_f(weir_lanes_t lanes, void *context,
                           void (*work)(void *context, void *lane_context)) {
    return submit(lanes, (struct job){work, lanes->dropped, context, 0},
                  TRY_FOR_ROOM);
}

int weir_lanes_async_must_f(weir_lanes_t lanes, void *context,
                            void (*work)(void *context, void *lane_context)) {
    return submit(lanes, (struct job){work, NULL, context, 0}, MUST_RUN);
}

int weir__lanes_async_front_f(weir_lanes_t lanes, void *context,
                              void (*work)(void *context, void *lane_context)) {
    return submit(lanes, (struct job){work, NULL, context, 0}, AT_THE_FRONT);
}

/* ---- suspend, close, cancel -------------------------------------------- */

void weir_lanes_suspend(weir_lanes_t lanes) {
    check(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.suspended++;
    pthread_mutex_unlock(&lanes->lock);
}

/* Wakes as many lanes as there are jobs for. Comes with the lock held, and goes
   without. */
static void wake_all_locked(weir_lanes_t lanes) {
    struct lane *first = NULL, *lane;
    for (size_t woken = 0; woken < queued(lanes) && !lanes->on_caller &&
                           (lane = take_idle(lanes, false));
         woken++) {
        lane->next_idle = first;
        first = lane;
    }
    wake_locked(lanes, lanes->on_caller ? take_idle(lanes, false) : NULL);
    while ((lane = first)) {
        first = lane->next_idle;
        dispatch_async_f(lane->queue, lane, drain);
    }
}

void weir_lanes_resume(weir_lanes_t lanes) {
    check(lanes);
    pthread_mutex_lock(&lanes->lock);
    if (lanes->stats.suspended == 0) {
        pthread_mutex_unlock(&lanes->lock);
        weir__misuse(
            "the lanes \"%.100s\" were resumed more often than they were "
            "suspended; pair each weir_lanes_resume with one "
            "weir_lanes_suspend",
            label_of(lanes));
    }
    lanes->stats.suspended--;
    wake_all_locked(lanes);
}

void weir_lanes_close(weir_lanes_t lanes) {
    check(lanes);
    pthread_mutex_lock(&lanes->lock);
    lanes->stats.closed = true;
    pthread_cond_broadcast(&lanes->room);
    pthread_mutex_unlock(&lanes->lock);
}

static void drop(weir_lanes_t lanes, struct job job) {
    weir__trace(WEIR_TRACE_CANCEL, lanes, label_of(lanes), job.number, 0, 1);
    if (job.dropped) {
        job.dropped(job.context);
    }
    dispatch_group_leave(lanes->unfinished);
}

size_t weir_lanes_cancel(weir_lanes_t lanes) {
    check(lanes);
    pthread_mutex_lock(&lanes->lock);
    struct fifo dropped = lanes->fifo;
    lanes->fifo = (struct fifo){0};
    lanes->stats.dropped += dropped.count;
    /* A context may own the last reference. */
    atomic_fetch_add_explicit(&lanes->holds, 1, memory_order_relaxed);
    pthread_cond_broadcast(&lanes->room);
    pthread_mutex_unlock(&lanes->lock);
    size_t count = dropped.count;
    while (dropped.count > 0) {
        drop(lanes, fifo_pop(&dropped));
    }
    free(dropped.jobs);
    let_go(lanes);
    return count;
}

/* ---- waiting ----------------------------------------------------------- */

int weir_lanes_wait(weir_lanes_t lanes, dispatch_time_t timeout) {
    check(lanes);
    if (weir__holder_is_of(lanes)) {
        weir__misuse("the lanes \"%.100s\" were waited for by one of their own "
                     "jobs, which would wait for itself; wait elsewhere, or "
                     "use weir_lanes_notify_f",
                     label_of(lanes));
    }
    return dispatch_group_wait(lanes->unfinished, timeout) == 0 ? 0 : ETIMEDOUT;
}

void weir_lanes_notify_f(weir_lanes_t lanes, dispatch_queue_t queue,
                         void *context, dispatch_function_t work) {
    check(lanes);
    weir__holder_forget();
    dispatch_group_notify_f(lanes->unfinished, queue, context, work);
}

/* ---- figures ----------------------------------------------------------- */

static weir_lanes_limit_t limit_of(const weir_lanes_stats_t *stats) {
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
        return "there are not enough threads yet";
    case WEIR_LANES_LIMIT_GATE:
        return "jobs wait for permits";
    }
    return "?";
}

void weir_lanes_stats(weir_lanes_t lanes, weir_lanes_stats_t *out,
                      size_t size) {
    check(lanes);
    pthread_mutex_lock(&lanes->lock);
    weir_lanes_stats_t stats = lanes->stats;
    stats.queued = queued(lanes);
    pthread_mutex_unlock(&lanes->lock);
    /* Not of the same instant: a job that waits now may have begun since. */
    stats.at_gates =
        atomic_load_explicit(&lanes->at_gates, memory_order_relaxed);
    if (stats.at_gates > stats.running) {
        stats.at_gates = stats.running;
    }
    stats.limit = limit_of(&stats);
    weir__copy_stats(out, size, &stats, sizeof stats);
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
typedef void (^job_block_t)(void *lane_context);

static void call_job(void *context, void *lane_context) {
    job_block_t block = (job_block_t)context;
    block(lane_context);
    Block_release(block);
}

static void drop_block(void *context) { Block_release((job_block_t)context); }

static int submit_block(weir_lanes_t lanes, job_block_t work, enum how how) {
    job_block_t copy = Block_copy(work);
    if (!copy) {
        return ENOMEM;
    }
    int error =
        submit(lanes, (struct job){call_job, drop_block, (void *)copy, 0}, how);
    if (error) {
        Block_release(copy);
    }
    return error;
}

int weir_lanes_async(weir_lanes_t lanes, void (^work)(void *lane_context)) {
    return submit_block(lanes, work, WAIT_FOR_ROOM);
}

int weir_lanes_try_async(weir_lanes_t lanes, void (^work)(void *lane_context)) {
    return submit_block(lanes, work, TRY_FOR_ROOM);
}

void weir_lanes_notify(weir_lanes_t lanes, dispatch_queue_t queue,
                       void (^work)(void)) {
    check(lanes);
    weir__holder_forget();
    dispatch_group_notify(lanes->unfinished, queue, work);
}
#endif
