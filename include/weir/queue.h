/*
 * weir/queue.h: queues that own a context.
 *
 * dispatch_set_context and dispatch_set_finalizer_f, without their two silent
 * traps. libdispatch calls no finalizer if the context is NULL: Weir calls it,
 * with NULL, so a finalizer must accept that (free does). And libdispatch
 * ignores a context set on the main queue or a global one: Weir returns EINVAL.
 */
#ifndef WEIR_QUEUE_H
#define WEIR_QUEUE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * Makes a dispatch queue that owns a context.
 *
 * @param label     A name for debugging; copied; NULL for none.
 * @param attr      DISPATCH_QUEUE_SERIAL (NULL), DISPATCH_QUEUE_CONCURRENT, or
 *                  an attribute made from them.
 * @param context   The context that the queue owns; may be NULL.
 * @param finalizer Called exactly once, with the context that the queue then
 *                  has, on the target queue, soon after the last reference is
 *                  released and the last job has ended, usually after
 *                  dispatch_release returns. NULL for none.
 *
 * @result An ordinary dispatch queue, which the caller ends with
 * dispatch_release; NULL with errno ENOMEM, and the context stays the caller's.
 * With a finalizer, only weir_queue_set_context changes the context:
 * dispatch_set_context on a queue whose context is NULL would hide the
 * finalizer; that is misuse, reported when the queue ends (if the new context
 * is NULL too, Weir cannot detect it and the finalizer is not called).
 */
WEIR_EXPORT WEIR_WARN_RESULT dispatch_queue_t WEIR_NULLABLE weir_queue_create(
    const char *WEIR_NULLABLE label, dispatch_queue_attr_t WEIR_NULLABLE attr,
    void *WEIR_NULLABLE context, dispatch_function_t WEIR_NULLABLE finalizer);

/*! Returns the context of a queue made by weir_queue_create, NULL for any other
 *  queue. dispatch_get_context returns the same pointer if the context is not
 *  NULL. */
WEIR_EXPORT void *WEIR_NULLABLE weir_queue_get_context(dispatch_queue_t queue);

/*!
 * Replaces the context. The finalizer will receive the new one; the old one is
 * the caller's again.
 *
 * @param queue   A queue made by weir_queue_create. Jobs on it must not read
 *                the context at the same time; calling this function on the
 *                queue itself is one way.
 * @param context The new context, or NULL.
 *
 * @result 0; EINVAL for every queue that weir_queue_create did not make;
 * ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_queue_set_context(dispatch_queue_t queue, void *WEIR_NULLABLE context);

WEIR_END_DECLS

#endif /* WEIR_QUEUE_H */
