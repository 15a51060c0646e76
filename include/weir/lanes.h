/*
 * weir/lanes.h: the bounded executor, one FIFO drained by a fixed number of
 * serial queues.
 *
 * A semaphore inside the block holds a thread for each waiting block, and the
 * pool starts with one thread a core. A serial queue gets a thread of its own
 * at once. So `width` serial queues reach the limit at once, and one FIFO in
 * front of them keeps short jobs from waiting for long ones. Every lane owns a
 * context (a buffer, a digest state), made once and freed by the lane's
 * finalizer. A whole program, with results in order and the first error, is at
 * the beginning of weir(7).
 *
 * If the system gives this process no more threads (ulimit -u, a container's
 * limit, too little address space), libdispatch sleeps for a second in the
 * thread that submits the job, and tries again until it gets one, without an
 * error. A program that may run near such a limit starts as many threads as its
 * lanes need before it submits work, and ends them: what pthread_create refuses
 * then is what the lanes would wait for.
 *
 * Long because submits, requests and the control of lanes are one type.
 */
#ifndef WEIR_LANES_H
#define WEIR_LANES_H

#include <weir/base.h>
#include <weir/group.h>

WEIR_BEGIN_DECLS

/*! Lanes; reference-counted. */
typedef struct weir_lanes_s *weir_lanes_t;

/*!
 * A width with which every job runs on the thread that submits it, in order,
 * before the submit returns. A job submitted by a running job runs after it,
 * without recursion. If two threads submit at once, one of them runs both jobs.
 * There is one lane context. For tests and teaching.
 */
#define WEIR_LANES_INLINE SIZE_MAX

#define WEIR_LANES_WIDTH_MAX ((size_t)200)

/*!
 * The number of threads that all lanes of the process may hold together, for
 * each quality of service. libdispatch stops at 255, and a serial queue beyond
 * them waits without an end. A lane holds a thread while it runs jobs. A lane
 * beyond the number waits, in order, until another one is idle: lanes whose
 * jobs wait for each other should have fewer together. The first time that a
 * lane waits, a warning names its lanes; WEIR_LANES_LIMIT_THREADS reports each
 * one.
 */
#define WEIR_LANES_THREADS_MAX ((size_t)240)

/*!
 * A backlog that queues no job: a submit is accepted only if a lane is free to
 * run the job now. weir_lanes_try_async_f refuses while all lanes are busy or
 * suspended, and weir_lanes_async_f waits for a free lane.
 */
#define WEIR_LANES_NO_BACKLOG (SIZE_MAX - 1)

/*!
 * The options for new lanes. A zeroed field means the default.
 *
 * @field label        a name for messages, traces and queues; copied
 * @field width        the number of jobs that may run at once: 1 to
 *                     WEIR_LANES_WIDTH_MAX, WEIR_LANES_INLINE, or 0 for the
 *                     result of weir_lanes_default_width
 * @field qos          a quality of service class, or 0 for the default
 * @field backlog      the number of jobs that may be queued before a submit
 *                     waits, besides those that run; 0 for no bound, or
 *                     WEIR_LANES_NO_BACKLOG. WEIR_LANES_INLINE has no bound.
 *                     Waiting submits are served in order, a thread when lanes
 *                     have taken half of the backlog.
 * @field lane_create  makes the context of one lane, from user and the number
 *                     of the lane, from 0; called for every lane, in no set
 *                     order, before weir_lanes_create returns. NULL is a
 *                     context like any other.
 * @field lane_destroy frees a lane context, even NULL; called exactly once for
 *                     each lane, on any thread, soon after the last job has
 *                     ended and the last reference is gone
 * @field user         passed to lane_create
 * @field dropped      called with the context of each job that
 *                     weir_lanes_cancel or weir_lanes_request_withdraw drops,
 *                     to free it; NULL for none. Not called for blocks and for
 *                     jobs submitted with a drop function of their own.
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
 * Makes lanes from options, or NULL for all defaults, which are not kept.
 *
 * @result The lanes; NULL with errno EINVAL (a width above
 * WEIR_LANES_WIDTH_MAX) or ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_lanes_t WEIR_NULLABLE
weir_lanes_create(const weir_lanes_options_t *WEIR_NULLABLE options);

/*! @result The lanes themselves. */
WEIR_EXPORT weir_lanes_t weir_lanes_retain(weir_lanes_t lanes);

