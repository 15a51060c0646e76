/*
 * bodies.h: what the benchmark `overlay` does in C, and the loops' bodies, which
 * Swift inlines from here: the first two of ../../loops.h, which is a program's
 * own text with its results, and of no use to a module.
 */
#ifndef OVERLAY_BODIES_H
#define OVERLAY_BODIES_H

#include <stddef.h>
#include <stdint.h>

enum overlay_body { OVERLAY_TINY, OVERLAY_LIGHT };

static inline size_t overlay_count(enum overlay_body body) {
    return body == OVERLAY_TINY ? 1000000 : 200000;
}

static inline void overlay_iteration(enum overlay_body body, size_t i,
                                     uint64_t *results) {
    uint64_t x = i;
    for (size_t turns = body == OVERLAY_TINY ? 1 : 150; turns > 0; turns--) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    results[i] = x;
}

/* weir_apply_f over a body; stride 0 is automatic. */
void overlay_loop(enum overlay_body body, size_t stride, uint64_t *results);

/* The sum of integers by weir_reduce_f. */
int64_t overlay_sum(const int64_t *values, size_t count);

/* So many permits, each taken and given back. */
void overlay_gate_pairs(size_t pairs);
void overlay_semaphore_pairs(size_t pairs);

/* So many loops of a count of iterations that do nothing, one by one. */
void overlay_weir_loops(size_t loops, size_t count);
void overlay_dispatch_loops(size_t loops, size_t count);

uint64_t overlay_now(void);

#endif /* OVERLAY_BODIES_H */
