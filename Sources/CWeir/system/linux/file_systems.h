/* file_systems.h: media of the file systems, and the worth of their times. */
#pragma once

#include "base/internal.h"

#include "system/media.h"

/* Its type, as statfs(2) reports it. */
#define WEIR_FILE_SYSTEM_BTRFS 0x9123683eu

enum weir__medium {
    MEDIUM_BLOCK_DEVICE, /* sysfs may know the device */
    MEDIUM_SERVER,
    MEDIUM_MEMORY,
    MEDIUM_POOL /* disks that the file system does not report */
};

struct weir__file_system {
    uint32_t type;
    enum weir__medium medium;
    enum weir__file_times times;
    const char *name; /* NULL if the type is not known */
};

/* Returns the file system of a type. An unknown one has foreign times. */
WEIR_HIDDEN struct weir__file_system weir__file_system_of_type(uint64_t type);
