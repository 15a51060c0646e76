/* fuzz.c: the call of libFuzzer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fuzz.h"

#include <stdbool.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments,
                        int (*check)(const uint8_t *, size_t));

/* CFileKernels ends a program that sleeps for whole seconds again and again, as
   libFuzzer's own thread does, unless it is told that it may wait. */
void kernel_exhaustion_ask(bool (*may_wait)(void)) __attribute__((weak));

static bool may_wait(void) { return true; }

int fuzz_drive(int count, char **arguments,
               int (*check)(const uint8_t *bytes, size_t count)) {
    if (kernel_exhaustion_ask) {
        kernel_exhaustion_ask(may_wait);
    }
    return LLVMFuzzerRunDriver(&count, &arguments, check);
}
