/* background.c: a process that works only while nothing else does. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include "../maker.h"

#include <sys/resource.h>
#if KERNEL_LINUX
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of linux/ioprio.h, which older headers lack. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_IDLE (3 << 13)
#endif

void kernel_work_in_background(void) {
#if KERNEL_LINUX
    /* By the system call: musl's function always fails. */
    struct sched_param none = {.sched_priority = 0};
    if (syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &none) != 0) {
        setpriority(PRIO_PROCESS, 0, 19);
    }
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
#else
    setpriority(PRIO_PROCESS, 0, 19);
#endif
}
