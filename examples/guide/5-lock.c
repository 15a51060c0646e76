/*
 * A lock, and a serial queue in its place.
 *
 * The guide: "About Dispatch Queues", "Creating Serial Dispatch Queues", and
 * its chapter on migrating away from threads.
 */
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { TIMES = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dispatch_queue_t queue;
static long counter;

static void with_lock(void) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}

static void with_sync(void) {
    dispatch_sync(queue, ^{
      counter++;
    });
}

/* Does not wait: it returns at once. */
static void with_async(void) {
    dispatch_async(queue, ^{
      counter++;
    });
}

/* Nanoseconds an operation, by one thread or by two at once. */
static double measure(size_t threads, void (*add_one)(void)) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    dispatch_apply(threads, dispatch_get_global_queue(0, 0), ^(size_t thread) {
      (void)thread;
      for (int i = 0; i < TIMES; i++)
          add_one();
    });
    /* After all additions. */
    dispatch_sync(queue, ^{
                  });
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
            (double)(end.tv_nsec - begin.tv_nsec)) /
           (double)(threads * TIMES);
}

static void compare(const char *name, void (*add_one)(void)) {
    counter = 0;
    double alone = measure(1, add_one);
    double together = measure(2, add_one);
    printf("%-15s %8.0f ns %8.0f ns   counted %ld of %d\n", name, alone,
           together, counter, 3 * TIMES);
}

int main(void) {
    queue = dispatch_queue_create("com.example.counter", NULL);
    printf("                one thread  two threads\n");
    compare("mutex", with_lock);
    compare("dispatch_sync", with_sync);
    compare("dispatch_async", with_async);
    printf("A lock that is free needs no kernel on Linux. What a queue offers "
           "is order, and\nnot having to wait.\n");
    dispatch_release(queue);
    return 0;
}
