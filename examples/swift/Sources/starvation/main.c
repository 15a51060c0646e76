/*
 * starvation: lanes at work, against a semaphore inside the block.
 *
 * 64 jobs of 100 ms each, at most 16 at a time: four rounds, so 0.40 s is the
 * ideal. They sleep where a real job would wait for a disk or a server, so the
 * machine has nothing else to do and every tenth of a second above the ideal
 * is the scheduler's.
 */
#include <weir.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 64, LIMIT = 16, JOB_MS = 100 };

static const double ideal = (JOBS / LIMIT) * JOB_MS / 1000.0;

/* ---- the job, which counts how many of it run at once ------------------- */

static atomic_int running;
static atomic_int most_running;

static void job(void) {
    int now = atomic_fetch_add(&running, 1) + 1;
    int most = atomic_load(&most_running);
    while (most < now &&
           !atomic_compare_exchange_weak(&most_running, &most, now)) {
    }
    nanosleep(&(struct timespec){.tv_nsec = JOB_MS * 1000000L}, NULL);
    atomic_fetch_sub(&running, 1);
}

/* ---- the way of the tutorials ------------------------------------------- */

/* Each block takes a thread first and waits for its permit there. The pool
   has a thread a core to begin with: soon all of them hold blocks that wait,
   and libdispatch adds one more a second. */
static void semaphore_inside_the_block(void) {
    dispatch_queue_t queue = dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0);
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t permits = dispatch_semaphore_create(LIMIT);
    for (int i = 0; i < JOBS; i++) {
        dispatch_group_async(group, queue, ^{
          dispatch_semaphore_wait(permits, DISPATCH_TIME_FOREVER);
          job();
          dispatch_semaphore_signal(permits);
        });
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(permits);
    dispatch_release(group);
}

/* ---- the same with lanes ------------------------------------------------- */

/* The limit is the number of lanes: a job that is not running is an entry in
   a queue and holds no thread. */
static void lanes_16_wide(void) {
    weir_lanes_t lanes = weir_lanes_create(
        &(weir_lanes_options_t){.label = "starvation", .width = LIMIT});
    if (!lanes) {
        perror("weir_lanes_create");
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < JOBS; i++) {
        int error = weir_lanes_async(lanes, ^(void *lane_context) {
          (void)lane_context;
          job();
        });
        if (error) {
            fprintf(stderr, "weir_lanes_async: error %d\n", error);
            exit(EXIT_FAILURE);
        }
    }
    (void)weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
    weir_lanes_release(lanes);
}

/* ---- the comparison ------------------------------------------------------ */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void measure(const char *name, void (*way)(void)) {
    atomic_store(&most_running, 0);
    double begin = seconds();
    way();
    double time = seconds() - begin;
    printf("%-24s %6.2f s %14.2f %10d\n", name, time, time / ideal,
           atomic_load(&most_running));
    fflush(stdout);
}

int main(void) {
    printf("%d jobs of %d ms, at most %d at a time, on %zu cores\n\n", JOBS,
           JOB_MS, LIMIT, weir_lanes_default_width());
    printf("%-24s %8s %14s %10s\n", "", "time", "to the ideal", "at once");
    printf("%-24s %6.2f s %14.2f %10d\n", "ideal", ideal, 1.0, LIMIT);
    measure("lanes", lanes_16_wide);
    measure("semaphore in the block", semaphore_inside_the_block);
    printf("\n"
           "A semaphore in the block limits what runs by blocking threads, "
           "and threads are\n"
           "what there is least of: the pool begins with one a core and grows "
           "slowly. The\n"
           "limit that was asked for is reached late or never. Limit what is "
           "submitted, not\n"
           "what has already been given a thread: a lane is a serial queue, "
           "and each serial\n"
           "queue gets its thread at once.\n");
    return EXIT_SUCCESS;
}
