/*
 * standalone.c: a replacement for dladdr in a program that contains libc and
 * all other libraries (`make dist` builds it, with WEIR_ALONE defined). Such a
 * program must not load the system's libraries, which were made for another
 * libc, and it runs without /proc. See also locale.c and algorithms.c.
 */
#define _GNU_SOURCE
#ifdef WEIR_ALONE

#include <dlfcn.h>
#include <string.h>

/* At its start, Swift's runtime asks for the file that contains it, to find a
   program beside it that prints backtraces. It aborts if there is no answer,
   and libc finds the answer in /proc. Here the answer is fixed, and the
   directory never has such a program. */
int dladdr(const void *address, Dl_info *info) {
    (void)address;
    memset(info, 0, sizeof *info);
    info->dli_fname = "/proc/self/exe";
    return 1;
}

#else

typedef int kernel_standalone_is_empty_t; /* C has no empty source files */

#endif
