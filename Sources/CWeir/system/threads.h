/* threads.h: the system's numbers of threads. */
#pragma once

#include "base/internal.h"

/* Returns the system's number of this thread. */
WEIR_HIDDEN int weir__thread_number(void);

/* Returns true on the thread that the process began with. */
WEIR_HIDDEN bool weir__is_main_thread(void);
