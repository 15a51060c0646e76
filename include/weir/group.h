/*
 * weir/group.h: work that belongs together, over dispatch_group.
 *
 * The Concurrency Programming Guide, "Waiting on Groups of Queued Tasks"
 * (listing 3-6). A group adds to dispatch_group a label, a count, the first
 * result of its work that is not 0, and a message if a leave has no enter.
 * Either submit work with weir_group_async, or pair enter and leave around work
 * of your own; doing both for one job counts it twice.
 */
#ifndef WEIR_GROUP_H
#define WEIR_GROUP_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*! @typedef weir_group_t  @abstract A group; reference-counted. */
typedef struct weir_group_s *weir_group_t;

/*!
 * @function weir_group_create
 *
 * @abstract
 * Makes a group.
 *
 * @param label
 * A name for messages and traces; copied; NULL for none.
 *
 * @result
 * A group with nothing in it and one reference, or NULL with errno ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_group_t WEIR_NULLABLE
weir_group_create(const char *WEIR_NULLABLE label);

/*! @function weir_group_retain  @result The group itself. */
WEIR_EXPORT weir_group_t weir_group_retain(weir_group_t group);

/*!
 * @function weir_group_release
 *
 * @abstract
 * Drops a reference. Outstanding work holds the group itself, so this is safe
 * at any time; work of the group may still use the group, but not retain it.
 */
WEIR_EXPORT void weir_group_release(weir_group_t group);

/*!
 * @function weir_group_enter
 *
 * @abstract
 * Adds one to the outstanding work.
 */
WEIR_EXPORT void weir_group_enter(weir_group_t group);

/*!
 * @function weir_group_leave
 *
 * @abstract
 * Subtracts one from the outstanding work. A leave without an enter is misuse.
 */
WEIR_EXPORT void weir_group_leave(weir_group_t group);

/*!
 * @function weir_group_async_f
 *
 * @abstract
 * Submits work to a queue as part of the group (dispatch_group_async_f).
 *
 * @param group   The group.
 * @param queue   The queue for the work; retained until the work has ended.
 * @param context Passed to work; may be NULL.
 * @param work    The work. If it returns a value other than 0, that is the
 *                group's result unless another one came first.
 *
 * @result
 * 0, or ENOMEM and nothing was submitted. Never blocks.
 */
WEIR_EXPORT int weir_group_async_f(weir_group_t group, dispatch_queue_t queue,
                                   void *WEIR_NULLABLE context,
                                   int (*work)(void *WEIR_NULLABLE context));

/*!
 * @function weir_group_wait
 *
 * @abstract
 * Waits until nothing is outstanding.
 *
 * @param group   The group.
 * @param timeout The time to give up.
 *
 * @result
 * ETIMEDOUT if work was still outstanding; else the first result of any work
 * that was not 0, which the group keeps until it ends; else 0. Blocks the
 * caller.
 */
WEIR_EXPORT int weir_group_wait(weir_group_t group, dispatch_time_t timeout);

/*!
 * @function weir_group_notify_f
 *
 * @abstract
 * Runs work on a queue once no work of the group is outstanding; soon if none
 * is now.
 *
 * @param group   The group; held until work has run.
 * @param queue   The queue for the work.
 * @param context Passed to work; may be NULL.
 * @param work    The work, with the result that weir_group_wait would return.
 *
 * @result
 * 0, or ENOMEM and work will not run. Never blocks.
 */
WEIR_EXPORT int weir_group_notify_f(weir_group_t group, dispatch_queue_t queue,
                                    void *WEIR_NULLABLE context,
                                    void (*work)(void *WEIR_NULLABLE context,
                                                 int result));

/*!
 * @function weir_group_cancel
 *
 * @abstract
 * Cancels the group. Submitted work still runs, so that every context reaches
 * its work; the work calls weir_group_cancelled to stop early. If any work is
 * outstanding and no result came first, the group's result is ECANCELED.
 */
WEIR_EXPORT void weir_group_cancel(weir_group_t group);

/*!
 * @function weir_group_cancelled
 *
 * @abstract
 * Indicates whether the group was cancelled.
 *
 * @result
 * True after weir_group_cancel. One atomic load.
 */
WEIR_EXPORT bool weir_group_cancelled(weir_group_t group);

/*!
 * @function weir_group_outstanding
 *
 * @abstract
 * Returns the amount of outstanding work.
 *
 * @result
 * The amount of outstanding work, which may have changed when the call returns.
 */
WEIR_EXPORT size_t weir_group_outstanding(weir_group_t group);

#ifdef __BLOCKS__
/*! @function weir_group_async  @abstract weir_group_async_f with a block,
 *  copied and released after it ran. */
WEIR_EXPORT int weir_group_async(weir_group_t group, dispatch_queue_t queue,
                                 int (^work)(void));

/*! @function weir_group_notify  @abstract weir_group_notify_f with a block. */
WEIR_EXPORT int weir_group_notify(weir_group_t group, dispatch_queue_t queue,
                                  void (^work)(int result));
#endif

WEIR_END_DECLS

#endif /* WEIR_GROUP_H */
