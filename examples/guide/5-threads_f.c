/*
 * Threads that are joined, and the same as a group of tasks, without blocks.
 *
 *     gcc -O2 -o 5-threads_f 5-threads_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Waiting on Groups of Queued Tasks", and its chapter on migrating
 * away from threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <weir/libdispatch.h>

enum { PARTS = 4, ROUNDS = 50 };

static long numbers[4000];

struct part {
    int begin;
    long sum;
};

static void add_up(void *context) {
    struct part *part = context;
    part->sum = 0;
    for (int i = part->begin; i < part->begin + 1000; i++)
        part->sum += numbers[i];
}

static void *thread_body(void *argument) {
    add_up(argument);
    return NULL;
}

static void with_threads(struct part *parts) {
    pthread_t threads[PARTS];
    for (int i = 0; i < PARTS; i++)
        pthread_create(&threads[i], NULL, thread_body, &parts[i]);
    for (int i = 0; i < PARTS; i++)
        pthread_join(threads[i], NULL);
}

static void with_group(struct part *parts) {
    dispatch_group_t group = dispatch_group_create();
    for (int i = 0; i < PARTS; i++)
        dispatch_group_async_f(group, dispatch_get_global_queue(0, 0),
                               &parts[i], add_up);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
}

static void run(const char *name, void (*way)(struct part *parts)) {
    struct part parts[PARTS] = {{0, 0}, {1000, 0}, {2000, 0}, {3000, 0}};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int round = 0; round < ROUNDS; round++)
        way(parts);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double microseconds = (double)(end.tv_sec - begin.tv_sec) * 1e6 +
                          (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
    long sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += parts[i].sum;
    printf("%s: the sum is %ld; %.0f microseconds a round.\n", name, sum,
           microseconds / (double)ROUNDS);
}

int main(void) {
    for (int i = 0; i < 4000; i++)
        numbers[i] = i;
    run("Four threads, joined", with_threads);
    run("Four tasks in a group", with_group);
    printf("Threads are made each time; the queue keeps its own and uses them "
           "again.\n");
    return 0;
}
