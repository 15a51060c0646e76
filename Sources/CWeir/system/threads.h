/* threads.h: the threads that the system grants, and the main one. */
#pragma once

#include "base/internal.h"

/* Counts one more thread of work. Returns false if the system cannot create one
   more. The caller calls weir__threads_give in either case. */
WEIR_HIDDEN bool weir__threads_take(void);

/* Counts one thread of work less. */
WEIR_HIDDEN void weir__threads_give(void);

/* Returns true on the thread that the process began with. */
WEIR_HIDDEN bool weir__is_main_thread(void);
