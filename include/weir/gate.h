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
 * second.
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
 * (and nothing else), and the last of them frees the gate.
 */
WEIR_EXPORT void weir_gate_release(weir_gate_t gate);

/*!
 * @function weir_gate_wait
 *
 * @abstract
 * Takes permits, all at once, waiting for its turn.
 *
 * @param gate    The gate.
 * @param count   How many; 0 succeeds at once.
 * @param timeout When to give up. A wait that gave up holds nothing.
 *
 * @result
 * 0 and the permits are the caller's until signalled; ETIMEDOUT; EINVAL at
 * once when count is more than the permits there are; ENOMEM when it would
 * have to wait and cannot. Blocks the caller; without contention it costs two
 * atomic operations.
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
 * 0, EAGAIN, or EINVAL when count is more than the permits there are. Never
 * blocks.
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
 * @struct weir_gate_stats_t
 *
 * @field permits   how many there are
 * @field in_use    how many are out
 * @field peak      the most that were ever out
 * @field waiting   callers waiting now
 * @field waits     successful calls of wait and try, with a count over 0
 * @field blocked   of these, how many had to wait
 * @field timed_out waits that gave up
 * @field woken     waiters woken by signals
 * @field nanoseconds_waited      by all who had to wait, together
 * @field nanoseconds_waited_most by the one who waited longest
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

WEIR_END_DECLS

#endif /* WEIR_GATE_H */
