/*
 * cores.h: the number of cores that the process may use.
 */
#ifndef WEIR_SYSTEM_CORES_H
#define WEIR_SYSTEM_CORES_H

#include "base/internal.h"

/* How many cores the process may use, by affinity and quota. */
WEIR_HIDDEN size_t weir__cores(void);

#endif /* WEIR_SYSTEM_CORES_H */
