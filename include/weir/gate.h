/*
 * weir/gate.h: permits, over dispatch_semaphore.
 *
 * A gate grants several permits at once, in the order of the requests: a small
 * request does not overtake a big one. Use it for resources (descriptors,
 * connections, memory), not for events.
 *
 * Take the permit before you submit the work, not inside it: a block that waits
 * in a queue holds a thread, and on Linux the pool grows by one thread a
 * second. weir_gate_async takes the permit without a waiting thread.
 *
 * Both forms may be mixed, even on one queue. If blocks that wait at a gate
 * occupy all threads, so that work of weir_gate_async cannot begin, its permits
 * are given to the blocks after about a second, and the work takes permits when
 * it begins. Only a thread in weir_gate_wait without a time-out can see that;
 * one that waits for the answer to a request, as weir_files_run does, gets no
 * such help. A permit that was taken by other means (a try, a request, a wait
 * elsewhere) and that a plain block is to return can still hang, if the threads
 * of that block's queue all wait at the gate: submit it to a queue of its own.
 *
 * A job that holds permits should not wait for more of them. It is misuse if
 * work of weir_gate_async waits forever for more permits than its gate has
 * besides those of the work: after two seconds without a resize or a close Weir
 * reports it. If a job took every permit in use itself and waits forever for
 * more than are left, Weir writes a warning after two seconds in which no
 * permit is returned, and the wait goes on. The permits that a job took count
 * as the job's until it signals them, submits work through Weir, which may
 * carry them off, or calls weir_gate_disown.
 */
#ifndef WEIR_GATE_H
#define WEIR_GATE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*! The most permits of a gate: 2^45 - 1, and 2^29 - 1 on 32-bit systems. */
#define WEIR_GATE_PERMITS_MAX                                                  \
    ((size_t)(UINT64_MAX >> (SIZE_MAX > UINT32_MAX ? 19 : 35)))

/*! A gate; reference-counted. */
typedef struct weir_gate_s *weir_gate_t;

/*!
 * Makes a gate with all permits free.
 *
 * @param label   A name for messages and traces; copied; NULL for none.
 * @param permits The number of permits, at most WEIR_GATE_PERMITS_MAX. A gate
 *                of 0 permits is paused: every request for at most
 *                WEIR_GATE_PERMITS_MAX permits waits until a resize.
 *
 * @result The gate; NULL with errno EINVAL or ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_gate_t WEIR_NULLABLE
weir_gate_create(const char *WEIR_NULLABLE label, size_t permits);

/*! @result The gate itself. */
WEIR_EXPORT weir_gate_t weir_gate_retain(weir_gate_t gate);

/*!
 * Drops a reference. Safe while permits are in use: their holders may still
 * signal them (and call nothing else), and the last signal frees the gate. A
 * thread that waits needs a reference of its own: the last release while one
 * waits is misuse. Queued work of weir_gate_async and queued requests hold the
 * gate themselves.
 */
WEIR_EXPORT void weir_gate_release(weir_gate_t gate);

/*!
 * Takes permits, all at once, in the caller's turn.
 *
 * @param count   The number of permits; 0 succeeds at once, unless the gate is
 *                closed.
 * @param timeout The time to give up. A wait that timed out holds no permit.
 *
 * @result
 * 0 and the permits are the caller's until signalled; ETIMEDOUT; ECANCELED if
 * the gate is closed, also during the wait; EINVAL if count is more than the
 * permits of the gate and the gate is not paused (at once, or when a resize
 * makes it so); ENOMEM if the caller would have to wait and cannot. Blocks the
 * caller; without contention it costs two atomic operations.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_wait(weir_gate_t gate, size_t count,
                                                dispatch_time_t timeout);

/*!
 * Takes permits if enough are free and no request waits.
 *
 * @result 0, EAGAIN (also while the gate is paused), ECANCELED if the gate is
 * closed, or EINVAL if count is more than the permits of the gate.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_try(weir_gate_t gate, size_t count);

/*!
 * Returns permits, which may have been taken in other portions. It is misuse to
 * return more permits than are in use.
 *
 * @result The number of waiters that it woke. Does not block, except while
 * another call grants permits.
 */
WEIR_EXPORT size_t weir_gate_signal(weir_gate_t gate, size_t count);

/*!
 * Runs work on a queue once permits are held, and returns them after the work.
 * No thread waits meanwhile.
 *
 * @param gate    The gate; held until work has run.
 * @param count   The number of permits; 0 runs the work without any.
 * @param queue   The queue for the work; retained until then.
 * @param work    The work, called exactly once. It must not signal these
 *                permits.
 *
 * @result 0 and work will run, even if the gate is closed before its turn
 * comes. Otherwise the context stays the caller's: ECANCELED if the gate is
 * closed, EINVAL if count is more than the permits of the gate and the gate is
 * not paused, ENOMEM.
 *
 * @discussion The work takes its turn among all waiters. If its queue has not
 * begun it a second later, other waiters may get its permits (see the
 * beginning); it then waits on its queue's thread, before all other waiters. If
 * a resize makes count too big for the gate, the work gets all permits that the
 * gate then has; if it has none, the work waits for another resize or for the
 * close.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_async_f(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                  void *WEIR_NULLABLE context, dispatch_function_t work);

/*! A request for permits that has been made; reference-counted. */
typedef struct weir_gate_request_s *weir_gate_request_t;

