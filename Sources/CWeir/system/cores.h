/* cores.h: the cores that the process may use, and the one that the caller runs
   on. */
#pragma once

#include "base/internal.h"

/* Returns the number of cores that the process may use, by affinity and
   quota. */
WEIR_HIDDEN size_t weir__cores(void);

/* Returns the number of the processor that runs the caller, or -1 if the system
   does not report it, or offers no weir__leave_processor. */
WEIR_HIDDEN int weir__current_processor(void);

/* Moves the caller at once from this processor to another one, and keeps its
   affinity. Returns false if it may use no other, or if the kernel refuses. */
WEIR_HIDDEN bool weir__leave_processor(int processor);
