/*
 * weir/lanes.h: the bounded executor: one FIFO drained by a fixed number of
 * serial queues.
 *
 * A semaphore inside the block holds a thread for each waiting block, and the
 * pool starts with one thread a core. A serial queue gets a thread of its own
 * at once. So `width` serial queues reach the limit at once, on public API
 * alone, and one FIFO in front of them keeps the short jobs from waiting
 * behind the long ones. Every lane owns a context (a buffer, a digest state),
 * made once and freed by the lane's finalizer.
 *
 * Where the system gives this process no more threads, the lanes that have one run
 * the jobs of all. Where none has one, libdispatch lets whoever submits a job wait
 * until there is one; the file processor then works on its caller's thread.
 */
#ifndef WEIR_LANES_H
#define WEIR_LANES_H

#include <weir/base.h>
#include <weir/group.h>

WEIR_BEGIN_DECLS

/*! @typedef weir_lanes_t  @abstract Lanes; counted. */
typedef struct weir_lanes_s *weir_lanes_t;

/*!
 * @const WEIR_LANES_INLINE
 *
 * @abstract
 * As width: every job runs on the thread that submits it, before the submit
 * returns, in order; one submitted by a running job runs after it, without
 * recursion. There is one lane context. For tests and teaching. Where two
 * threads submit at once, one of them runs both jobs.
 */
#define WEIR_LANES_INLINE SIZE_MAX

/*! @const WEIR_LANES_WIDTH_MAX  @abstract libdispatch stops at 255 threads. */
#define WEIR_LANES_WIDTH_MAX ((size_t)200)

/*!
 * @struct weir_lanes_options_t
 *
 * @abstract
 * How to make lanes. Zeroed fields mean the default.
 *
 * @field label        a name for messages, traces and queues; copied
 * @field width        how many jobs may run at once: 1 to
 *                     WEIR_LANES_WIDTH_MAX, WEIR_LANES_INLINE, or 0 for the
 *                     number of cores that may be used
 * @field qos          a quality of service class, or 0 for the default
 * @field backlog      how many jobs may be queued before a submit waits, or 0
 *                     for no bound, which WEIR_LANES_INLINE always has. Who
 *                     waits is woken when half as many have been taken.
 * @field lane_create  makes the context of one lane, given user and the lane's
 *                     number from 0; called for every lane, one after the
 *                     other in no set order, before weir_lanes_create returns. It may return
 *                     NULL, which is a context like any other.
 * @field lane_destroy frees one, also NULL; called exactly once a lane, on any
 *                     thread, soon after the last job has ended and the last
 *                     reference is gone
 * @field user         handed to lane_create
 * @field dropped      given the context of each job that weir_lanes_cancel
 *                     drops, so that it can be freed; NULL forgets them. Jobs
 *                     submitted with a drop function of their own, and blocks,
 *                     are not its business.
 * @field reserved     zero
 */
typedef struct {
    const char *WEIR_NULLABLE label;
    size_t width;
    dispatch_qos_class_t qos;
    size_t backlog;
    void *WEIR_NULLABLE (*WEIR_NULLABLE lane_create)(void *WEIR_NULLABLE user,
                                                     size_t lane);
    void (*WEIR_NULLABLE lane_destroy)(void *WEIR_NULLABLE lane_context);
    void *WEIR_NULLABLE user;
    void (*WEIR_NULLABLE dropped)(void *WEIR_NULLABLE context);
    uintptr_t reserved[8];
} weir_lanes_options_t;

/*!
 * @function weir_lanes_create
 *
 * @param options
 * See above; NULL for all defaults. Not kept.
 *
 * @result
 * Lanes with one reference; NULL with errno EINVAL (a width above
 * WEIR_LANES_WIDTH_MAX) or ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_lanes_t WEIR_NULLABLE
weir_lanes_create(const weir_lanes_options_t *WEIR_NULLABLE options);

/*! @function weir_lanes_retain  @result The lanes themselves. */
WEIR_EXPORT weir_lanes_t weir_lanes_retain(weir_lanes_t lanes);

/*!
 * @function weir_lanes_release
 *
 * @abstract
 * Drops a reference, on any thread, also on a lane. Jobs that are queued still
 * run, and jobs that run may go on using the lanes, but not retain them.
 * Releasing the last one while the lanes are suspended with jobs in their queue
 * is misuse, and so is such a job that submits while they are suspended: nobody
 * could resume them.
 */
WEIR_EXPORT void weir_lanes_release(weir_lanes_t lanes);

