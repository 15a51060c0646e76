/*
 * open_descriptors.c: the number of descriptors that the process has open.
 *
 * DESIGN. /proc/self/fd lists them. Without it each descriptor is tested.
 */
#include "system/open_descriptors.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <dirent.h>

size_t weir__open_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) {
        return errno == EMFILE || errno == ENFILE
                   ? SIZE_MAX
                   : weir__open_descriptors_by_test();
    }
    size_t count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory))) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count > 0 ? count - 1 : 0; /* without the directory itself */
}

#endif
