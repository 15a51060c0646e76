/*
 * kernel_options.h: the options of a command line, read by getopt_long, which
 * Swift's modules do not offer: abbreviations, letters in one word, operands
 * before options, POSIXLY_CORRECT, "--", and its own words on what is wrong.
 */
#ifndef KERNEL_OPTIONS_H
#define KERNEL_OPTIONS_H

#include <stdbool.h>

/* An option by its long name. */
typedef struct {
    const char *name;
    int value; /* what kernel_option_next gives; a letter's where it has one */
    bool has_argument; /* which it needs then */
} kernel_option_t;

/* The most long options there can be. */
#define KERNEL_OPTIONS_MAX 31

/* The next option of a command line: its value; '?' where it is wrong, which has
   been said on standard error then; -1 behind the last one. The order of
   `names` is the order in which what an abbreviation could mean is listed. For
   one command line in the life of a program, on one thread. */
int kernel_option_next(int argc, char **argv, const char *letters,
                       const kernel_option_t *names, int count);

/* The argument of the last option, where it has one. */
char *kernel_option_argument(void);

/* Where in argv the operands begin, behind the last option. */
int kernel_option_operands(void);

#endif /* KERNEL_OPTIONS_H */
