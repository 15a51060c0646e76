/*
 * cores.c: the cores of the process, and that of the caller.
 *
 * DESIGN. libdispatch respects the affinity but not a quota: under `docker run
 * --cpus 2` on 64 cores it starts 64 threads on the time of two. So the smaller
 * of both counts. Both are read once, since that opens several files.
 */
#include "system/cores.h"
#include "system/linux/quota.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <sched.h>
#include <unistd.h>

static size_t cores_by_affinity(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(getpid(), sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0) {
            return (size_t)count;
        }
    }
    /* More processors than cpu_set_t has bits, or the kernel refuses. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

static _Atomic size_t cores; /* 0: not counted yet */

/* Two threads at once may count, and find the same. */
size_t weir__cores(void) {
    if (WEIR_UNLIKELY(load_relaxed(&cores) == 0)) {
        size_t affinity = cores_by_affinity();
        size_t quota = weir__cores_by_quota("");
        store_relaxed(&cores, affinity < quota ? affinity : quota);
    }
    return load_relaxed(&cores);
}

int weir__current_processor(void) { return sched_getcpu(); }

/* The kernel moves a thread as soon as its affinity excludes its processor. */
bool weir__leave_processor(int processor) {
    cpu_set_t all, others;
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        return false;
    }
    others = all;
    CPU_CLR((size_t)processor, &others);
    if (CPU_COUNT(&others) == 0 ||
        sched_setaffinity(0, sizeof others, &others) != 0) {
        return false;
    }
    sched_setaffinity(0, sizeof all, &all);
    return true;
}

#endif
