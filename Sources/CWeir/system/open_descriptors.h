/* open_descriptors.h: the number of descriptors that the process has open. */
#pragma once

#include "base/internal.h"

/* Returns the number of open descriptors, or SIZE_MAX if none is free to count
   them. */
WEIR_HIDDEN size_t weir__open_descriptors(void);

/* Counts them by a test of each, up to a bound: a limit may be a million. */
WEIR_HIDDEN size_t weir__open_descriptors_by_test(void);