/*!
 * @function weir_lanes_async_f
 *
 * @abstract
 * Submits a job.
 *
 * @param lanes   The lanes.
 * @param context Handed to work; may be NULL.
 * @param work    What to do, with the context of the lane it runs on. Jobs
 *                start in the order in which they were submitted.
 *
 * @result
 * 0; else nothing was submitted and the context stays the caller's: ECANCELED
 * when the lanes are closed (also while it waited), ENOMEM. Blocks while the
 * backlog is full, but never in one of their own jobs, nor in a loop
 * (weir_apply_f) that such a job called.
 */
WEIR_EXPORT int
weir_lanes_async_f(weir_lanes_t lanes, void *WEIR_NULLABLE context,
                   void (*work)(void *WEIR_NULLABLE context,
                                void *WEIR_NULLABLE lane_context));

/*!
 * @function weir_lanes_try_async_f
 *
 * @abstract
 * As weir_lanes_async_f, but never blocks.
 *
 * @result
 * 0, ECANCELED, ENOMEM, or EAGAIN when the backlog is full (also on one of its
 * lanes).
 */
WEIR_EXPORT int
weir_lanes_try_async_f(weir_lanes_t lanes, void *WEIR_NULLABLE context,
                       void (*work)(void *WEIR_NULLABLE context,
                                    void *WEIR_NULLABLE lane_context));

/*!
 * @function weir_lanes_async_drop_f
 *
 * @abstract
 * As weir_lanes_async_f, for a job with a drop function of its own.
 *
 * @param dropped
 * Called with context, instead of work, where weir_lanes_cancel drops the job;
 * in the place of the lanes' own. NULL for none.
 *
 * @result
 * As weir_lanes_async_f.
 */
WEIR_EXPORT int weir_lanes_async_drop_f(
    weir_lanes_t lanes, void *WEIR_NULLABLE context,
    void (*work)(void *WEIR_NULLABLE context, void *WEIR_NULLABLE lane_context),
    void (*WEIR_NULLABLE dropped)(void *WEIR_NULLABLE context));

/*!
 * @function weir_group_lanes_f
 *
 * @abstract
 * weir_group_async_f on lanes, so that submission is bounded by their backlog.
 *
 * @result
 * 0, ECANCELED, or ENOMEM and nothing was submitted. Where weir_lanes_cancel
 * drops the job its context goes to the lanes' drop function, and the group is
 * left with the result ECANCELED.
 */
WEIR_EXPORT int weir_group_lanes_f(
    weir_group_t group, weir_lanes_t lanes, void *WEIR_NULLABLE context,
    int (*work)(void *WEIR_NULLABLE context, void *WEIR_NULLABLE lane_context));

/*!
 * @function weir_lanes_wait
 *
 * @abstract
 * Waits until every job submitted so far has ended, and any submitted
 * meanwhile. On one of its own lanes that is misuse.
 *
 * @result
 * 0 or ETIMEDOUT. Blocks the caller.
 */
WEIR_EXPORT int weir_lanes_wait(weir_lanes_t lanes, dispatch_time_t timeout);

/*!
 * @function weir_lanes_notify_f
 *
 * @abstract
 * Runs work on a queue once no job is queued or running, soon when none is.
 * Never blocks.
 */
WEIR_EXPORT void weir_lanes_notify_f(weir_lanes_t lanes, dispatch_queue_t queue,
                                     void *WEIR_NULLABLE context,
                                     dispatch_function_t work);

/*!
 * @function weir_lanes_suspend
 *
 * @abstract
 * No further job starts until weir_lanes_resume; those that run go on, and
 * submits are accepted up to the backlog. Calls nest.
 */
WEIR_EXPORT void weir_lanes_suspend(weir_lanes_t lanes);

/*!
 * @function weir_lanes_resume
 *
 * @abstract
 * Takes back one weir_lanes_suspend. With WEIR_LANES_INLINE the last one runs
 * what has been queued, before it returns. One without a suspend is misuse.
 */
WEIR_EXPORT void weir_lanes_resume(weir_lanes_t lanes);

/*!
 * @function weir_lanes_close
 *
 * @abstract
 * Refuses new work, with ECANCELED, and finishes the old. Who waits for the
 * backlog is refused too, and only weir_lanes_async_must_f is not. Closing
 * twice is allowed, and there is no way back.
 */
WEIR_EXPORT void weir_lanes_close(weir_lanes_t lanes);

/*!
 * @function weir_lanes_cancel
 *
 * @abstract
 * Drops every job that has not started, but none of weir_lanes_async_must_f.
 * Each context goes to the drop function of its owner, on the calling thread
 * and in the order of submission, before this returns. Jobs that run go on. The
 * lanes stay open: to be done with them, close them first.
 *
 * @result
 * How many jobs were dropped.
 */
