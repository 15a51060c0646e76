/*
 * A lock, and a serial queue in its place, without blocks.
 *
 *     gcc -O2 -o 5-lock_f 5-lock_f.c $(pkg-config --cflags --libs weir)
 *
 * The guide: "About Dispatch Queues", "Creating Serial Dispatch Queues", and
 * its chapter on migrating away from threads.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <weir/libdispatch.h>

enum { TIMES = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dispatch_queue_t queue;

static void increment(void *context) { ++*(long *)context; }

static void nothing(void *context) { (void)context; }

static void with_lock(long *counter) {
    pthread_mutex_lock(&lock);
    increment(counter);
    pthread_mutex_unlock(&lock);
}

static void with_sync(long *counter) {
    dispatch_sync_f(queue, counter, increment);
}

/* Does not wait: it returns at once. */
static void with_async(long *counter) {
    dispatch_async_f(queue, counter, increment);
}

struct work {
    void (*add_one)(long *counter);
    long counter;
};

static void add_often(void *context, size_t thread) {
    struct work *work = context;
    (void)thread;
    for (int i = 0; i < TIMES; i++)
        work->add_one(&work->counter);
}

/* Nanoseconds an operation, by one thread or by two at once. */
static double measure(size_t threads, struct work *work) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    dispatch_apply_f(threads, dispatch_get_global_queue(0, 0), work, add_often);
    /* After all additions. */
    dispatch_sync_f(queue, NULL, nothing);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
            (double)(end.tv_nsec - begin.tv_nsec)) /
           (double)(threads * TIMES);
}

static void compare(const char *name, void (*add_one)(long *counter)) {
    struct work work = {add_one, 0};
    double alone = measure(1, &work);
    double together = measure(2, &work);
    printf("%-15s %8.0f ns %8.0f ns   counted %ld of %d\n", name, alone,
           together, work.counter, 3 * TIMES);
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
