/* open_descriptors.h: the number of descriptors that the process has open. */
#pragma once

#include "base/internal.h"

/* Returns the number of open descriptors below `limit`. */
WEIR_HIDDEN size_t weir__open_descriptors(size_t limit);
