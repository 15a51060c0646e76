/*
 * options.c: the options of a command line.
 */
#include "kernel_options.h"

#include <getopt.h>
#include <string.h>

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
