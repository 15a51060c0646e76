/* fuzz.h: the calls of libFuzzer, and the edges that a run has covered. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Runs libFuzzer with the arguments of the program. Returns its exit status. */
int fuzz_drive(int count, char **arguments,
               int (*check)(const uint8_t *bytes, size_t count));

/* Adds the edges that were executed since the last call to those covered. */
void fuzz_cover(void);

/* Writes the edges to standard output, one a line: 1 or 0, and the address in
   the file of the program. */
void fuzz_print_edges(void);
