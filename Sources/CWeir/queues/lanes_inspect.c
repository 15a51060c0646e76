/* lanes_inspect.c: copies the state of lanes for an inspection. */
#include "queues/lanes_internal.h"

/* Adds the permits that the job on a lane took and has not returned, as far as
   is known. */
static void describe_permits(const struct weir__lane *lane,
                             struct weir__inspection *inspection) {
    for (size_t i = 0; i < WEIR_HELD_MAX; i++) {
        const struct weir__held *held = &lane->holder.held[i];
        size_t count = weir__held_count(held);
        if (count > 0) {
            weir__inspection_add_holder(
                inspection, weir__held_gate(held), &lane->lanes->object,
                (weir_inspect_holder_t){
                    .count = count, .thread = lane->thread, .job = lane->job},
                lane->since);
        }
    }
}

/* Returns the number of running jobs. */
static size_t describe_jobs(weir_lanes_t lanes,
                            struct weir__inspection *inspection) {
    size_t count = 0;
    for (size_t i = 0; i < lanes->made; i++) {
        const struct weir__lane *lane = lanes->lanes[i];
        if (lane->job != 0) {
            weir__inspection_add_job(inspection,
                                     (weir_inspect_job_t){
                                         .job = lane->job,
                                         .lane = lane->number,
                                         .thread = lane->thread,
                                     },
                                     lane->since);
            describe_permits(lane, inspection);
            count++;
        }
    }
    return count;
}

void weir__lanes_describe(const struct weir__object *object,
                          struct weir__inspection *inspection) {
    weir_lanes_t lanes = (weir_lanes_t)(uintptr_t)object; /* its first member */
    pthread_mutex_lock(&lanes->lock);
    size_t queued = weir__lanes_queued(lanes);
    size_t jobs = describe_jobs(lanes, inspection);
    weir__inspection_add(
        inspection, object,
        (weir_inspect_object_t){
            .kind = WEIR_INSPECT_LANES,
            .width = lanes->stats.width,
            .running = lanes->stats.running,
            .queued = queued,
            .suspended = lanes->stats.suspended,
            .stalled =
                queued ? weir__inspection_age(inspection, lanes->stalled) : 0,
            .is_closed = lanes->stats.closed,
            .job_count = jobs,
        });
    pthread_mutex_unlock(&lanes->lock);
}
