/* lanes_fifo.c: the ring of the jobs that wait for a lane. */
#include "queues/lanes_internal.h"

static bool fifo_grow(struct weir__lane_fifo *fifo) {
    size_t capacity = fifo->capacity ? fifo->capacity * 2 : 16;
    struct weir__lane_job *jobs = malloc(capacity * sizeof *jobs);
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

bool weir__lane_fifo_push(struct weir__lane_fifo *fifo,
                          struct weir__lane_job job, bool at_front) {
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

const struct weir__lane_job *
weir__lane_fifo_first(const struct weir__lane_fifo *fifo) {
    return &fifo->jobs[fifo->first];
}

struct weir__lane_job weir__lane_fifo_pop(struct weir__lane_fifo *fifo) {
    struct weir__lane_job job = *weir__lane_fifo_first(fifo);
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    return job;
}