/*!
 * Drops a reference, on any thread, even on a lane. Queued jobs still run, and
 * running jobs may still use the lanes, but not retain them. It is misuse if
 * the last reference is gone and the last running job has ended while the lanes
 * are suspended with queued jobs: no code could resume them.
 */
WEIR_EXPORT void weir_lanes_release(weir_lanes_t lanes);

/*!
 * Submits a job.
 *
 * @param work    The job, with the context of the lane that it runs on. Jobs
 *                start in the order in which they were submitted.
 *
 * @result 0; otherwise the context stays the caller's: ECANCELED if the lanes
 * are closed (also during the wait), ENOMEM. Blocks while the backlog is full,
 * but not in a job of these lanes, nor in a loop (weir_apply_f) that such a job
 * called.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_lanes_async_f(weir_lanes_t lanes, void *WEIR_NULLABLE context,
                   void (*work)(void *WEIR_NULLABLE context,
                                void *WEIR_NULLABLE lane_context));

/*!
 * weir_lanes_async_f that never blocks.
 *
 * @result 0, ECANCELED, ENOMEM, or EAGAIN if the backlog is full, if other
 * submits wait for it or, with WEIR_LANES_NO_BACKLOG, if no lane is free (even
 * in a job of these lanes).
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_lanes_try_async_f(weir_lanes_t lanes, void *WEIR_NULLABLE context,
                       void (*work)(void *WEIR_NULLABLE context,
                                    void *WEIR_NULLABLE lane_context));

/*!
 * weir_lanes_async_f for a job with a drop function of its own.
 *
 * @param dropped Called instead of work if weir_lanes_cancel drops the job;
 *                replaces dropped of the options. NULL for none.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_lanes_async_drop_f(
    weir_lanes_t lanes, void *WEIR_NULLABLE context,
    void (*work)(void *WEIR_NULLABLE context, void *WEIR_NULLABLE lane_context),
    void (*WEIR_NULLABLE dropped)(void *WEIR_NULLABLE context));

/*! A request to lanes that has been made; reference-counted. */
typedef struct weir_lanes_request_s *weir_lanes_request_t;

/*!
 * Submits a job as weir_lanes_async_f does, but calls a function when it is
 * accepted in place of blocking. Requests and threads that wait for the backlog
 * are served in the order in which they came.
 *
 *     static void decided(void *job, int result) {
 *         if (result != 0) { // the lanes were closed
 *             free(job);
 *         }
 *     }
 *     ...
 *     int error = weir_lanes_request_f(lanes, job, run, decided, NULL);
 *
 * @param lanes   The lanes; held until decided has returned.
 * @param work    The job. It may begin, end or be dropped before decided is
 *                called.
 * @param decided Called exactly once, with 0 if the job was accepted. From its
 *                acceptance on weir_lanes_cancel may drop the job, with dropped
 *                of the options. Otherwise the context stays the caller's:
 *                ECANCELED (the lanes are closed, or the request was cancelled)
 *                or ENOMEM. It runs on the calling thread before this call
 *                returns, or later on a lane before its next job, or on the
 *                thread that closes, cancels, resumes or suspends the lanes or
 *                ends a visit. It delays that thread, so it should not wait,
 *                and the caller should hold no lock that it takes. It may call
 *                the functions in this header that do not block; a request that
 *                such a call decides is called after decided has returned, on
 *                the same thread.
 * @param request Receives the request, for weir_lanes_request_cancel, before
 *                decided is called; the caller releases it. NULL for none.
 *
 * @result 0, or ENOMEM and decided will not be called. A request of a job of
 * these lanes waits for room like any other. With WEIR_LANES_INLINE the job
 * runs before the call returns.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_lanes_request_f(
    weir_lanes_t lanes, void *WEIR_NULLABLE context,
    void (*work)(void *WEIR_NULLABLE context, void *WEIR_NULLABLE lane_context),
    void (*decided)(void *WEIR_NULLABLE context, int result),
    weir_lanes_request_t WEIR_NULLABLE *WEIR_NULLABLE request);

/*!
 * Calls a function once no job is queued or running: weir_lanes_notify_f that
 * can be cancelled. Submits that still wait for the backlog do not count. The
 * rules of weir_lanes_request_f apply to its arguments and result.
 *
 * @param decided Called exactly once, with 0, or with ECANCELED if the request
 *                was cancelled. It runs on the calling thread before this call
 *                returns if no job is there now; otherwise on the lane that
 *                ends the last job, or the thread that drops it.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_lanes_request_idle_f(
    weir_lanes_t lanes, void *WEIR_NULLABLE context,
    void (*decided)(void *WEIR_NULLABLE context, int result),
    weir_lanes_request_t WEIR_NULLABLE *WEIR_NULLABLE request);

/*!
 * Removes a request from its queue: decided is called with ECANCELED before
 * this call returns.
 *
 * @result 0, or EALREADY if the request had been decided. Then decided may not
 * have returned yet, or not even been called.
 */
