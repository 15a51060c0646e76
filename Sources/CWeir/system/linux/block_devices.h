/* block_devices.h: the physical disks below a block device. */
#pragma once

#include "base/internal.h"

#include <sys/types.h>

/* In ascending order: the highest decides. UNKNOWN: virtual, or no value. */
enum disk_kind { DISK_SOLID, DISK_UNKNOWN, DISK_ROTATING };

/* The disks found so far. Zeroed, there are none. */
struct disks {
    size_t count[3]; /* by kind */
    /* The disk that decides: */
    enum disk_kind kind;
    dev_t number;
    char name[64];
    char driver[32]; /* of a virtual disk; else empty */
};

/* Adds the disks below a device, unless sysfs does not know it. */
WEIR_HIDDEN bool weir__disks_of_device(struct disks *disks, const char *sysfs,
                                       dev_t device);

/* Adds the disks of the Btrfs of this identity, if sysfs knows it. */
WEIR_HIDDEN bool weir__disks_of_btrfs(struct disks *disks, const char *sysfs,
                                      uint32_t identity);
