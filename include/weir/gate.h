/*
 * weir/gate.h: permits, over dispatch_semaphore.
 *
 * The Concurrency Programming Guide, "Using Dispatch Semaphores to Regulate
 * the Use of Finite Resources". A gate hands out several permits at once, in
 * the order they were asked for: a small request does not overtake a big one.
 * It is for things one has (descriptors, connections, memory), not for events.
 *
 * Take the permit before submitting the work, not inside it: a block that
 * waits in a queue holds a thread, and on Linux the pool grows by one thread a
 * second. weir_gate_async takes it without any thread that waits.
 *
 * Who holds permits does not wait for more of them. It is misuse where a job on
 * a lane, or work of weir_gate_async, waits for ever for more than its gate has
 * left, every permit that is out was taken by that very job, and for two seconds
 * nothing is given back, resized or closed. Permits that a job took by waiting
 * count as the job's until it signals them, or until it submits something
 * through Weir, which may carry them off. A job that hands permits on by other
 * means (a block on a plain queue), for longer than that, says so with
 * weir_gate_disown.
 */
#ifndef WEIR_GATE_H
#define WEIR_GATE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*! @typedef weir_gate_t  @abstract A gate; counted. */
typedef struct weir_gate_s *weir_gate_t;

/*!
 * @function weir_gate_create
 *
 * @param label
 * A name for messages and traces; copied; NULL for none.
 *
 * @param permits
 * How many permits there are, at most SIZE_MAX / 8. With 0 nothing ever
 * passes.
 *
 * @result
 * A gate with every permit in it and one reference; NULL with errno EINVAL or
 * ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_gate_t WEIR_NULLABLE
weir_gate_create(const char *WEIR_NULLABLE label, size_t permits);

/*! @function weir_gate_retain  @result The gate itself. */
WEIR_EXPORT weir_gate_t weir_gate_retain(weir_gate_t gate);

/*!
 * @function weir_gate_release
 *
 * @abstract
 * Drops a reference. Safe with permits out: who holds permits may still signal
 * (and nothing else), and the last of them frees the gate. A thread that waits
 * needs a reference of its own: the last release with one waiting is misuse. What weir_gate_async
 * and weir_gate_request_f have queued holds the gate by itself.
 */
WEIR_EXPORT void weir_gate_release(weir_gate_t gate);

/*!
 * @function weir_gate_wait
 *
 * @abstract
 * Takes permits, all at once, waiting for its turn.
 *
 * @param gate    The gate.
 * @param count   How many; 0 succeeds at once, unless the gate is closed.
 * @param timeout When to give up. A wait that gave up holds nothing.
 *
 * @result
 * 0 and the permits are the caller's until signalled; ETIMEDOUT; ECANCELED when
 * the gate is closed, or is closed while waiting; EINVAL when count is more than
 * the permits there are (at once, or when a resize makes it so); ENOMEM when it
 * would have to wait and cannot. Blocks the caller; without contention it costs
 * two atomic operations.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_wait(weir_gate_t gate, size_t count,
                                                dispatch_time_t timeout);

/*!
 * @function weir_gate_try
 *
 * @abstract
 * Takes permits if that can be done at once and nobody is waiting.
 *
 * @result
 * 0, EAGAIN, ECANCELED when the gate is closed, or EINVAL when count is more
 * than the permits there are. Never blocks.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_try(weir_gate_t gate, size_t count);

/*!
 * @function weir_gate_signal
 *
 * @abstract
 * Gives permits back; they may have been taken in other portions. More than
 * are out is misuse.
 *
 * @result
 * How many waiters it woke. Does not block, but for the moment in which
 * another call hands out permits.
 */
WEIR_EXPORT size_t weir_gate_signal(weir_gate_t gate, size_t count);

