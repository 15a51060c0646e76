/*
 * arguments.c: the arguments of the process, as they were given.
 *
 * Swift finds them on the stack, with the help of /proc/self/maps, and where
 * there is no /proc it has none: `weir check M` would be `weir` then, which
 * prints its usage and is content. glibc hands them to constructors too.
 */
#include "CFileKernels.h"

#include <features.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

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

/* What a child has too: its environment, a pointer for each string of it, and
   something for what the kernel puts beside. */
#define SPARE ((size_t)4096)

size_t kernel_argument_room(void) {
    long most = sysconf(_SC_ARG_MAX);
    size_t room = most > 0 ? (size_t)most : 131072;
    size_t taken = SPARE;
    for (char **entry = environ; entry && *entry; entry++) {
        taken += strlen(*entry) + 1 + sizeof *entry;
    }
    return room > taken + SPARE ? room - taken : SPARE;
}
