/*
 * weir/queue.h: queues that own a context.
 *
 * The Concurrency Programming Guide, "Storing Custom Context Information with
 * a Queue" and "Providing a Clean Up Function For a Queue" (listing 3-3):
 * dispatch_set_context and dispatch_set_finalizer_f, without their two silent
 * traps. libdispatch calls no finalizer if the context is NULL: Weir calls it,
 * with NULL. And libdispatch ignores a context set on the main queue or a
 * global one: Weir returns EINVAL. A finalizer that is moved here from
 * libdispatch must therefore accept NULL (free does), or the queue be made
 * without one.
 */
#ifndef WEIR_QUEUE_H
#define WEIR_QUEUE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
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
 * The context that the queue owns; may be NULL.
 *
 * @param finalizer
 * Called exactly once, with the context that the queue then has, even if that
 * is NULL (libdispatch would not call it), on the target queue, soon after the
 * last reference is released and the last job has ended. This is usually after
 * dispatch_release returns, but do not rely on either order. NULL for none.
 *
 * @result
 * The queue, which the caller ends with dispatch_release. It is an ordinary
 * dispatch queue in every way but one: with a finalizer, only
 * weir_queue_set_context changes its context. dispatch_set_context on a queue
 * whose context is NULL would hide the finalizer; that is misuse, reported when
 * the queue ends (if the new context is NULL too, Weir cannot detect it and the
 * finalizer is not called). NULL with errno ENOMEM if memory is short; the
 * context then stays the caller's. Never blocks.
 */
WEIR_EXPORT WEIR_WARN_RESULT dispatch_queue_t WEIR_NULLABLE weir_queue_create(
    const char *WEIR_NULLABLE label, dispatch_queue_attr_t WEIR_NULLABLE attr,
    void *WEIR_NULLABLE context, dispatch_function_t WEIR_NULLABLE finalizer);

/*!
 * Returns the context of a queue made by weir_queue_create.
 * dispatch_get_context returns the same pointer if the context is not NULL.
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
 * Replaces the context. The finalizer will receive the new one; the old one is
 * the caller's again.
 *
 * @param queue
 * A queue made by weir_queue_create. Jobs on it must not read the context at
 * the same time; calling this function on the queue itself is one way.
 *
 * @param context
 * The new context, or NULL.
 *
 * @result
 * 0; EINVAL for the main queue and the global ones, which would ignore the
 * context, and for every other queue that weir_queue_create did not make;
 * ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_queue_set_context(dispatch_queue_t queue, void *WEIR_NULLABLE context);

WEIR_END_DECLS

#endif /* WEIR_QUEUE_H */
