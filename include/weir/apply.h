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
 * As stride: chosen by Weir. In this version from the count alone: the
 * smallest stride that makes at most 1,024 ranges.
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
 * Calling it on the serial queue one is on is misuse; it is told where
 * weir_queue_create made the queue with DISPATCH_QUEUE_SERIAL, and where it did
 * not libdispatch traps without a word.
 *
 * @param context
 * Handed to body; may be NULL.
 *
 * @param body
 * Called with begin < end, every index in exactly one call. Ranges start in
 * index order.
 *
 * @discussion
 * Blocks the caller, who takes part in the work. Calls may be nested. Takes
 * O(count / stride) atomic operations.
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
#endif

WEIR_END_DECLS

#endif /* WEIR_APPLY_H */
