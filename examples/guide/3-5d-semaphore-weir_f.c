/*
 * A gate, without blocks: several permits at once, in the order of the
 * requests, without a waiting thread.
 *
 *     gcc -o 3-5d-semaphore-weir_f 3-5d-semaphore-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Using Dispatch Semaphores to Regulate the Use of Finite
 * Resources".
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

static atomic_int run, before_the_big_one;

static void check(int error) {
    if (error)
        abort(); /* no memory */
}

static void run_big(void *context) {
    atomic_store(&before_the_big_one, atomic_load(&run));
    dispatch_group_leave((dispatch_group_t)context);
}

static void run_small(void *context) {
    atomic_fetch_add(&run, 1);
    dispatch_group_leave((dispatch_group_t)context);
}

int main(void) {
    weir_gate_t gate = weir_gate_create("tickets", 4);
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    if (!gate)
        return perror("weir_gate_create"), 1;

    /* All of a request's permits, or none of them. */
    check(weir_gate_wait(gate, 3, DISPATCH_TIME_FOREVER));
    printf("Three of four permits are taken; two more: %s.\n",
           strerror(weir_gate_try(gate, 2)));
    printf("Waiting for them a while: %s.\n",
           strerror(weir_gate_wait(
               gate, 2,
               dispatch_time(DISPATCH_TIME_NOW, 5 * (int64_t)NSEC_PER_MSEC))));

    /* Work that waits in the queue of the gate while the caller goes on: first
       one that needs all four permits, then a hundred that need one. */
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_enter(group);
    check(weir_gate_async_f(gate, 4, queue, group, run_big));
    for (int i = 0; i < 100; i++) {
        dispatch_group_enter(group);
        check(weir_gate_async_f(gate, 1, queue, group, run_small));
    }
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    printf("%zu wait for permits, and no thread waits with them.\n",
           stats.waiting);

    weir_gate_signal(gate, 3);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("The one that asked for all four came first: %d small ones had "
           "overtaken it.\n",
           atomic_load(&before_the_big_one));
    weir_gate_stats(gate, &stats, sizeof stats);
    printf("All %d have run, with at most %zu permits out.\n",
           atomic_load(&run) + 1, stats.peak);

    weir_gate_close(gate);
    printf("Closed: %s.\n",
           strerror(weir_gate_wait(gate, 1, DISPATCH_TIME_FOREVER)));
    weir_gate_release(gate);
    dispatch_release(group);
    return 0;
}