WEIR_EXPORT size_t weir_lanes_cancel(weir_lanes_t lanes);

/*!
 * @enum weir_lanes_limit_t
 *
 * @abstract
 * Why no more jobs run than do.
 *
 * @constant WEIR_LANES_LIMIT_WIDTH     as many run as were asked for
 * @constant WEIR_LANES_LIMIT_WORK      there are no more jobs: look at who
 *                                      submits them
 * @constant WEIR_LANES_LIMIT_SUSPENDED the lanes are suspended
 * @constant WEIR_LANES_LIMIT_THREADS   jobs are queued and lanes were woken, and
 *                                      libdispatch has not yet given them
 *                                      threads; lasting, when all 255 are taken
 * @constant WEIR_LANES_LIMIT_GATE      as many run as were asked for, but some
 *                                      of them wait for permits of a gate
 */
typedef enum {
    WEIR_LANES_LIMIT_WIDTH = 0,
    WEIR_LANES_LIMIT_WORK = 1,
    WEIR_LANES_LIMIT_SUSPENDED = 2,
    WEIR_LANES_LIMIT_THREADS = 3,
    WEIR_LANES_LIMIT_GATE = 4
} weir_lanes_limit_t;

/*!
 * @function weir_lanes_limit_text
 *
 * @result
 * The reason as a few words of English, such as "all lanes are busy"; a
 * constant string. "?" for a reason it does not know.
 */
WEIR_EXPORT const char *weir_lanes_limit_text(weir_lanes_limit_t limit);

/*!
 * @struct weir_lanes_stats_t
 *
 * @field width     how many lanes were asked for; 1 for WEIR_LANES_INLINE
 * @field running   jobs running now
 * @field peak      the most that ran at once
 * @field queued    jobs in the FIFO now
 * @field queued_peak the most that were in the FIFO
 * @field submitted jobs ever accepted
 * @field finished  jobs that have ended
 * @field blocked   submits that had to wait for the backlog
 * @field dropped   jobs that weir_lanes_cancel dropped
 * @field starting  lanes that were woken and do not run yet
 * @field at_gates  running jobs that wait for permits of a gate
 * @field limit     why no more run than do
 * @field suspended how many weir_lanes_suspend are in force
 * @field closed    whether weir_lanes_close was called
 */
typedef struct {
    size_t width;
    size_t running;
    size_t peak;
    size_t queued;
    size_t queued_peak;
    uint64_t submitted;
    uint64_t finished;
    uint64_t blocked;
    uint64_t dropped;
    size_t starting;
    size_t at_gates;
    weir_lanes_limit_t limit;
    unsigned suspended;
    bool closed;
} weir_lanes_stats_t;

/*!
 * @function weir_lanes_stats
 *
 * @abstract
 * Reads the figures, all of one instant but at_gates, and limit where it comes
 * from that.
 *
 * @param lanes The lanes.
 * @param stats Where to write.
 * @param size  sizeof *stats, so that the struct can grow.
 */
WEIR_EXPORT void weir_lanes_stats(weir_lanes_t lanes, weir_lanes_stats_t *stats,
                                  size_t size);

/*!
 * @function weir_lanes_default_width
 *
 * @result
 * How many cores this process may use, at least 1: the smaller of its affinity
 * (sched_getaffinity) and its container's quota (cgroup v2 cpu.max), rounded
 * up, at most WEIR_LANES_WIDTH_MAX. Looked up once.
 */
WEIR_EXPORT size_t weir_lanes_default_width(void);

#ifdef __BLOCKS__
/*! @function weir_lanes_async  @abstract weir_lanes_async_f with a block,
 *  copied and released after it ran. */
WEIR_EXPORT int
weir_lanes_async(weir_lanes_t lanes,
                 void (^work)(void *WEIR_NULLABLE lane_context));

/*! @function weir_lanes_try_async  @abstract weir_lanes_try_async_f with a
 *  block, copied where it is accepted. */
WEIR_EXPORT int
weir_lanes_try_async(weir_lanes_t lanes,
                     void (^work)(void *WEIR_NULLABLE lane_context));

/*! @function weir_group_lanes  @abstract weir_group_lanes_f with a block,
 *  copied, and released after it ran or was dropped. */
WEIR_EXPORT int weir_group_lanes(weir_group_t group, weir_lanes_t lanes,
                                 int (^work)(void *WEIR_NULLABLE lane_context));

/*! @function weir_lanes_notify  @abstract weir_lanes_notify_f with a block. */
WEIR_EXPORT void weir_lanes_notify(weir_lanes_t lanes, dispatch_queue_t queue,
                                   void (^work)(void));
#endif

WEIR_END_DECLS

#endif /* WEIR_LANES_H */
