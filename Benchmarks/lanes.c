/*
 * lanes: jobs that sleep, at most LIMIT at once, by several means.
 *
 *     lanes MEANS JOBS MILLISECONDS LIMIT [mixed]
 *
 *     semaphore   the tutorials' way: every job is a block on a concurrent
 *                 queue that waits on a dispatch semaphore
 *     queues      LIMIT serial dispatch queues, the jobs dealt out in turn
 *     lanes       weir_lanes of that width
 *     threads     LIMIT threads that take the next job: the lower bound
 *     serial      weir_gate_async with LIMIT permits, on as many serial queues
 *     concurrent  the same, on one concurrent queue
 *     warm        that, after it has been at work for two seconds
 *
 * With `mixed` the jobs take from a tenth to nineteen tenths of MILLISECONDS,
 * the same ones each time. Under a gate a block is sent to the default global
 * queue every 7 ms meanwhile. Prints the wall time, the ideal, and the most jobs
 * that were seen at once; under a gate also the most threads of the process, and
 * how long such a block waited at most.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir.h>

#define PINGS 10000
#define PING_NANOSECONDS 7000000

static size_t jobs, milliseconds, limit;
static bool mixed;
static const char *means;

static atomic_size_t next_job, running, peak;
static dispatch_semaphore_t semaphore;
static dispatch_group_t group;
static double sent[PINGS], worst;
static size_t most_threads;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

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
    dispatch_queue_t queue =
        dispatch_queue_create("jobs", DISPATCH_QUEUE_CONCURRENT);
    semaphore = dispatch_semaphore_create((intptr_t)limit);
    for (uintptr_t i = 0; i < jobs; i++)
        dispatch_group_async_f(group, queue, (void *)i, run_after_wait);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}

static dispatch_queue_t *make_queues(size_t count, dispatch_queue_attr_t kind) {
    dispatch_queue_t *queues = calloc(count, sizeof *queues);
    for (size_t i = 0; i < count; i++)
        queues[i] = dispatch_queue_create("jobs", kind);
    return queues;
}

static void run_on_queue(void *context) { run((uintptr_t)context); }

static void by_queues(void) {
    dispatch_queue_t *queues = make_queues(limit, DISPATCH_QUEUE_SERIAL);
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

/* ---- a gate -------------------------------------------------------------- */

static size_t count_threads(void) {
    size_t count = 0;
    DIR *directory = opendir("/proc/self/task");
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

/* Only one runs at a time on two cores, or so: the result is the largest that
   was seen last, and wrong by a block at most. */
static void ping(void *context) {
    double waited = now() - *(double *)context;
    worst = waited > worst ? waited : worst;
}

static void run_and_leave(void *context) {
    run((uintptr_t)context);
    dispatch_group_leave(group);
}

static weir_gate_t gate;
static dispatch_queue_t *gate_queues;
static size_t gate_queue_count;

static void submit(size_t number) {
    for (uintptr_t i = 0; i < number; i++) {
        dispatch_group_enter(group);
        if (weir_gate_async_f(gate, 1, gate_queues[i % gate_queue_count],
                              (void *)i, run_and_leave) != 0)
            abort();
    }
}

static void prepare_gate(void) {
    bool is_serial = strcmp(means, "serial") == 0;
    gate_queue_count = is_serial ? limit : 1;
    gate_queues =
        make_queues(gate_queue_count, is_serial ? DISPATCH_QUEUE_SERIAL
                                                : DISPATCH_QUEUE_CONCURRENT);
    gate = weir_gate_create("permits", limit);
    if (strcmp(means, "warm") == 0) {
        submit(2000 * limit / milliseconds);
        dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    }
}

static void by_gate(void) {
    submit(jobs);
    for (size_t i = 0; dispatch_group_wait(
             group, dispatch_time(DISPATCH_TIME_NOW, PING_NANOSECONDS));
         i++) {
        size_t threads = count_threads();
        most_threads = threads > most_threads ? threads : most_threads;
        if (i < PINGS) {
            sent[i] = now();
            dispatch_async_f(dispatch_get_global_queue(0, 0), &sent[i], ping);
        }
    }
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*go)(void);
        void (*prepare)(void);
    } all[] = {{"semaphore", by_semaphore, NULL},
               {"queues", by_queues, NULL},
               {"lanes", by_lanes, NULL},
               {"threads", by_threads, NULL},
               {"serial", by_gate, prepare_gate},
               {"concurrent", by_gate, prepare_gate},
               {"warm", by_gate, prepare_gate}};
    mixed = count == 6 && strcmp(arguments[5], "mixed") == 0;
    if (count == 5 || mixed) {
        means = arguments[1];
        jobs = strtoul(arguments[2], NULL, 10);
        milliseconds = strtoul(arguments[3], NULL, 10);
        limit = strtoul(arguments[4], NULL, 10);
    }
    double ideal = 0;
    for (size_t i = 0; i < jobs; i++)
        ideal += (double)length_of(i) / 1000 / (double)limit;
    group = dispatch_group_create();
    for (size_t i = 0; limit > 0 && i < sizeof all / sizeof *all; i++) {
        if (strcmp(means, all[i].name) != 0)
            continue;
        if (all[i].prepare)
            all[i].prepare();
        double begin = now();
        all[i].go();
        double took = now() - begin;
        printf("%.3f s, ideal %.3f, ratio %.3f, %zu at once", took, ideal,
               took / ideal, atomic_load(&peak));
        if (all[i].prepare)
            printf(", %zu threads, another block waited %.1f ms at most",
                   most_threads, 1000 * worst);
        puts("");
        return 0;
    }
    fputs("usage: lanes MEANS JOBS MILLISECONDS LIMIT [mixed]\n", stderr);
    return 2;
}
