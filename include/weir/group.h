/*
 * weir/group.h: work that belongs together, over dispatch_group.
 *
 * A group adds to dispatch_group a label, a count, the first result of its work
 * that is not 0, and a message if a leave has no enter. Either submit work with
 * weir_group_async, or pair enter and leave around work of your own; doing both
 * for one job counts it twice.
 *
 * Work that returns an error lets the rest of the group run; weir_group_fail
 * drops the rest.
 */
#ifndef WEIR_GROUP_H
#define WEIR_GROUP_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*! A group; reference-counted. */
typedef struct weir_group_s *weir_group_t;

/*!
 * Makes an empty group. The label, for messages and traces, is copied; NULL for
 * none.
 *
 * @result The group; NULL with errno ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_group_t WEIR_NULLABLE
weir_group_create(const char *WEIR_NULLABLE label);

/*! @result The group itself. */
WEIR_EXPORT weir_group_t weir_group_retain(weir_group_t group);

/*!
 * Drops a reference. Outstanding work holds the group itself, so this is safe
 * at any time; work of the group may still use the group, but not retain it.
 */
WEIR_EXPORT void weir_group_release(weir_group_t group);

/*! Adds one to the outstanding work. */
WEIR_EXPORT void weir_group_enter(weir_group_t group);

/*! Subtracts one from the outstanding work. A leave without an enter is misuse. */
WEIR_EXPORT void weir_group_leave(weir_group_t group);

/*!
 * Submits work to a queue as part of the group (dispatch_group_async_f).
 *
 * @param queue   The queue for the work; retained until the work has ended.
 * @param context Passed to work; may be NULL. If weir_group_fail drops the
 *                work, the context stays as it is.
 * @param work    The work. If it returns a value other than 0, that is the
 *                group's error unless another one came first.
 *
 * @result 0, or ENOMEM and nothing was submitted.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_group_async_f(weir_group_t group, dispatch_queue_t queue,
                   void *WEIR_NULLABLE context,
                   int (*work)(void *WEIR_NULLABLE context));

/*!
 * weir_group_async_f for a context that must be freed.
 *
 * @param dropped Called instead of work, on the queue in its turn, if the group
 *                has failed by then. NULL for none.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_group_async_drop_f(
    weir_group_t group, dispatch_queue_t queue, void *WEIR_NULLABLE context,
    int (*work)(void *WEIR_NULLABLE context),
    void (*WEIR_NULLABLE dropped)(void *WEIR_NULLABLE context));

/*!
 * Waits until nothing is outstanding. In work of weir_group_async and
 * weir_group_lanes of the same group a wait without a time-out is misuse.
 * Blocks.
 *
 * @result ETIMEDOUT if work was still outstanding; else weir_group_error, which
 * the group keeps until it ends, if that is not 0; else ECANCELED if a cancel
 * came while work was outstanding; else 0.
 *
 * @discussion Work can fail with the same values. After ETIMEDOUT the time was
 * up if weir_group_outstanding is above 0. After ECANCELED the group was
 * cancelled if weir_group_error is 0.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_group_wait(weir_group_t group,
                                                 dispatch_time_t timeout);

/*! Returns the first value other than 0 that work returned or that
 *  weir_group_fail was given; 0 if there is none so far. weir_group_cancel is
 *  not an error, and neither is ECANCELED that comes after a cancel. One atomic
 *  load. */
WEIR_EXPORT int weir_group_error(weir_group_t group);

/*!
 * Runs work on a queue once no work of the group is outstanding; soon if none
 * is now.
 *
 * @param group   The group; held until work has run.
 * @param queue   The queue for the work.
 * @param work    The work, with the result that weir_group_wait would return.
 *
 * @result 0, or ENOMEM and work will not run.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_group_notify_f(weir_group_t group, dispatch_queue_t queue,
                    void *WEIR_NULLABLE context,
                    void (*work)(void *WEIR_NULLABLE context, int result));

/*!
 * Cancels the group. Submitted work still runs, so that every context reaches
 * its work; the work calls weir_group_cancelled to stop early. If any work is
 * outstanding, a wait returns ECANCELED unless there is an error. Work that has
 * begun may still add the error (`weir_group_cancel(group); return EIO;` gives
 * EIO); what later work returns does not count.
 */
WEIR_EXPORT void weir_group_cancel(weir_group_t group);

/*!
 * Ends the group with an error: keeps the error if it is the first, cancels the
 * group, and drops all work that has not begun.
 *
 * @param error The error; 0 does nothing.
 *
 * @discussion Work that has not begun, also work submitted later, is accepted
 * and leaves the group in its turn without running: a block is released, and a
 * drop function gets the context. Work that runs goes on and may stop if
 * weir_group_cancelled.
 */
WEIR_EXPORT void weir_group_fail(weir_group_t group, int error);

/*! Returns true after weir_group_cancel or weir_group_fail. One atomic load. */
WEIR_EXPORT bool weir_group_cancelled(weir_group_t group);

/*! Returns the amount of outstanding work, which may have changed when the call
 *  returns. */
WEIR_EXPORT size_t weir_group_outstanding(weir_group_t group);

#ifdef WEIR_BLOCKS
/*! weir_group_async_f with a block, copied, and released after it ran or was
 *  dropped. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_group_async(weir_group_t group, dispatch_queue_t queue, int (^work)(void));

/*! weir_group_notify_f with a block. */
WEIR_EXPORT WEIR_WARN_RESULT int weir_group_notify(weir_group_t group,
                                                   dispatch_queue_t queue,
                                                   void (^work)(int result));
#endif

WEIR_END_DECLS

#endif /* WEIR_GROUP_H */
