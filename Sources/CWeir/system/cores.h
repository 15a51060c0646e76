/* cores.h: the cores of the process, and that of the caller. */
#pragma once

#include "base/internal.h"

/* Returns the number of cores by affinity and quota. */
WEIR_HIDDEN size_t weir__cores(void);

/* Returns the number of the caller's processor, or -1 if it is unknown. */
WEIR_HIDDEN int weir__current_processor(void);

/* Moves the caller at once to another processor, and keeps its affinity. */
WEIR_HIDDEN bool weir__leave_processor(int processor);
