/* fuzz.c: the calls of libFuzzer, and the edges that a run has covered. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fuzz.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables that the compiler's instrumentation makes. */
extern uint8_t counters_begin[] __asm__("__start___sancov_cntrs");
extern uint8_t counters_end[] __asm__("__stop___sancov_cntrs");
struct edge {
    uintptr_t address;
    uintptr_t flags;
};
extern const struct edge edges[] __asm__("__start___sancov_pcs");

int LLVMFuzzerRunDriver(int *count, char ***arguments,
                        int (*check)(const uint8_t *, size_t));

/* CFileKernels ends a program that sleeps for whole seconds again and again, as
   libFuzzer's own thread does, unless it is told that it may wait. */
void kernel_exhaustion_ask(bool (*may_wait)(void)) __attribute__((weak));

static bool may_wait(void) { return true; }

static uint8_t *covered;

int fuzz_drive(int count, char **arguments,
               int (*check)(const uint8_t *bytes, size_t count)) {
    if (kernel_exhaustion_ask) {
        kernel_exhaustion_ask(may_wait);
    }
    return LLVMFuzzerRunDriver(&count, &arguments, check);
}

static size_t edge_count(void) {
    return (size_t)(counters_end - counters_begin);
}

void fuzz_cover(void) {
    if (!covered) {
        covered = calloc(edge_count(), 1);
    }
    for (size_t i = 0; covered && i < edge_count(); i++) {
        covered[i] |= counters_begin[i] != 0;
    }
    memset(counters_begin, 0, edge_count());
}

void fuzz_print_edges(void) {
    Dl_info program;
    uintptr_t base =
        dladdr((void *)fuzz_drive, &program) ? (uintptr_t)program.dli_fbase : 0;
    for (size_t i = 0; covered && i < edge_count(); i++) {
        printf("%d 0x%zx\n", covered[i], (size_t)(edges[i].address - base));
    }
}
