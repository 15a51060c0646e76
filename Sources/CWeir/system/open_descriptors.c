/* open_descriptors.c: the number of descriptors that the process has open. */
#include "system/open_descriptors.h"

#include <dirent.h>

size_t weir__open_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) {
        return errno == ENOENT ? 0 : SIZE_MAX;
    }
    size_t count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory))) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count > 0 ? count - 1 : 0; /* without the directory itself */
}
