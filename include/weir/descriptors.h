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
 * Half of the limit, less the descriptors that are open already, at least 1,
 * at most 1,048,576: computed once, when this or the gate is first asked for.
 * Opens one descriptor for a moment, that once.
 */
WEIR_EXPORT size_t weir_descriptor_budget(void);

/*!
 * @function weir_descriptor_gate
 *
 * @result
 * The process's gate with weir_descriptor_budget() permits, one a descriptor.
 * It is never freed; neither retain nor release it is needed. A program that
 * cannot make it (no memory) is ended with a message.
 */
WEIR_EXPORT weir_gate_t weir_descriptor_gate(void);

WEIR_END_DECLS

#endif /* WEIR_DESCRIPTORS_H */
