/* lanes_fifo.c: the rings of the jobs that wait for a lane. */
#include "queues/lanes_state.h"
#include "trace/point.h"

static struct weir__lane_job *place_of(const struct weir__lane_fifo *fifo,
                                       size_t index) {
    return &fifo->jobs[(fifo->first + index) & (fifo->capacity - 1)];
}

/* Doubles the ring, unless half of it are places of withdrawn jobs. */
static bool grow(struct weir__lane_fifo *fifo) {
    size_t capacity =
        fifo->count > fifo->capacity / 2 ? fifo->capacity * 2 : fifo->capacity;
    capacity = capacity ? capacity : 16;
    struct weir__lane_job *jobs = malloc(capacity * sizeof *jobs);
    if (!jobs) {
        return false;
    }
    size_t used = 0;
    for (size_t i = 0; i < fifo->used; i++) {
        jobs[used] = *place_of(fifo, i);
        used += jobs[used].work != NULL;
    }
    free(fifo->jobs);
    *fifo = (struct weir__lane_fifo){jobs, capacity, 0, used, used};
    return true;
}

static bool push(struct weir__lane_fifo *fifo, struct weir__lane_job job) {
    if (fifo->used == fifo->capacity && !grow(fifo)) {
        return false;
    }
    *place_of(fifo, fifo->used++) = job;
    fifo->count++;
    return true;
}

/* Empties the place of a job, and gives up the empty ones at the beginning. */
static struct weir__lane_job take(struct weir__lane_fifo *fifo,
                                  struct weir__lane_job *place) {
    struct weir__lane_job job = *place;
    place->work = NULL;
    fifo->count--;
    while (fifo->used > 0 && !place_of(fifo, 0)->work) {
        fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
        fifo->used--;
    }
    return job;
}

const struct weir__lane_job *
weir__lane_fifo_first(const struct weir__lane_fifo *fifo) {
    return &fifo->jobs[fifo->first];
}

struct weir__lane_job weir__lane_fifo_pop(struct weir__lane_fifo *fifo) {
    return take(fifo, place_of(fifo, 0));
}

/* The numbers ascend, also through the places of withdrawn jobs. */
bool weir__lane_fifo_withdraw(struct weir__lane_fifo *fifo,
                              const struct weir__lane_job *job) {
    size_t low = 0, high = fifo->used;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = place_of(fifo, middle)->number < job->number;
        *(is_before ? &low : &high) = middle + is_before;
    }
    struct weir__lane_job *place =
        low < fifo->used ? place_of(fifo, low) : NULL;
    if (!place || place->number != job->number || !place->work) {
        return false;
    }
    (void)take(fifo, place);
    return true;
}

int weir__lanes_put(weir_lanes_t lanes, struct weir__lane_job *job,
                    struct weir__lane_fifo *fifo) {
    job->number = lanes->stats.submitted + 1;
    if (!push(fifo, *job)) {
        return ENOMEM;
    }
    lanes->stats.submitted = job->number;
    if (weir__lanes_queued(lanes) == 1) {
        lanes->stalled = weir__begin_time();
    }
    if (weir__lanes_queued(lanes) > lanes->stats.queued_peak) {
        lanes->stats.queued_peak = weir__lanes_queued(lanes);
    }
    dispatch_group_enter(lanes->unfinished);
    weir__trace(WEIR_TRACE_SUBMIT, lanes, job->number, 0, 1);
    return 0;
}
