/* threads.h: the system's numbers of threads. */
#pragma once

#include "base/internal.h"

/* Returns the system's number of this thread. */
WEIR_HIDDEN int weir__thread_number(void);
