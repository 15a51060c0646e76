/* posix_cores.c: POSIX has neither an affinity nor a quota. */
#include "system/cores.h"
#include "system/maker.h"

#if !WEIR_SYSTEM_LINUX

#include <unistd.h>

size_t weir__cores(void) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

int weir__current_processor(void) { return -1; }

bool weir__leave_processor(int processor) {
    (void)processor;
    return false;
}

#endif
