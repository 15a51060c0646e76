/*
 * open_descriptors.h: the number of descriptors that the process has open.
 */
#ifndef WEIR_SYSTEM_OPEN_DESCRIPTORS_H
#define WEIR_SYSTEM_OPEN_DESCRIPTORS_H

#include "base/internal.h"

/* Returns the number of open descriptors below `limit`. */
WEIR_HIDDEN size_t weir__open_descriptors(size_t limit);

#endif /* WEIR_SYSTEM_OPEN_DESCRIPTORS_H */