/*!
 * @function weir_gate_async_f
 *
 * @abstract
 * Runs work on a queue once permits are held, and gives them back when it
 * returns. No thread waits meanwhile.
 *
 * @param gate    The gate; held until work has run.
 * @param count   How many permits; 0 runs the work without any.
 * @param queue   Where to run; retained until then.
 * @param context Handed to work; may be NULL.
 * @param work    What to do, exactly once. It must not signal these permits.
 *
 * @result
 * 0 and work will run, also when the gate is closed before its turn comes; else
 * it will not, and the context stays the caller's: ECANCELED when the gate is
 * closed, EINVAL when count is more than the permits there are, ENOMEM. Never
 * blocks.
 *
 * @discussion
 * In its turn among all who wait. What a resize makes too big for the gate is
 * served with all the permits there then are; where there are none it waits for
 * another resize, or for the close.
 */
WEIR_EXPORT int weir_gate_async_f(weir_gate_t gate, size_t count,
                                  dispatch_queue_t queue,
                                  void *WEIR_NULLABLE context,
                                  dispatch_function_t work);

/*!
 * @function weir_gate_grant_f
 *
 * @abstract
 * weir_gate_async_f for work that is run by something else than a dispatch
 * queue: calls a function once permits are held, and leaves them to it.
 *
 * @param gate    The gate; held until granted has returned.
 * @param count   How many permits.
 * @param context Handed to granted; may be NULL.
 *
 * @param granted
 * Called exactly once, given how many permits are the caller's now, until
 * signalled: count, or all there are where a resize made count too big for the
 * gate. On the calling thread before this returns, or later on the thread that
 * signals, resizes or closes: see weir_gate_request_f for what it may do.
 *
 * @result
 * 0 and granted will be called, also when the gate is closed before its turn
 * comes; else ECANCELED, EINVAL or ENOMEM, and it will not. Never blocks.
 */
WEIR_EXPORT int
weir_gate_grant_f(weir_gate_t gate, size_t count, void *WEIR_NULLABLE context,
                  void (*granted)(void *WEIR_NULLABLE context, size_t count));

/*! @typedef weir_gate_request_t
 *  @abstract A request for permits that has been made; counted. */
typedef struct weir_gate_request_s *weir_gate_request_t;

/*!
 * @function weir_gate_request_f
 *
 * @abstract
 * Asks for permits and is called when that is decided. The form without a
 * thread, for continuations and event loops.
 *
 * @param gate    The gate; held until decided has returned.
 * @param count   How many permits.
 * @param context Handed to decided; may be NULL.
 *
 * @param decided
 * Called exactly once, with 0 (the permits are yours until signalled),
 * ECANCELED (the gate is closed, or the request was cancelled) or EINVAL (count
 * is more than the permits there are): on the calling thread before this
 * returns, or later on the thread that signals, resizes, closes or cancels. It
 * holds up that thread, so it hands the work on and does not wait. It may call
 * everything in this header; what is decided through such a call is called when
 * it has returned, on the same thread, so that a chain of them takes no stack.
 *
 * @param request
 * Where to write the request, for weir_gate_request_cancel; it is written
 * before decided is called, and the caller's to release. NULL for none.
 *
 * @result
 * 0, or ENOMEM and decided will not be called. Never blocks.
 */
WEIR_EXPORT int
weir_gate_request_f(weir_gate_t gate, size_t count, void *WEIR_NULLABLE context,
                    void (*decided)(void *WEIR_NULLABLE context, int result),
                    weir_gate_request_t WEIR_NULLABLE *WEIR_NULLABLE request);

/*!
 * @function weir_gate_request_cancel
 *
 * @abstract
 * Takes a request out of the queue: decided is called with ECANCELED before
 * this returns, and the next in the queue is served if that made it possible.
 *
 * @result
 * 0, or EALREADY when the request had been decided. Whoever cancels may not
 * have seen decided return then; it may not even have been called yet.
 */
WEIR_EXPORT int weir_gate_request_cancel(weir_gate_request_t request);

/*!
 * @function weir_gate_request_end
 *
 * @abstract
 * As weir_gate_request_cancel, with a result of the caller's own for decided,
 * by which it tells what ended the request.
 *
 * @param request The request.
 * @param result  Above 0: ETIMEDOUT, by which the statistics and traces count it
 *                among those who timed out, or any other, as a cancellation.
 *
 * @result
 * As of weir_gate_request_cancel.
 */
