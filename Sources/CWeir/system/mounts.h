/*
 * mounts.h: what the table of mounts and Btrfs say of a file system.
 */
#ifndef WEIR_INTERNAL_MOUNTS_H
#define WEIR_INTERNAL_MOUNTS_H

#include "base/internal.h"

#include <limits.h>

struct mount {
    char type[64];        /* "fuse.sshfs" */
    char layer[PATH_MAX]; /* of an overlay: the directory that is on top */
};

/* What is mounted with that device number, by a table as /proc/self/mountinfo.
   False where it is not there. */
WEIR_HIDDEN bool weir__mount_of(const char *mounts, uint64_t device,
                                struct mount *mount);

/* Where sysfs has links to the devices of a Btrfs, below its root. False where
   that is not to be found. */
WEIR_HIDDEN bool weir__btrfs_directory(const char *sysfs, uint32_t identity,
                                       char directory[static 64]);

#endif /* WEIR_INTERNAL_MOUNTS_H */
