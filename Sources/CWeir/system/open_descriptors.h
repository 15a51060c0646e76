/* open_descriptors.h: the number of descriptors that the process has open. */
#pragma once

#include "base/internal.h"

#include <fcntl.h>

/* Returns the number, or SIZE_MAX if no descriptor is free to count them. */
WEIR_HIDDEN size_t weir__open_descriptors(void);

/* Counts them by a test of each, up to a bound: a limit may be a million. */
static inline size_t weir__open_descriptors_by_test(void) {
    enum { TESTED_MAX = 4096 };
    size_t count = 0;
    for (int fd = 0; fd < TESTED_MAX; fd++) {
        count += fcntl(fd, F_GETFD) != -1;
    }
    return count;
}
