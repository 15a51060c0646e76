/*
 * open_descriptors.c: the number of descriptors that the process has open.
 *
 * DESIGN. /proc/self/fd lists them. Without it each descriptor is tested, up to
 * a bound: a limit may be a million.
 */
#include "system/open_descriptors.h"

#include <dirent.h>
#include <fcntl.h>

enum { TESTED_MAX = 4096 };

static size_t count_by_test(void) {
    size_t count = 0;
    for (int fd = 0; fd < TESTED_MAX; fd++) {
        count += fcntl(fd, F_GETFD) != -1;
    }
    return count;
}

size_t weir__open_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) {
        return errno == EMFILE || errno == ENFILE ? SIZE_MAX : count_by_test();
    }
    size_t count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory))) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count > 0 ? count - 1 : 0; /* without the directory itself */
}
