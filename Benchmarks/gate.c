/*
 * gate: jobs that sleep, as many at once as there are permits, without a thread
 * that waits for one.
 *
 *     gate QUEUES JOBS MILLISECONDS PERMITS
 *
 *     serial      as many serial queues as permits, the jobs dealt out in turn
 *     concurrent  one concurrent queue
 *     warm        that, after it has been at work for two seconds
 *
 * Meanwhile a block is sent to the default global queue every 7 ms. Prints the
 * wall time, the ideal and their ratio, the most jobs at once, the most threads
 * of the process, and how long such a block waited at most.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir.h>

#define PINGS 10000
#define PING_NANOSECONDS 7000000

static size_t jobs, milliseconds, permits;
static atomic_size_t running, peak;
static dispatch_group_t unfinished;
static double sent[PINGS], worst;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t threads(void) {
    size_t count = 0;
    DIR *directory = opendir("/proc/self/task");
    while (directory && readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count - 2;
}

static void sleep_once(void) {
    struct timespec time = {(time_t)(milliseconds / 1000),
                            (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void job(void *context) {
    (void)context;
    size_t count = atomic_fetch_add(&running, 1) + 1;
    size_t most = atomic_load(&peak);
    while (count > most && !atomic_compare_exchange_weak(&peak, &most, count)) {
    }
    sleep_once();
    atomic_fetch_sub(&running, 1);
    dispatch_group_leave(unfinished);
}

/* Only one runs at a time on two cores, or so: the result is the largest that
   was seen last, and wrong by a block at most. */
static void ping(void *context) {
    double waited = seconds() - *(double *)context;
    if (waited > worst) {
        worst = waited;
    }
}

static void submit(weir_gate_t gate, dispatch_queue_t *queues, size_t count,
                   size_t number) {
    for (size_t i = 0; i < number; i++) {
        dispatch_group_enter(unfinished);
        if (weir_gate_async_f(gate, 1, queues[i % count], NULL, job) != 0) {
            abort();
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fputs("usage: gate QUEUES JOBS MILLISECONDS PERMITS\n", stderr);
        return 2;
    }
    jobs = strtoul(argv[2], NULL, 10);
    milliseconds = strtoul(argv[3], NULL, 10);
    permits = strtoul(argv[4], NULL, 10);
    bool serial = strcmp(argv[1], "serial") == 0;
    size_t count = serial ? permits : 1;
    dispatch_queue_t queues[64];
    for (size_t i = 0; i < count && i < 64; i++) {
        queues[i] = dispatch_queue_create(
            "jobs", serial ? DISPATCH_QUEUE_SERIAL : DISPATCH_QUEUE_CONCURRENT);
    }
    unfinished = dispatch_group_create();
    weir_gate_t gate = weir_gate_create("permits", permits);
    if (strcmp(argv[1], "warm") == 0) {
        submit(gate, queues, count, 2000 * permits / milliseconds);
        dispatch_group_wait(unfinished, DISPATCH_TIME_FOREVER);
    }
    double start = seconds();
    submit(gate, queues, count, jobs);
    size_t most = 0;
    for (size_t i = 0; dispatch_group_wait(
             unfinished, dispatch_time(DISPATCH_TIME_NOW, PING_NANOSECONDS));
         i++) {
        size_t now = threads();
        most = now > most ? now : most;
        if (i < PINGS) {
            sent[i] = seconds();
            dispatch_async_f(dispatch_get_global_queue(0, 0), &sent[i], ping);
        }
    }
    double took = seconds() - start;
    double ideal = (double)(jobs * milliseconds) / (double)permits / 1000;
    printf("%.3f s, ideal %.3f, ratio %.3f, %zu at once, %zu threads, "
           "another block waited %.1f ms at most\n",
           took, ideal, took / ideal, peak, most, 1000 * worst);
    return 0;
}
