/*
 * cores.c: how many cores this process may really use.
 *
 * DESIGN. libdispatch looks at the affinity and not at a container's quota: at
 * `docker run --cpus 2` on 64 cores it starts 64 threads on the time of two.
 * So the smaller of both counts. Looked up once: neither changes in the life of
 * most processes, and reading the quota opens a file.
 */
#include "system/cores.h"
#include "base/internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static size_t by_affinity(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(getpid(), sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0) {
            return (size_t)count;
        }
    }
    /* More processors than cpu_set_t has bits, or a kernel that will not say. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

/* cgroup v2: "QUOTA PERIOD" in microseconds, or "max PERIOD". In a container
   the own cgroup is the root of what is seen. */
static size_t by_quota(void) {
    size_t cores = SIZE_MAX;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file) {
        unsigned long long quota, period;
        if (fscanf(file, "%llu %llu", &quota, &period) == 2 && period > 0) {
            cores = (size_t)((quota + period - 1) / period);
        }
        fclose(file);
    }
    return cores > 0 ? cores : 1;
}

static size_t cores;

static void look(void) {
    size_t affinity = by_affinity(), quota = by_quota();
    cores = affinity < quota ? affinity : quota;
}

size_t weir__cores(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return cores;
}
