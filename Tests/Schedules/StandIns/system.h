/* system.h: the simulated part of the system, for the scenarios. */
#pragma once

#include "../Scheduler/schedule.h"

struct simulated_system {
    size_t cores;
    uint64_t processor; /* nanoseconds of processor time */
    uint64_t sleeps;    /* of threads */
    uint64_t read_time; /* nanoseconds of a read */
    uint64_t calls;     /* on files */
    size_t open;        /* descriptors opened, less those closed */
};

extern struct simulated_system simulated;

void system_setup(void);
