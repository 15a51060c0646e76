/*
 * fifo.h: the jobs that wait for a lane, in a ring.
 *
 * In a header, to be inlined: they come and go with the lanes' lock held.
 */
#ifndef WEIR_FIFO_H
#define WEIR_FIFO_H

#include "base/internal.h"

struct job {
    void (*work)(void *context, void *lane_context);
    void (*dropped)(void *context);
    void *context;
    uint64_t number;
};

/* A ring: the jobs are at [first, first + count), modulo capacity, a power of
   two. It grows, and does not shrink. */
struct fifo {
    struct job *jobs;
    size_t capacity;
    size_t first;
    size_t count;
};

static inline bool fifo_grow(struct fifo *fifo) {
    size_t capacity = fifo->capacity ? fifo->capacity * 2 : 16;
    struct job *jobs = malloc(capacity * sizeof *jobs);
    if (!jobs) {
        return false;
    }
    for (size_t i = 0; i < fifo->count; i++) {
        jobs[i] = fifo->jobs[(fifo->first + i) & (fifo->capacity - 1)];
    }
    free(fifo->jobs);
    fifo->jobs = jobs;
    fifo->capacity = capacity;
    fifo->first = 0;
    return true;
}

static inline bool fifo_push(struct fifo *fifo, struct job job, bool at_front) {
    if (fifo->count == fifo->capacity && !fifo_grow(fifo)) {
        return false;
    }
    if (at_front) {
        fifo->first = (fifo->first - 1) & (fifo->capacity - 1);
        fifo->jobs[fifo->first] = job;
    } else {
        fifo->jobs[(fifo->first + fifo->count) & (fifo->capacity - 1)] = job;
    }
    fifo->count++;
    return true;
}

static inline const struct job *fifo_first(const struct fifo *fifo) {
    return &fifo->jobs[fifo->first];
}

static inline struct job fifo_pop(struct fifo *fifo) {
    struct job job = *fifo_first(fifo);
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    return job;
}

#endif /* WEIR_FIFO_H */
