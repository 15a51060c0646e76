/*
 * arguments.c: the arguments, environment, limits and options of the process.
 *
 * DESIGN. Swift finds the arguments on the stack, with the help of
 * /proc/self/maps. Without /proc it has none: `weir check M` would be `weir`,
 * which prints its usage and succeeds. glibc passes them to constructors
 * too, as do Darwin and FreeBSD.
 */
#define _GNU_SOURCE
#include "kernel_process.h"

#include <getopt.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__APPLE__) /* where a library cannot refer to it */
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#else
extern char **environ;
#endif

static int argument_count;
static char **argument_vector;

#if defined(__GLIBC__) || defined(__APPLE__) || defined(__FreeBSD__)
__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    argument_count = argc;
    argument_vector = argv;
}
#endif

char **kernel_arguments(int *argc) {
    *argc = argument_count;
    return argument_vector;
}

char **kernel_environment(void) { return environ; }

uint64_t kernel_descriptors_max(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    return limit.rlim_max == RLIM_INFINITY ? UINT64_MAX
                                           : (uint64_t)limit.rlim_max;
}

/* A reserve for the data that the kernel adds. */
#define SPARE ((size_t)4096)

size_t kernel_argument_room(void) {
    long most = sysconf(_SC_ARG_MAX);
    size_t room = most > 0 ? (size_t)most : 131072;
    size_t taken = SPARE; /* and the environment, with a pointer a string */
    for (char **entry = environ; entry && *entry; entry++) {
        taken += strlen(*entry) + 1 + sizeof *entry;
    }
    return room > taken + SPARE ? room - taken : SPARE;
}

int kernel_option_next(int argc, char **argv, const char *letters,
                       const kernel_option_t *names, int count) {
    struct option options[KERNEL_OPTIONS_MAX + 1];
    memset(options, 0, sizeof options);
    for (int i = 0; i < count && i < KERNEL_OPTIONS_MAX; i++) {
        options[i].name = names[i].name;
        options[i].val = names[i].value;
        options[i].has_arg =
            names[i].has_argument ? required_argument : no_argument;
    }
    return getopt_long(argc, argv, letters, options, NULL);
}

char *kernel_option_argument(void) { return optarg; }

int kernel_option_operands(void) { return optind; }
