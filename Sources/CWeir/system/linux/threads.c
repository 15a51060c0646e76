/* threads.c: the system's numbers of threads, and their work. */
#include "system/threads.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int weir__thread_number(void) {
    static _Thread_local int number; /* a fork does nothing that needs it */
    if (number == 0) {
        number = (int)syscall(SYS_gettid);
    }
    return number;
}

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

struct weir__thread_usage weir__thread_usage(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0) {
        return (struct weir__thread_usage){0};
    }
    return (struct weir__thread_usage){.waits = usage.ru_nvcsw,
                                       .ran = nanoseconds(usage.ru_utime) +
                                              nanoseconds(usage.ru_stime)};
}

#endif
