/* threads.h: the threads that the system grants, and the main one. */
#pragma once

#include "base/internal.h"

/* Counts one more thread of work. Returns false if the system cannot create one
   more. In either case the caller calls weir__threads_give, or
   weir__threads_begin and weir__threads_end. */
WEIR_HIDDEN bool weir__threads_take(void);

/* Counts one thread of work less, of which none has begun. */
WEIR_HIDDEN void weir__threads_give(void);

/* Called on its thread when the work begins. */
WEIR_HIDDEN void weir__threads_begin(void);

/* Counts one thread of work less, which has begun. */
WEIR_HIDDEN void weir__threads_end(void);

/* Returns how many of `wanted` threads libdispatch would find for a loop. */
WEIR_HIDDEN size_t weir__threads_for_loop(size_t wanted);

/* Called after a loop on as many threads beside the caller's. */
WEIR_HIDDEN void weir__threads_ran_loop(size_t count);

/* Returns the system's number of this thread. */
WEIR_HIDDEN int weir__thread_number(void);

/* Returns true on the thread that the process began with. */
WEIR_HIDDEN bool weir__is_main_thread(void);
