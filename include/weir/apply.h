/*
 * weir/apply.h: concurrent loops with striding, over dispatch_apply_f.
 *
 * dispatch_apply passes one index at a time to its body; these loops pass
 * half-open ranges of indices. A loop blocks the caller, which takes part in
 * the work. Calls may be nested.
 */
#ifndef WEIR_APPLY_H
#define WEIR_APPLY_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * Lets Weir choose the stride. In a loop it depends on the measured cost of the
 * iterations (guided self-scheduling). In a reduction it depends on the count
 * alone: the smallest stride that makes at most 1,024 ranges.
 */
#define WEIR_STRIDE_AUTO ((size_t)0)

/*!
 * Calls body for ranges that together are [0, count), several at once, and
 * returns when all calls have returned.
 *
 * @param count   The number of iterations; 0 calls nothing.
 * @param stride  The number of iterations a call; the last call may get fewer.
 *                WEIR_STRIDE_AUTO leaves the choice to Weir.
 * @param queue   The queue for the work. NULL is the default: as many threads
 *                as cores, the caller among them. On a serial queue the ranges
 *                run in order. To loop on a queue that the caller holds is
 *                misuse, for queues of any origin: the serial queue that it is
 *                called on, one above or below that queue in the hierarchy of
 *                targets, or a concurrent queue in a barrier.
 * @param body    Called with begin < end, every index in exactly one call.
 *                Ranges are claimed in index order.
 *
 * @discussion Takes O(count / stride) atomic operations; with WEIR_STRIDE_AUTO
 * one for at least 2 microseconds of work, except for the first and the last
 * ranges. An automatic range takes at most a millisecond, measured by the range
 * before it. If Linux starts a worker of an automatic loop on the caller's own
 * processor, Weir changes the affinity of that thread for a moment.
 *
 * To detect a loop on a held queue, Weir handles SIGILL (on some machines
 * SIGTRAP) during a loop that a job on a queue, or the main thread, starts on a
 * queue that is neither NULL nor global; any other fault is passed on, and a
 * thread that blocks this signal dies without the sentence. If several threads
 * loop onto the concurrent queue that they are called on, libdispatch can block
 * all of them forever: pass NULL.
 */
WEIR_EXPORT void weir_apply_f(size_t count, size_t stride,
                              dispatch_queue_t WEIR_NULLABLE queue,
                              void *WEIR_NULLABLE context,
                              void (*body)(void *WEIR_NULLABLE context,
                                           size_t begin, size_t end));

/*!
 * weir_apply_f that stops early if a body returns false.
 *
 * @param body Returns true to continue. After the first false no further range
 *             starts; ranges that have started run to their end.
 *
 * @result True if every index ran and every body returned true.
 */
WEIR_EXPORT bool weir_apply_while_f(size_t count, size_t stride,
                                    dispatch_queue_t WEIR_NULLABLE queue,
                                    void *WEIR_NULLABLE context,
                                    bool (*body)(void *WEIR_NULLABLE context,
                                                 size_t begin, size_t end));

/*!
 * Reduces [0, count) to one value: a partial result for each stride, all of
 * them combined in index order, one after the other.
 *
 * @param count   The number of iterations; 0 leaves the result as it is.
 * @param stride  The number of iterations a partial result. With
 *                WEIR_STRIDE_AUTO it depends on the count alone, so that the
 *                result is the same on any number of cores, to the last bit of
 *                a floating-point sum.
 * @param queue   As in weir_apply_f.
 * @param result  On entry the neutral value, 0 for a sum: every partial result
 *                begins as a copy of its bytes. On return the reduction.
 * @param size    sizeof *result, in bytes; at least 1.
 * @param body    Adds the iterations [begin, end) to *partial, which is aligned
 *                for any type and used by no other call meanwhile.
 * @param combine Adds a partial result to *result; called on the calling
 *                thread, in index order, for every stride.
 *
 * @result 0; or ENOMEM or EINVAL (a size of 0), and nothing was called. Takes
 * O(count / stride) time and size bytes for each stride.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_reduce_f(size_t count, size_t stride, dispatch_queue_t WEIR_NULLABLE queue,
              void *WEIR_NULLABLE context, void *result, size_t size,
              void (*body)(void *WEIR_NULLABLE context, size_t begin,
                           size_t end, void *partial),
              void (*combine)(void *WEIR_NULLABLE context, void *result,
                              const void *partial));

#ifdef WEIR_BLOCKS
/*! weir_apply_f with a block, not copied. */
WEIR_EXPORT void
weir_apply(size_t count, size_t stride, dispatch_queue_t WEIR_NULLABLE queue,
           WEIR_NOESCAPE void (^body)(size_t begin, size_t end));

/*! weir_apply_while_f with a block. */
WEIR_EXPORT bool weir_apply_while(size_t count, size_t stride,
                                  dispatch_queue_t WEIR_NULLABLE queue,
                                  WEIR_NOESCAPE bool (^body)(size_t begin,
                                                             size_t end));

/*! weir_reduce_f with blocks. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_reduce(size_t count, size_t stride, dispatch_queue_t WEIR_NULLABLE queue,
            void *result, size_t size,
            WEIR_NOESCAPE void (^body)(size_t begin, size_t end, void *partial),
            WEIR_NOESCAPE void (^combine)(void *result, const void *partial));
#endif

WEIR_END_DECLS

#endif /* WEIR_APPLY_H */
