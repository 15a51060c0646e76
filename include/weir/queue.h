/*
 * weir/queue.h: queues that own a context.
 *
 * The Concurrency Programming Guide, "Storing Custom Context Information with
 * a Queue" and "Providing a Clean Up Function For a Queue" (listing 3-3):
 * dispatch_set_context and dispatch_set_finalizer_f, with the two silent traps
 * taken out. libdispatch calls no finalizer where the context is NULL, and
 * ignores a context set on the main queue or a global one.
 */
#ifndef WEIR_QUEUE_H
#define WEIR_QUEUE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @function weir_queue_create
 *
 * @abstract
 * Makes a dispatch queue that owns a context.
 *
 * @param label
 * A name for debugging; copied; NULL for none.
 *
 * @param attr
 * DISPATCH_QUEUE_SERIAL (NULL), DISPATCH_QUEUE_CONCURRENT, or an attribute
 * made from them.
 *
 * @param context
 * What the queue owns; may be NULL.
 *
 * @param finalizer
 * Called exactly once, with the context the queue then has (also when that is
 * NULL), soon after the last reference is released and the last job has
 * ended, on the target queue; not before dispatch_release returns, as a rule,
 * so do not count on either. NULL for none.
 *
 * @result
 * The queue, for its caller to dispatch_release; an ordinary dispatch queue in
 * every way but one: with a finalizer its context is changed by
 * weir_queue_set_context alone. dispatch_set_context of a queue whose context
 * is NULL would hide the finalizer: that is misuse, which is told when the
 * queue ends (with NULL it cannot be seen, and the finalizer is not called).
 * NULL with errno ENOMEM where memory is short: the context then
 * stays the caller's. Never blocks.
 */
WEIR_EXPORT WEIR_WARN_RESULT dispatch_queue_t WEIR_NULLABLE weir_queue_create(
    const char *WEIR_NULLABLE label, dispatch_queue_attr_t WEIR_NULLABLE attr,
    void *WEIR_NULLABLE context, dispatch_function_t WEIR_NULLABLE finalizer);

/*!
 * @function weir_queue_get_context
 *
 * @abstract
 * The context of a queue made by weir_queue_create. dispatch_get_context gives
 * the same pointer where it is not NULL.
 *
 * @param queue
 * Any queue.
 *
 * @result
 * The context; NULL for a queue that weir_queue_create did not make. Never
 * blocks.
 */
WEIR_EXPORT void *WEIR_NULLABLE weir_queue_get_context(dispatch_queue_t queue);

/*!
 * @function weir_queue_set_context
 *
 * @abstract
 * Replaces the context. The finalizer will be given the new one; the old one
 * is the caller's again.
 *
 * @param queue
 * A queue made by weir_queue_create. Jobs on it that read the context have to
 * be kept from doing so at the same time, by calling this on the queue itself
 * for instance.
 *
 * @param context
 * The new context, or NULL.
 *
 * @result
 * 0; EINVAL for the main queue and the global ones, which would ignore it, and
 * for every other queue that weir_queue_create did not make; ENOMEM.
 */
WEIR_EXPORT int weir_queue_set_context(dispatch_queue_t queue,
                                       void *WEIR_NULLABLE context);

WEIR_END_DECLS

#endif /* WEIR_QUEUE_H */
