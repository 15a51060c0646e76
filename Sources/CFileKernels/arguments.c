/*
 * arguments.c: the arguments of the process, as they were given.
 *
 * Swift finds them on the stack, with the help of /proc/self/maps, and where
 * there is no /proc it has none: `weir check M` would be `weir` then, which
 * prints its usage and is content. glibc hands them to constructors too.
 */
#include "CFileKernels.h"

#include <features.h>

static int count;
static char **vector;

#if defined(__GLIBC__)
__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    vector = argv;
}
#endif

char **kernel_arguments(int *argc) {
    *argc = count;
    return vector;
}
