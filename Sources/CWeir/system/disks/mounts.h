/* mounts.h: the table of mounts. */
#pragma once

#include "base/internal.h"

#include <limits.h>

struct mount {
    char type[64];        /* "fuse.sshfs" */
    char layer[PATH_MAX]; /* of an overlay: its top directory */
};

/* Finds the mount of a device number in a table with the format of
   /proc/self/mountinfo. Returns false if there is none. */
WEIR_HIDDEN bool weir__mount_of(const char *mounts, uint64_t device,
                                struct mount *mount);

/* Copies one value of such a table, up to one of the characters `ends`, and
   resolves its escapes; copies "" if it is too long. */
WEIR_HIDDEN void weir__copy_mount_value(const char *from, const char *ends,
                                        char *to, size_t size);
