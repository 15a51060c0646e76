/*
 * weir/descriptors.h: the process's budget of file descriptors, and the gate
 * that grants them.
 *
 * The gate is one for the whole process. A job takes its permits before it
 * opens anything, for all descriptors that it needs in one wait, and asks for
 * no more while it holds them.
 *
 * On Linux libdispatch itself needs a free descriptor each second, to examine
 * the threads of the global queues, and traps if there is none. So the half of
 * the limit that the budget leaves is not to be used up by other means.
 */
#ifndef WEIR_DESCRIPTORS_H
#define WEIR_DESCRIPTORS_H

#include <weir/base.h>
#include <weir/gate.h>

WEIR_BEGIN_DECLS

/*! Returns getdtablesize(): the number of descriptors that this process may
 *  have open. */
WEIR_EXPORT size_t weir_descriptor_limit(void);

/*! Returns the current permits of the gate: at first half of the limit, less
 *  the descriptors that are open already, at least 1, at most 1,048,576; fewer
 *  while descriptors are short. Computed by the first call of this function or
 *  of weir_descriptor_gate, which opens one descriptor for a moment. */
WEIR_EXPORT size_t weir_descriptor_budget(void);

/*!
 * Sets the budget, 1 to 1,048,576, from which shrinking and growing back start.
 *
 * @result 0 or EINVAL.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_descriptor_set_budget(size_t budget);

/*!
 * Returns the gate of the budget, with a permit for each descriptor. It needs
 * neither a retain nor a release. Resize it with weir_descriptor_set_budget. If
 * there is no memory for it, the program ends with a message.
 *
 * The budget may shrink below the number that a waiting caller asked for; the
 * wait then returns EINVAL. The caller asks again for at most
 * weir_descriptor_budget() permits, or later: asking for the budget lets it
 * grow back.
 */
WEIR_EXPORT weir_gate_t weir_descriptor_gate(void);

/*!
 * Handles the result of a call that makes a descriptor. If it failed for want
 * of descriptors, shrinks the budget to one less than the permits in use, the
 * caller's among them, and pauses. The budget grows back as later calls
 * succeed, or the gate is asked for.
 *
 * @param error   The errno value, or 0 if the call succeeded.
 * @param attempt The number of the attempt, from 1.
 *
 * @result True to try again: for EINTR, and for EMFILE and ENFILE for about ten
 * seconds; once a caller has waited that long in vain, for a tenth of a second
 * until a call succeeds. Blocks for 5 ms at most. Leaves errno unchanged.
 *
 * @discussion
 *     weir_gate_wait(weir_descriptor_gate(), 1, DISPATCH_TIME_FOREVER);
 *     for (size_t attempt = 1;; attempt++) {
 *         fd = open(path, O_RDONLY | O_CLOEXEC);
 *         if (!weir_descriptor_retry(fd < 0 ? errno : 0, attempt))
 *             break;
 *     }
 *
 * The file processor and the walk call this function themselves.
 */
WEIR_EXPORT bool weir_descriptor_retry(int error, size_t attempt);

/*!
 * Raises the soft limit of open descriptors (RLIMIT_NOFILE) as far as the hard
 * limit allows and the budget can use (2,101,248), and the budget with it.
 *
 * @result 0 or an errno value of setrlimit. Safe to call again, but not while
 * other code in the process changes the limit.
 *
 * @discussion A program that uses select() must not raise the limit: select()
 * handles only descriptors below 1,024. Children inherit it, except those of
 * weir_spawn, which get the former limit.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_descriptor_raise_limit(void);

WEIR_END_DECLS

#endif /* WEIR_DESCRIPTORS_H */
