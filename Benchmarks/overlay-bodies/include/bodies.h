/*
 * bodies.h: what the benchmark `overlay` does in C, and the loops' bodies, which
 * Swift inlines from here.
 *
 * The bodies are those of ../../loops.h, which is a program's own text with its
 * results, and of no use to a module.
 */
#ifndef OVERLAY_BODIES_H
#define OVERLAY_BODIES_H

#include <stddef.h>
#include <stdint.h>

enum overlay_body {
    OVERLAY_TINY,
    OVERLAY_LIGHT,
    OVERLAY_HEAVY,
    OVERLAY_IRREGULAR,
    OVERLAY_SPIKES
};

static inline size_t overlay_count(enum overlay_body body) {
    return body == OVERLAY_TINY        ? 1000000
           : body == OVERLAY_LIGHT     ? 200000
           : body == OVERLAY_HEAVY     ? 2000
           : body == OVERLAY_IRREGULAR ? 4000
                                       : 100000;
}

static inline uint64_t overlay_spin(uint64_t x, size_t turns) {
    for (size_t i = 0; i < turns; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static inline void overlay_iteration(enum overlay_body body, size_t i,
                                     uint64_t *results) {
    size_t turns = 1;
    if (body == OVERLAY_LIGHT)
        turns = 150;
    else if (body == OVERLAY_HEAVY)
        turns = 15000;
    else if (body == OVERLAY_IRREGULAR)
        turns = 1 + i * 15000 / 4000;
    else if (body == OVERLAY_SPIKES)
        turns = (uint32_t)i * 2654435761u % 128 == 0 ? 20000 : 20;
    results[i] = overlay_spin(i, turns);
}

/* weir_apply_f over a body; stride 0 is automatic. */
void overlay_loop(enum overlay_body body, size_t stride, uint64_t *results);

/* The sum of integers by weir_reduce_f. */
int64_t overlay_sum(const int64_t *values, size_t count);

/* So many permits, each taken and given back. */
void overlay_gate_pairs(size_t pairs);
void overlay_semaphore_pairs(size_t pairs);

uint64_t overlay_now(void);

#endif /* OVERLAY_BODIES_H */