/*!
 * Requests permits and calls a function with the result, for continuations and
 * event loops.
 *
 * @param gate    The gate; held until decided has returned.
 * @param count   The number of permits.
 * @param decided Called exactly once, with 0 (the permits are the caller's
 *                until signalled), ECANCELED (the gate is closed, or the
 *                request was cancelled) or EINVAL (count is more than the
 *                permits of the gate, which is not paused). It runs on the
 *                calling thread before this call returns, or later on the
 *                thread that signals, resizes, closes or cancels, or on one
 *                that waits at the gate or begins work of weir_gate_async. It
 *                delays that thread, so it should not wait, and the caller
 *                should hold no lock that it takes. It may call every function
 *                in this header; a request that such a call decides is called
 *                after decided has returned, so that a chain of requests needs
 *                no stack.
 * @param request Receives the request, for weir_gate_request_cancel, before
 *                decided is called; the caller releases it. NULL for none.
 *
 * @result 0, or ENOMEM and decided will not be called.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_request_f(weir_gate_t gate, size_t count, void *WEIR_NULLABLE context,
                    void (*decided)(void *WEIR_NULLABLE context, int result),
                    weir_gate_request_t WEIR_NULLABLE *WEIR_NULLABLE request);

/*!
 * Removes a request from the queue: decided is called with ECANCELED before
 * this call returns, and the next request is served if that made it possible.
 *
 * @result 0, or EALREADY if the request had been decided. Then decided may not
 * have returned yet, or not even been called.
 */
WEIR_EXPORT int weir_gate_request_cancel(weir_gate_request_t request);

/*! Drops the reference. The queue holds the request itself. */
WEIR_EXPORT void weir_gate_request_release(weir_gate_request_t request);

/*!
 * Changes the number of permits. Waiters are served at once if possible; those
 * that ask for more than the new number get EINVAL. Permits in use stay in use:
 * below their number, no waiter is served until enough have been signalled.
 *
 * @param gate    The gate, which may be closed.
 * @param permits The number of permits, at most WEIR_GATE_PERMITS_MAX. 0 pauses
 *                the gate: all waiters stay, and new ones join them, until a
 *                resize.
 *
 * @result 0 or EINVAL.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_resize(weir_gate_t gate,
                                                  size_t permits);

/*!
 * Refuses all current and later waits and requests with ECANCELED. Work that
 * weir_gate_async has accepted still runs in its turn, and permits in use are
 * signalled as before. Closing twice is allowed.
 */
WEIR_EXPORT void weir_gate_close(weir_gate_t gate);

/*!
 * Declares that another thread will signal permits which the calling job took,
 * because the job passes them on by means other than Weir's: they no longer
 * count as the job's. Outside of jobs on lanes and of weir_gate_async it does
 * nothing.
 */
WEIR_EXPORT void weir_gate_disown(weir_gate_t gate, size_t count);

/*!
 * @field permits   the permits of the gate
 * @field in_use    the permits in use
 * @field peak      the most permits ever in use at once
 * @field waiting   the current waiters: blocked callers, requests and
 *                  asynchronous work
 * @field waits     the times that permits were obtained, without counts of 0
 * @field blocked   the part of waits that had to wait
 * @field timed_out the waits that timed out
 * @field woken     the waiters served by signals
 * @field nanoseconds_waited      the time that all waiters waited, together
 * @field nanoseconds_waited_most the longest time that one waiter waited
 * @field cancelled the waits and requests that ended with ECANCELED or EINVAL
 *                  after they had been queued
 * @field closed    true after weir_gate_close
 */
typedef struct {
    size_t permits;
    size_t in_use;
    size_t peak;
    size_t waiting;
    uint64_t waits;
    uint64_t blocked;
    uint64_t timed_out;
    uint64_t woken;
    uint64_t nanoseconds_waited;
    uint64_t nanoseconds_waited_most;
    uint64_t cancelled;
    bool closed;
} weir_gate_stats_t;

/*!
 * Reads the statistics. Each value is exact; they are not of one instant. The
 * size is sizeof *stats, so that the struct can grow.
 */
WEIR_EXPORT void weir_gate_stats(weir_gate_t gate, weir_gate_stats_t *stats,
                                 size_t size);

#ifdef WEIR_BLOCKS
/*! weir_gate_async_f with a block, copied and released after it ran. */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_async(weir_gate_t gate, size_t count,
                                                 dispatch_queue_t queue,
                                                 void (^work)(void));

/*! weir_gate_request_f with a block, copied and released after it was called. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_request(weir_gate_t gate, size_t count, void (^decided)(int result),
                  weir_gate_request_t WEIR_NULLABLE *WEIR_NULLABLE request);
#endif

WEIR_END_DECLS

#endif /* WEIR_GATE_H */
