/* memory.c: the memory that malloc reserves for threads. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void kernel_share_arena(void) {
#ifdef __GLIBC__
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        mallopt(M_ARENA_MAX, 1);
    }
#endif
}
