/* fuzz.h: the call of libFuzzer. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Runs libFuzzer with the arguments of the program. Returns its exit status. */
int fuzz_drive(int count, char **arguments,
               int (*check)(const uint8_t *bytes, size_t count));
