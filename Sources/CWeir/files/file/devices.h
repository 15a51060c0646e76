/* devices.h: the worth of times and sizes on the devices that a lane meets. */
#pragma once

#include "base/internal.h"
#include "system/disks/file_systems.h"

#include <sys/stat.h>
#include <sys/types.h>

#define DEVICES_KEPT 8

struct devices {
    uint64_t run; /* of which they are; a later run may mount others */
    size_t count;
    dev_t numbers[DEVICES_KEPT];
    uint8_t times[DEVICES_KEPT];
};

/* Returns the worth of the times of an open file with the status `status`: what
   is known of its device in this run, else what the kernel reports. */
WEIR_HIDDEN enum weir__file_times
weir__device_file_times(struct devices *devices, uint64_t run, int fd,
                        const struct stat *status);
