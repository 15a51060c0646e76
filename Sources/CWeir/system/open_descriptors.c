/*
 * open_descriptors.c: the number of descriptors that the process has open.
 *
 * DESIGN. /proc/self/fd lists them. Without /proc each descriptor is tested,
 * up to a bound: a limit may be a million.
 */
#include "system/open_descriptors.h"

#include <dirent.h>
#include <fcntl.h>

#define TESTED_MAX ((size_t)4096)

static size_t count_by_test(size_t limit) {
    size_t count = 0;
    for (size_t fd = 0; fd < limit && fd < TESTED_MAX; fd++) {
        count += fcntl((int)fd, F_GETFD) != -1;
    }
    return count;
}

size_t weir__open_descriptors(size_t limit) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) {
        return count_by_test(limit);
    }
    size_t count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory))) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count > 0 ? count - 1 : 0; /* without the directory itself */
}
