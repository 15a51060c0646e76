/*
 * device_kind.h: the trust that the times and sizes on a device deserve.
 */
#ifndef WEIR_FILES_DEVICE_KIND_H
#define WEIR_FILES_DEVICE_KIND_H

#include "base/internal.h"

#include <sys/stat.h>
#include <sys/types.h>

enum device_kind {
    DEVICE_LOCAL,   /* times come from the clock of this kernel */
    DEVICE_FOREIGN, /* times come from another machine, or it is not known */
    DEVICE_SIZELESS /* files are made when they are read, as in /proc */
};

#define DEVICES_KEPT 8

/* The devices that a lane has met. */
struct devices {
    uint64_t run; /* of which they are; a later run may mount others */
    size_t count;
    dev_t numbers[DEVICES_KEPT];
    uint8_t kinds[DEVICES_KEPT];
};

/* Returns the kind of the device of an open file with the status `status`, from
   the devices that are known in this run, or else from fstatfs. */
WEIR_HIDDEN enum device_kind weir__device_kind(struct devices *devices,
                                               uint64_t run, int fd,
                                               const struct stat *status);

#endif /* WEIR_FILES_DEVICE_KIND_H */
