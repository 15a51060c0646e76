/*
 * Threads that are joined, and the same as a group of tasks.
 *
 * The guide: "Waiting on Groups of Queued Tasks", and its chapter on migrating
 * away from threads.
 */
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { PARTS = 4, ROUNDS = 50 };

static long numbers[4000], sums[PARTS];

static void add_up(int part) {
    sums[part] = 0;
    for (int i = part * 1000; i < (part + 1) * 1000; i++)
        sums[part] += numbers[i];
}

static void *thread_body(void *argument) {
    add_up(*(int *)argument);
    return NULL;
}

static void with_threads(void) {
    pthread_t threads[PARTS];
    int parts[PARTS];
    for (int part = 0; part < PARTS; part++) {
        parts[part] = part;
        pthread_create(&threads[part], NULL, thread_body, &parts[part]);
    }
    for (int part = 0; part < PARTS; part++)
        pthread_join(threads[part], NULL);
}

static void with_group(void) {
    dispatch_group_t group = dispatch_group_create();
    for (int part = 0; part < PARTS; part++) {
        dispatch_group_async(group, dispatch_get_global_queue(0, 0), ^{
          add_up(part);
        });
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
}

static void run(const char *name, void (*way)(void)) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int round = 0; round < ROUNDS; round++)
        way();
    clock_gettime(CLOCK_MONOTONIC, &end);
    double microseconds = (double)(end.tv_sec - begin.tv_sec) * 1e6 +
                          (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
    long sum = 0;
    for (int part = 0; part < PARTS; part++)
        sum += sums[part];
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
