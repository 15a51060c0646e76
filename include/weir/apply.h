/*
 * weir/apply.h: concurrent loops with striding, over dispatch_apply_f.
 *
 * The Concurrency Programming Guide, "Performing Loop Iterations
 * Concurrently" and "Improving on Loop Code": dispatch_apply hands out one
 * index at a time; these hand out half-open ranges of them.
 */
#ifndef WEIR_APPLY_H
#define WEIR_APPLY_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @const WEIR_STRIDE_AUTO
 *
 * @abstract
 * As stride: chosen by Weir. In a loop from what the iterations cost, as they
 * are measured while it runs (guided self-scheduling); in a reduction from the
 * count alone: the smallest stride that makes at most 1,024 ranges.
 */
#define WEIR_STRIDE_AUTO ((size_t)0)

/*!
 * @function weir_apply_f
 *
 * @abstract
 * Calls body for ranges that together are [0, count), several at once, and
 * returns when all calls have returned.
 *
 * @param count
 * How many iterations; 0 is allowed and calls nothing.
 *
 * @param stride
 * Iterations a call, at least 1: the last call may get fewer.
 * WEIR_STRIDE_AUTO leaves the choice to Weir.
 *
 * @param queue
 * Where to run. NULL is the default: as many threads as cores, the caller
 * among them. On a serial queue the ranges run one after the other, in order.
 * On a queue that the caller holds it would wait for itself: the serial queue it
 * is called on, one above or below that in the hierarchy of targets, a
 * concurrent queue in a barrier. That is misuse, whoever made the queue. To see
 * it Weir handles SIGILL (SIGTRAP, as the machine has it) for the length of a
 * loop that a job on a queue, or the main thread, starts on a queue that is
 * neither NULL nor global; a fault that is not of this kind is passed on.
 *
 * @param context
 * Handed to body; may be NULL.
 *
 * @param body
 * Called with begin < end, every index in exactly one call. Ranges are
 * claimed in index order, and on a serial queue they also start so.
 *
 * @discussion
 * Blocks the caller, who takes part in the work. Calls may be nested. Takes
 * O(count / stride) atomic operations; with WEIR_STRIDE_AUTO one for at least 2
 * microseconds of work, but for the first ranges and the last. An automatic
 * range takes no more than a millisecond, as far as the one before tells. On
 * Linux an automatic loop moves a worker away that the system started on the
 * caller's own processor, by changing that thread's affinity and putting it
 * back.
 */
WEIR_EXPORT void weir_apply_f(size_t count, size_t stride,
                              dispatch_queue_t WEIR_NULLABLE queue,
                              void *WEIR_NULLABLE context,
                              void (*body)(void *WEIR_NULLABLE context,
                                           size_t begin, size_t end));

/*!
 * @function weir_apply_while_f
 *
 * @abstract
 * As weir_apply_f, until a body says stop.
 *
 * @param count   As above.
 * @param stride  As above.
 * @param queue   As above.
 * @param context As above.
 *
 * @param body
 * Returns whether to go on. After the first false no further range is
 * started; those already started run to their end.
 *
 * @result
 * Whether every index ran and every body said true.
 */
WEIR_EXPORT bool weir_apply_while_f(size_t count, size_t stride,
                                    dispatch_queue_t WEIR_NULLABLE queue,
                                    void *WEIR_NULLABLE context,
                                    bool (*body)(void *WEIR_NULLABLE context,
                                                 size_t begin, size_t end));

/*!
 * @function weir_reduce_f
 *
 * @abstract
 * Reduces [0, count) to one value: a partial result for each stride, all of
 * them combined in index order, one after the other.
 *
 * @param count   How many iterations; 0 leaves the result as it is.
 *
 * @param stride
 * Iterations a partial result. With WEIR_STRIDE_AUTO it comes from the count
 * alone, so that the result is the same, to the last bit of a floating-point
 * sum, on any number of cores.
 *
 * @param queue   As in weir_apply_f.
 * @param context Handed to body and combine; may be NULL.
 *
 * @param result
 * On entry the neutral value, 0 for a sum: every partial result begins as a
 * copy of its bytes. On return the reduction. Any type that may be copied
 * byte by byte.
 *
 * @param size    sizeof *result, in bytes; at least 1.
 *
 * @param body
 * Adds the iterations [begin, end) to *partial; called as in weir_apply_f.
 * partial is aligned for any type, and nobody else's meanwhile.
 *
 * @param combine
 * Adds a partial result to *result; on the calling thread, in index order, and
 * for every stride.
 *
 * @result
 * 0; ENOMEM or EINVAL (a size of 0), and nothing was called. Blocks the caller,
 * who takes part. Takes O(count / stride) time and size bytes for each stride.
 */
WEIR_EXPORT int
weir_reduce_f(size_t count, size_t stride, dispatch_queue_t WEIR_NULLABLE queue,
              void *WEIR_NULLABLE context, void *result, size_t size,
              void (*body)(void *WEIR_NULLABLE context, size_t begin,
                           size_t end, void *partial),
              void (*combine)(void *WEIR_NULLABLE context, void *result,
                              const void *partial));

#ifdef __BLOCKS__
/*! @function weir_apply  @abstract weir_apply_f with a block, not copied. */
WEIR_EXPORT void
weir_apply(size_t count, size_t stride, dispatch_queue_t WEIR_NULLABLE queue,
           WEIR_NOESCAPE void (^body)(size_t begin, size_t end));

/*! @function weir_apply_while  @abstract weir_apply_while_f with a block. */
WEIR_EXPORT bool weir_apply_while(size_t count, size_t stride,
                                  dispatch_queue_t WEIR_NULLABLE queue,
                                  WEIR_NOESCAPE bool (^body)(size_t begin,
                                                             size_t end));

/*! @function weir_reduce  @abstract weir_reduce_f with blocks. */
WEIR_EXPORT int
weir_reduce(size_t count, size_t stride, dispatch_queue_t WEIR_NULLABLE queue,
            void *result, size_t size,
            WEIR_NOESCAPE void (^body)(size_t begin, size_t end, void *partial),
            WEIR_NOESCAPE void (^combine)(void *result, const void *partial));
#endif

WEIR_END_DECLS

#endif /* WEIR_APPLY_H */
