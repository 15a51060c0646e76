/* lanes_fifo.c: the rings of the jobs that wait for a lane. */
#include "queues/lanes_state.h"
#include "trace/point.h"

static bool grow(struct weir__lane_fifo *fifo) {
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

static bool push(struct weir__lane_fifo *fifo, struct weir__lane_job job) {
    if (fifo->count == fifo->capacity && !grow(fifo)) {
        return false;
    }
    fifo->jobs[(fifo->first + fifo->count) & (fifo->capacity - 1)] = job;
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

int weir__lanes_put(weir_lanes_t lanes, struct weir__lane_job job,
                    struct weir__lane_fifo *fifo) {
    job.number = lanes->stats.submitted + 1;
    if (!push(fifo, job)) {
        return ENOMEM;
    }
    lanes->stats.submitted = job.number;
    if (weir__lanes_queued(lanes) == 1) {
        lanes->stalled = weir__begin_time();
    }
    if (weir__lanes_queued(lanes) > lanes->stats.queued_peak) {
        lanes->stats.queued_peak = weir__lanes_queued(lanes);
    }
    dispatch_group_enter(lanes->unfinished);
    weir__trace(WEIR_TRACE_SUBMIT, lanes, job.number, 0, 1);
    return 0;
}
