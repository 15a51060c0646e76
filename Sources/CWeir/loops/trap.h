/*
 * trap.h: a sentence for the trap that libdispatch makes of a loop onto a
 * queue that the caller holds.
 */
#ifndef WEIR_TRAP_H
#define WEIR_TRAP_H

#include "base/internal.h"

/* Before dispatch_apply_f: watches for the trap where there can be one.
   Whether it does, and weir__trap_unwatch has to be called after. */
WEIR_HIDDEN bool weir__trap_watch(dispatch_queue_t queue);

WEIR_HIDDEN void weir__trap_unwatch(void);

/* First thing in a worker of the loop: libdispatch let it in, and what traps
   from now on is the program's own affair. */
WEIR_HIDDEN void weir__trap_passed(void);

#endif /* WEIR_TRAP_H */
