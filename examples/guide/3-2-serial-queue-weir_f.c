/*
 * Lanes, without blocks, in place of many serial queues: as many as tasks may
 * run at once, with one queue in front of them.
 *
 *     gcc -o 3-2-serial-queue-weir_f 3-2-serial-queue-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide, "Creating Serial Dispatch Queues", warns of large numbers of
 * serial queues; listing 3-2.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

enum { LANES = 4, JOBS = 100 };

/* Every lane has a context of its own, here a count: no two jobs use it at
   once, and nothing has to be locked. */
static void *create_count(void *user, size_t lane) {
    size_t *counts = user;
    return &counts[lane];
}

static void check(int error) {
    if (error)
        abort(); /* no memory */
}

static void count(void *context, void *lane_context) {
    (void)context;
    ++*(size_t *)lane_context;
}

/* Jobs that wait for each other: they can only end if all run. */
static void meet(void *context, void *lane_context) {
    static atomic_int come;
    dispatch_semaphore_t all_are_here = context;
    ++*(size_t *)lane_context;
    if (atomic_fetch_add(&come, 1) + 1 == LANES) {
        for (int n = 0; n < LANES; n++)
            dispatch_semaphore_signal(all_are_here);
    }
    dispatch_semaphore_wait(all_are_here, DISPATCH_TIME_FOREVER);
}

int main(void) {
    static size_t counts[LANES];
    weir_lanes_t lanes =
        weir_lanes_create(&(weir_lanes_options_t){.label = "example",
                                                  .width = LANES,
                                                  .lane_create = create_count,
                                                  .user = counts});
    if (!lanes)
        return perror("weir_lanes_create"), 1;

    dispatch_semaphore_t all_are_here = dispatch_semaphore_create(0);
    for (int i = 0; i < LANES; i++)
        check(weir_lanes_async_f(lanes, all_are_here, meet));
    (void)weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
    printf("Four jobs on four lanes ran at the same time: they met.\n");

    for (int i = 0; i < JOBS; i++)
        check(weir_lanes_async_f(lanes, NULL, count));
    (void)weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);

    weir_lanes_stats_t stats;
    weir_lanes_stats(lanes, &stats, sizeof stats);
    size_t sum = counts[0] + counts[1] + counts[2] + counts[3];
    printf("%llu jobs have ended, at most %zu at once; the lanes counted "
           "%zu.\n",
           (unsigned long long)stats.finished, stats.peak, sum);
    printf("Why no more run: %s.\n", weir_lanes_limit_text(stats.limit));
    weir_lanes_release(lanes);
    dispatch_release(all_are_here);
    return 0;
}
