/*
 * lanes: jobs that sleep, at most LIMIT at once, by several means.
 *
 *     lanes MEANS JOBS MILLISECONDS LIMIT [mixed]
 *
 *     semaphore  the tutorials' way: every job is a block on a concurrent
 *                queue that waits on a dispatch semaphore
 *     queues     LIMIT serial dispatch queues, the jobs dealt out in turn
 *     lanes      weir_lanes of that width
 *     threads    LIMIT threads that take the next job: what cannot be beaten
 *
 * With `mixed` the jobs take from a tenth to nineteen tenths of MILLISECONDS,
 * the same ones each time. Prints the wall time, the ideal, and the most jobs
 * that were seen at once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir.h>

static size_t jobs, milliseconds, limit;
static bool mixed;

static atomic_size_t next_job, running, peak;
static dispatch_semaphore_t semaphore;

static size_t length_of(size_t job) {
    return mixed ? milliseconds * (1 + job * 7 % 19) / 10 : milliseconds;
}

static void run(size_t job) {
    size_t count = atomic_fetch_add(&running, 1) + 1;
    size_t most = atomic_load(&peak);
    while (count > most && !atomic_compare_exchange_weak(&peak, &most, count))
        ;
    size_t length = length_of(job);
    struct timespec time = {(time_t)(length / 1000),
                            (long)(length % 1000) * 1000000};
    nanosleep(&time, NULL);
    atomic_fetch_sub(&running, 1);
}

static void run_after_wait(void *context) {
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
    run((uintptr_t)context);
    dispatch_semaphore_signal(semaphore);
}

static void by_semaphore(void) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue =
        dispatch_queue_create("jobs", DISPATCH_QUEUE_CONCURRENT);
    semaphore = dispatch_semaphore_create((intptr_t)limit);
    for (uintptr_t i = 0; i < jobs; i++)
        dispatch_group_async_f(group, queue, (void *)i, run_after_wait);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void run_on_queue(void *context) { run((uintptr_t)context); }

static void by_queues(void) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t *queues = calloc(limit, sizeof *queues);
    for (size_t i = 0; i < limit; i++)
        queues[i] = dispatch_queue_create("lane", DISPATCH_QUEUE_SERIAL);
    for (uintptr_t i = 0; i < jobs; i++)
        dispatch_group_async_f(group, queues[i % limit], (void *)i,
                               run_on_queue);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void run_on_lane(void *context, void *lane) {
    (void)lane;
    run((uintptr_t)context);
}

static void by_lanes(void) {
    weir_lanes_options_t options = {.label = "jobs", .width = limit};
    weir_lanes_t lanes = weir_lanes_create(&options);
    if (lanes == NULL)
        abort();
    for (uintptr_t i = 0; i < jobs; i++)
        if (weir_lanes_async_f(lanes, (void *)i, run_on_lane) != 0)
            abort();
    if (weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER) != 0)
        abort();
    weir_lanes_release(lanes);
}

static void *run_on_thread(void *context) {
    for (size_t job; (job = atomic_fetch_add(&next_job, 1)) < jobs;)
        run(job);
    return context;
}

static void by_threads(void) {
    pthread_t *threads = calloc(limit, sizeof *threads);
    for (size_t i = 0; i < limit; i++)
        if (pthread_create(&threads[i], NULL, run_on_thread, NULL) != 0)
            abort();
    for (size_t i = 0; i < limit; i++)
        pthread_join(threads[i], NULL);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*go)(void);
    } means[] = {{"semaphore", by_semaphore},
                 {"queues", by_queues},
                 {"lanes", by_lanes},
                 {"threads", by_threads}};
    mixed = count == 6 && strcmp(arguments[5], "mixed") == 0;
    if (count == 5 || mixed) {
        jobs = strtoul(arguments[2], NULL, 10);
        milliseconds = strtoul(arguments[3], NULL, 10);
        limit = strtoul(arguments[4], NULL, 10);
    }
    double ideal = 0;
    for (size_t i = 0; i < jobs; i++)
        ideal += (double)length_of(i) / 1000 / (double)limit;
    for (size_t i = 0; limit > 0 && i < sizeof means / sizeof *means; i++) {
        if (strcmp(arguments[1], means[i].name) != 0)
            continue;
        double begin = now();
        means[i].go();
        printf("%s: %.3f s, ideal %.3f s, %zu at once\n", arguments[1],
               now() - begin, ideal, atomic_load(&peak));
        return 0;
    }
    fputs("usage: lanes semaphore|queues|lanes|threads JOBS MILLISECONDS "
          "LIMIT [mixed]\n",
          stderr);
    return 2;
}
