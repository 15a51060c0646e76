/*
 * disks.h: the disks that a block device is made of.
 */
#ifndef WEIR_INTERNAL_DISKS_H
#define WEIR_INTERNAL_DISKS_H

#include "base/internal.h"

#include <sys/types.h>

/* In the order of what they mean for the whole. */
enum disk_kind { DISK_SOLID, DISK_SILENT, DISK_ROTATING };

/* What is known of the disks that something lies on. */
struct disks {
    size_t count[3];     /* of each kind */
    enum disk_kind kind; /* of the one that decides */
    dev_t number;
    char name[64];
    char driver[32]; /* of a virtual disk: who says nothing */
};

/* Adds the disks below a device, the root of sysfs being `sysfs`. Whether it is
   there at all. */
WEIR_HIDDEN bool weir__disks_of_device(struct disks *disks, const char *sysfs,
                                       dev_t device);

/* The same for all that a directory of sysfs has links to, each to a disk or a
   part of one: a file system's devices. */
WEIR_HIDDEN bool weir__disks_of_directory(struct disks *disks,
                                          const char *sysfs,
                                          const char *directory);

#endif /* WEIR_INTERNAL_DISKS_H */
