/* file_systems.h: the file systems of Linux: their media, and the clock that
   stamps their files. */
#pragma once

#include "base/internal.h"

#include <sys/types.h>

/* Its type, as statfs(2) reports it. */
#define WEIR_FILE_SYSTEM_BTRFS 0x9123683eu

enum weir__medium {
    MEDIUM_BLOCK_DEVICE, /* sysfs may know the device */
    MEDIUM_SERVER,
    MEDIUM_MEMORY,
    MEDIUM_POOL /* disks that the file system does not report */
};

/* The worth of the times and sizes of files. */
enum weir__file_times {
    FILE_TIMES_FOREIGN, /* another machine's clock, or an unknown one */
    FILE_TIMES_LOCAL,   /* this kernel's clock: weir__file_clock */
    FILE_TIMES_NONE     /* contents are generated on each read, as in /proc */
};

struct weir__file_system {
    uint32_t type;
    enum weir__medium medium;
    enum weir__file_times times;
    const char *name; /* NULL if the type is not known */
};

/* Returns the file system of a type. An unknown one counts as on a block
   device, with foreign times. */
WEIR_HIDDEN struct weir__file_system weir__file_system_of_type(uint64_t type);

/* Returns the worth of the times of an open file; FOREIGN if the kernel does
   not report its file system. */
WEIR_HIDDEN enum weir__file_times weir__file_times_of(int descriptor);

/* The place of a file, as statfs(2) and stat(2) report it. */
struct weir__location {
    uint64_t type;     /* of the file system; may be sign-extended */
    uint32_t identity; /* the first half of f_fsid */
    dev_t device;
};

/* Returns 0 or an errno value. */
WEIR_HIDDEN int weir__location_of(int descriptor, struct weir__location *out);

/* Returns the time that the kernel stamps files with (CLOCK_REALTIME_COARSE):
   it advances every few milliseconds, and no stamp is older than what it showed
   before. */
static inline struct timespec weir__file_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

/* Returns the nanoseconds of one step of that clock. */
static inline long weir__file_clock_step(void) {
    struct timespec step = {.tv_nsec = 0};
    clock_getres(CLOCK_REALTIME_COARSE, &step);
    return step.tv_nsec;
}
