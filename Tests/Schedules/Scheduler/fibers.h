/* fibers.h: the stacks and thread-local variables of fibers. */
#pragma once

#include "schedule.h"

/* Finds the thread-local variables of the program. Called once. */
void fibers_setup(void);
bool fiber_is_local(const void *address); /* one of those variables */

/* Lets a fiber begin its function at the next switch to it. */
void fiber_prepare(struct fiber *fiber);

/* Runs another fiber. Returns when this one is chosen again. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* Runs the first fiber of a schedule; fibers_leave returns from it. */
void fibers_enter(struct fiber *first);
void fibers_leave(void) __attribute__((noreturn));

/* Called on a fiber when its function has returned. Does not return. */
void fiber_ended(struct fiber *fiber) __attribute__((noreturn));
