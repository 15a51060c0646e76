/* posix_media.c: the storage of an open file. POSIX reports its device alone. */
#include "system/maker.h"
#include "system/media.h"

#if !WEIR_SYSTEM_LINUX && !WEIR_SYSTEM_NAMES_MOUNTS

#include <sys/stat.h>

enum weir__file_times weir__file_times_of(int descriptor) {
    (void)descriptor;
    return FILE_TIMES_FOREIGN;
}

int weir__medium_of(int descriptor, weir_storage_t *out) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return errno;
    }
    *out = (weir_storage_t){.kind = WEIR_STORAGE_UNKNOWN,
                            .device = (uint64_t)status.st_dev,
                            .file_system = "unknown",
                            .evidence = "this system does not report it"};
    return 0;
}

#endif
