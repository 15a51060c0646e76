/*
 * bodies.c: the C side of the benchmark `overlay`.
 */
#define _GNU_SOURCE
#include "bodies.h"

#include <time.h>

#include <weir.h>

/* range_TINY and the others: the iterations of a range. */
#define RANGE(body)                                                            \
    static void range_##body(void *results, size_t begin, size_t end) {        \
        for (size_t i = begin; i < end; i++)                                   \
            overlay_iteration(OVERLAY_##body, i, results);                     \
    }

RANGE(TINY)
RANGE(LIGHT)

void overlay_loop(enum overlay_body body, size_t stride, uint64_t *results) {
    weir_apply_f(overlay_count(body), stride, NULL, results,
                 body == OVERLAY_TINY ? range_TINY : range_LIGHT);
}

static void add_range(void *values, size_t begin, size_t end, void *partial) {
    int64_t sum = *(int64_t *)partial;
    for (size_t i = begin; i < end; i++)
        sum += ((const int64_t *)values)[i];
    *(int64_t *)partial = sum;
}

static void add(void *values, void *result, const void *partial) {
    (void)values;
    *(int64_t *)result += *(const int64_t *)partial;
}

int64_t overlay_sum(const int64_t *values, size_t count) {
    int64_t sum = 0;
    int error = weir_reduce_f(count, WEIR_STRIDE_AUTO, NULL, (void *)values,
                              &sum, sizeof sum, add_range, add);
    return error ? -1 : sum;
}

uint64_t overlay_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void overlay_gate_pairs(size_t pairs) {
    weir_gate_t gate = weir_gate_create("overlay", 3);
    for (size_t i = 0; i < pairs; i++)
        if (weir_gate_wait(gate, 1, DISPATCH_TIME_FOREVER) == 0)
            weir_gate_signal(gate, 1);
    weir_gate_release(gate);
}

void overlay_semaphore_pairs(size_t pairs) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(3);
    for (size_t i = 0; i < pairs; i++) {
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
        dispatch_semaphore_signal(semaphore);
    }
    dispatch_release(semaphore);
}

static void visit_range(void *context, size_t begin, size_t end) {
    (void)context;
    __asm__ volatile("" : : "r"(begin), "r"(end));
}

static void visit(void *context, size_t index) {
    (void)context;
    __asm__ volatile("" : : "r"(index));
}

void overlay_weir_loops(size_t loops, size_t count) {
    for (size_t i = 0; i < loops; i++)
        weir_apply_f(count, 1, dispatch_get_global_queue(0, 0), NULL,
                     visit_range);
}

void overlay_dispatch_loops(size_t loops, size_t count) {
    for (size_t i = 0; i < loops; i++)
        dispatch_apply_f(count, dispatch_get_global_queue(0, 0), NULL, visit);
}