WEIR_EXPORT int weir_lanes_request_cancel(weir_lanes_request_t request);

/*!
 * Withdraws the job of a request, also after its acceptance: cancels the
 * request if it is undecided, and else drops the job if it has not started.
 * Dropped of the options gets its context before this call returns.
 *
 * @result 0, or EALREADY if the job has started or was dropped, or if the
 * request was refused or is one for an idle moment that was decided.
 * Logarithmic in the length of the queue.
 */
WEIR_EXPORT int weir_lanes_request_withdraw(weir_lanes_request_t request);

/*! Drops the reference. The queue holds the request itself. */
WEIR_EXPORT void weir_lanes_request_release(weir_lanes_request_t request);

/*!
 * weir_group_async_f on lanes, so that submission is bounded by their backlog.
 *
 * @result 0, or ECANCELED or ENOMEM and nothing was submitted. If
 * weir_lanes_cancel drops the job, the lanes' drop function gets its context,
 * and the job leaves the group with the result ECANCELED. If the group has
 * failed, a lane drops the job in its turn, with the same function. Blocks as
 * weir_lanes_async_f does.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_group_lanes_f(
    weir_group_t group, weir_lanes_t lanes, void *WEIR_NULLABLE context,
    int (*work)(void *WEIR_NULLABLE context, void *WEIR_NULLABLE lane_context));

/*! Waits until no job is queued or running, including jobs submitted meanwhile.
 *  In a job of these lanes the wait is misuse. Returns 0 or ETIMEDOUT. Blocks. */
WEIR_EXPORT int weir_lanes_wait(weir_lanes_t lanes, dispatch_time_t timeout);

/*!
 * Visits the context of every lane while no job runs, for example to add up
 * what the lanes have counted, after weir_lanes_wait.
 *
 * @param visit Called on the calling thread with each lane's context, in the
 *              order of the lanes' numbers. It sees all that jobs wrote to
 *              what the context points to, and may change it. Jobs submitted
 *              meanwhile start after the last visit, so it must not wait for
 *              them: a submit that has to wait for room waits forever.
 *
 * @result 0; EBUSY, and nothing was visited, if a job runs or is about to
 * start, or another call visits the lanes. Suspended lanes can be visited once
 * their running jobs have ended. Linear in the width.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_lanes_each(
    weir_lanes_t lanes, void *WEIR_NULLABLE user,
    void (*visit)(void *WEIR_NULLABLE user, void *WEIR_NULLABLE lane_context));

/*! Runs work on a queue once no job is queued or running; soon if none is now. */
WEIR_EXPORT void weir_lanes_notify_f(weir_lanes_t lanes, dispatch_queue_t queue,
                                     void *WEIR_NULLABLE context,
                                     dispatch_function_t work);

/*!
 * Prevents further jobs from starting until weir_lanes_resume. Running jobs
 * continue, and submits are accepted up to the backlog. Calls nest.
 */
WEIR_EXPORT void weir_lanes_suspend(weir_lanes_t lanes);

/*!
 * Undoes one weir_lanes_suspend. With WEIR_LANES_INLINE the last resume runs
 * the queued jobs before it returns. A resume without a suspend is misuse.
 */
WEIR_EXPORT void weir_lanes_resume(weir_lanes_t lanes);

/*! Refuses new jobs with ECANCELED, also those that wait for the backlog, and
 *  finishes the accepted ones. Can be repeated, but not undone. */
WEIR_EXPORT void weir_lanes_close(weir_lanes_t lanes);

/*!
 * Drops every job that has not started. The drop function of each job gets its
 * context, on the calling thread and in the order of submission, before this
 * call returns. Running jobs continue. Submits that wait for the backlog get
 * the room. The lanes stay open; to end them, close them first.
 *
 * @result The number of dropped jobs.
 */
WEIR_EXPORT size_t weir_lanes_cancel(weir_lanes_t lanes);

