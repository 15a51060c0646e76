/*
 * weir/descriptors.h: how many file descriptors a program may spend, and the
 * gate that hands them out.
 *
 * The Concurrency Programming Guide makes its semaphore from getdtablesize()
 * / 2. This is that semaphore, one for the whole process, less what is open
 * already. Who opens something takes the permit first, for all the descriptors
 * the job needs in one wait, and asks for no more while holding it.
 */
#ifndef WEIR_DESCRIPTORS_H
#define WEIR_DESCRIPTORS_H

#include <weir/base.h>
#include <weir/gate.h>

WEIR_BEGIN_DECLS

/*!
 * @function weir_descriptor_limit
 *
 * @result
 * getdtablesize(): how many descriptors this process may have open.
 */
WEIR_EXPORT size_t weir_descriptor_limit(void);

/*!
 * @function weir_descriptor_budget
 *
 * @result
 * How many permits the gate has now: at the start half of the limit, less the
 * descriptors that are open already, at least 1, at most 1,048,576; fewer while
 * descriptors turned out to be short. Computed when this or the gate is first
 * asked for, which opens one descriptor for a moment, that once.
 */
WEIR_EXPORT size_t weir_descriptor_budget(void);

/*!
 * @function weir_descriptor_set_budget
 *
 * @abstract
 * Makes the budget what the caller knows better. Shrinking and growing back
 * start from it.
 *
 * @param budget
 * How many permits the gate is to have, 1 to 1,048,576.
 *
 * @result
 * 0 or EINVAL.
 */
WEIR_EXPORT int weir_descriptor_set_budget(size_t budget);

/*!
 * @function weir_descriptor_gate
 *
 * @result
 * The process's gate with weir_descriptor_budget() permits, one a descriptor.
 * It is never freed; neither retain nor release it is needed. A program that
 * cannot make it (no memory) is ended with a message. Resize it with
 * weir_descriptor_set_budget.
 *
 * @discussion
 * The budget may shrink while somebody waits, to fewer than he asked for: he
 * gets EINVAL. Who can do with less asks again for weir_descriptor_budget(); who
 * cannot, asks again later: asking for the budget lets it grow back.
 */
WEIR_EXPORT weir_gate_t weir_descriptor_gate(void);

/*!
 * @function weir_descriptor_retry
 *
 * @abstract
 * What to do when an open, or whatever else makes a descriptor, has failed:
 * where it was for want of descriptors, shrinks the budget to one less than the
 * permits that are out, the caller's among them, and waits a moment. The budget
 * grows back as later ones succeed, or the gate is asked for.
 *
 * @param error
 * The errno value; 0 to say that the call succeeded, which lets the budget grow
 * back.
 *
 * @param attempt
 * How often it has been tried in vain, from 1 on.
 *
 * @result
 * Whether to try again: true for EINTR, and for EMFILE and ENFILE for about ten
 * seconds. Blocks the caller for 5 ms at most.
 *
 * @discussion
 *     weir_gate_wait(weir_descriptor_gate(), 1, DISPATCH_TIME_FOREVER);
 *     for (size_t attempt = 1;; attempt++) {
 *         fd = open(path, O_RDONLY | O_CLOEXEC);
 *         if (!weir_descriptor_retry(fd < 0 ? errno : 0, attempt))
 *             break;
 *     }
 *
 * errno is left as it was. The file processor and the walk do this by
 * themselves.
 */
WEIR_EXPORT bool weir_descriptor_retry(int error, size_t attempt);

/*!
 * @function weir_descriptor_raise_limit
 *
 * @abstract
 * Lifts the soft limit of open descriptors (RLIMIT_NOFILE) as far as the hard
 * one allows and the budget could spend (2,101,248), and the budget with it.
 *
 * @result
 * 0 or an errno value of setrlimit. Safe to call again, and from any thread;
 * not while something else in the process changes the limit.
 *
 * @discussion
 * For the whole process. A program that uses select() must not: it knows
 * descriptors below 1,024 alone. Children inherit the limit, unless they are
 * started with weir_spawn, which gives them the old one.
 */
WEIR_EXPORT int weir_descriptor_raise_limit(void);

WEIR_END_DECLS

#endif /* WEIR_DESCRIPTORS_H */