WEIR_EXPORT int weir_gate_request_end(weir_gate_request_t request, int result);

/*! @function weir_gate_request_retain  @result The request itself. */
WEIR_EXPORT weir_gate_request_t
weir_gate_request_retain(weir_gate_request_t request);

/*!
 * @function weir_gate_request_release
 *
 * @abstract
 * Drops a reference. It does not cancel: the queue holds the request by itself.
 */
WEIR_EXPORT void weir_gate_request_release(weir_gate_request_t request);

/*!
 * @function weir_gate_resize
 *
 * @abstract
 * Changes how many permits there are. Who waits is served at once if it can
 * be; who waits for more than there will be gets EINVAL. Permits that are out
 * stay out: below what is in use nothing is taken back, and nobody is served
 * until enough have been signalled.
 *
 * @param gate    The gate, also a closed one.
 * @param permits How many, at most SIZE_MAX / 8; 0 lets nothing pass.
 *
 * @result
 * 0 or EINVAL. Does not block.
 */
WEIR_EXPORT int weir_gate_resize(weir_gate_t gate, size_t permits);

/*!
 * @function weir_gate_close
 *
 * @abstract
 * Nothing more is let through: who waits gets ECANCELED, and so does who asks
 * from now on. What weir_gate_async has accepted still runs in its turn, and
 * permits that are out are signalled as ever. Closing twice is allowed.
 */
WEIR_EXPORT void weir_gate_close(weir_gate_t gate);

/*!
 * @function weir_gate_disown
 *
 * @abstract
 * Says that permits which the calling job took are given back by somebody else,
 * whom it hands them to by other means than Weir's. Outside of jobs on lanes and
 * of weir_gate_async it does nothing.
 *
 * @param gate  The gate.
 * @param count How many permits.
 *
 * @discussion
 * Else they count as the job's, and it is told that it waits for itself where it
 * then waits for more. Never blocks.
 */
WEIR_EXPORT void weir_gate_disown(weir_gate_t gate, size_t count);

/*!
 * @struct weir_gate_stats_t
 *
 * @field permits   how many there are
 * @field in_use    how many are out
 * @field peak      the most that were ever out
 * @field waiting   who waits now: blocked callers, requests and asynchronous
 *                  work
 * @field waits     how often permits were obtained, a count of 0 not counted
 * @field blocked   of these, how many had to wait
 * @field timed_out waits that gave up
 * @field woken     waiters served by signals
 * @field nanoseconds_waited      by all who had to wait, together
 * @field nanoseconds_waited_most by the one who waited longest
 * @field cancelled waits and requests that ended with ECANCELED or EINVAL after
 *                  they had been queued
 * @field closed    whether weir_gate_close was called
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
 * @function weir_gate_stats
 *
 * @abstract
 * Reads the figures. Each is right by itself; they are not of one instant.
 *
 * @param gate  The gate.
 * @param stats Where to write.
 * @param size  sizeof *stats, so that the struct can grow.
 */
WEIR_EXPORT void weir_gate_stats(weir_gate_t gate, weir_gate_stats_t *stats,
                                 size_t size);

#ifdef __BLOCKS__
/*! @function weir_gate_async  @abstract weir_gate_async_f with a block, copied
 *  and released after it ran. */
WEIR_EXPORT int weir_gate_async(weir_gate_t gate, size_t count,
                                dispatch_queue_t queue, void (^work)(void));

/*! @function weir_gate_grant  @abstract weir_gate_grant_f with a block, copied
 *  and released after it was called. */
WEIR_EXPORT int weir_gate_grant(weir_gate_t gate, size_t count,
                                void (^granted)(size_t count));

/*! @function weir_gate_request  @abstract weir_gate_request_f with a block,
 *  copied and released after it was called. */
WEIR_EXPORT int
weir_gate_request(weir_gate_t gate, size_t count, void (^decided)(int result),
                  weir_gate_request_t WEIR_NULLABLE *WEIR_NULLABLE request);
#endif

WEIR_END_DECLS

#endif /* WEIR_GATE_H */