/*!
 * The reason why no more jobs run.
 *
 * @constant WEIR_LANES_LIMIT_WIDTH     all lanes run a job
 * @constant WEIR_LANES_LIMIT_WORK      there are no more jobs
 * @constant WEIR_LANES_LIMIT_SUSPENDED the lanes are suspended
 * @constant WEIR_LANES_LIMIT_THREADS   jobs are queued and lanes were woken,
 *                                      but they have no threads yet, or the
 *                                      lanes of the process hold
 *                                      WEIR_LANES_THREADS_MAX
 * @constant WEIR_LANES_LIMIT_GATE      all lanes run a job, but some jobs wait
 *                                      for permits of a gate
 */
typedef enum {
    WEIR_LANES_LIMIT_WIDTH = 0,
    WEIR_LANES_LIMIT_WORK = 1,
    WEIR_LANES_LIMIT_SUSPENDED = 2,
    WEIR_LANES_LIMIT_THREADS = 3,
    WEIR_LANES_LIMIT_GATE = 4
} weir_lanes_limit_t;

/*! Returns a reason as a few words of English, such as "all lanes are busy", in
 *  a constant string; "?" for an unknown one. */
WEIR_EXPORT const char *weir_lanes_limit_text(weir_lanes_limit_t limit);

/*!
 * @field width     the number of lanes; 1 for WEIR_LANES_INLINE
 * @field running   the running jobs
 * @field peak      the most jobs that ever ran at once
 * @field queued    the jobs in the FIFO
 * @field queued_peak the most jobs ever in the FIFO
 * @field submitted the jobs ever accepted
 * @field finished  the jobs that have ended
 * @field blocked   the submits and requests that had to wait for the backlog
 * @field dropped   the jobs that weir_lanes_cancel or
 *                  weir_lanes_request_withdraw dropped
 * @field starting  the lanes that were woken and do not run yet
 * @field at_gates  the running jobs that wait for permits of a gate
 * @field limit     the reason why no more jobs run
 * @field suspended the calls of weir_lanes_suspend that are not resumed
 * @field closed    true after weir_lanes_close
 * @field threads   the threads that all lanes of the process with this quality
 *                  of service hold, WEIR_LANES_THREADS_MAX at most
 * @field refused   the submits and requests that were not accepted: for want of
 *                  room (weir_lanes_try_async_f), or since the lanes were closed
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
    size_t threads;
    uint64_t refused;
} weir_lanes_stats_t;

/*! Reads the statistics. All are of one instant, except at_gates, and limit if
 *  it is WEIR_LANES_LIMIT_GATE. The size is sizeof *stats, so that the struct
 *  can grow. */
WEIR_EXPORT void weir_lanes_stats(weir_lanes_t lanes, weir_lanes_stats_t *stats,
                                  size_t size);

/*! Returns the number of cores that this process may use, 1 to
 *  WEIR_LANES_WIDTH_MAX: the smaller of its affinity (sched_getaffinity) and
 *  the least quota of its cgroup and those above it (cgroup v2 cpu.max, v1
 *  cpu.cfs_quota_us), rounded up. Determined once. */
WEIR_EXPORT size_t weir_lanes_default_width(void);

#ifdef WEIR_BLOCKS
/*! weir_lanes_async_f with a block, copied and released after it ran. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_lanes_async(weir_lanes_t lanes,
                 void (^work)(void *WEIR_NULLABLE lane_context));

/*! weir_lanes_try_async_f with a block, copied if it is accepted. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_lanes_try_async(weir_lanes_t lanes,
                     void (^work)(void *WEIR_NULLABLE lane_context));

/*! weir_group_lanes_f with a block, copied, and released after it ran or was
 *  dropped. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_group_lanes(weir_group_t group, weir_lanes_t lanes,
                 int (^work)(void *WEIR_NULLABLE lane_context));

/*! weir_lanes_each with a block, not copied. */
WEIR_EXPORT WEIR_WARN_RESULT int weir_lanes_each_b(
    weir_lanes_t lanes,
    WEIR_NOESCAPE void (^visit)(void *WEIR_NULLABLE lane_context));

/*! weir_lanes_notify_f with a block. */
WEIR_EXPORT void weir_lanes_notify(weir_lanes_t lanes, dispatch_queue_t queue,
                                   void (^work)(void));
#endif

WEIR_END_DECLS

#endif /* WEIR_LANES_H */
