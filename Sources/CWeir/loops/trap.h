/* trap.h: reports a loop onto a queue that the caller holds. */
#pragma once

#include "base/internal.h"

/* Returns true for a queue of dispatch_get_global_queue. */
WEIR_HIDDEN bool weir__is_global_queue(dispatch_queue_t queue);

/* Called before dispatch_apply_f onto a queue that is not global. Returns true
   if it watches for a trap, until weir__trap_unwatch after the loop. */
WEIR_HIDDEN bool weir__trap_watch(dispatch_queue_t queue);

WEIR_HIDDEN void weir__trap_unwatch(void);

/* Called first by each worker: a later trap is the program's own. */
WEIR_HIDDEN void weir__trap_passed(void);
