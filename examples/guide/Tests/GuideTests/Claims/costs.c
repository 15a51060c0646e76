/*
 * costs: what things cost beside each other, in nanoseconds, each the best of
 * several rounds: a line "NAME FIGURE" each.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <weir/libdispatch.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t posix;
static dispatch_semaphore_t semaphore, done;
static dispatch_queue_t queue;
static int counter;

static void count(void *context) {
    (void)context;
    counter++;
}

static void *count_in_thread(void *context) {
    count(context);
    return NULL;
}

static void count_and_tell(void *context) {
    count(context);
    dispatch_semaphore_signal(done);
}

static void use_mutex(void) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
}

static void use_sync(void) { dispatch_sync_f(queue, NULL, count); }

static void use_async(void) { dispatch_async_f(queue, NULL, count); }

static void use_posix_semaphore(void) {
    sem_wait(&posix);
    sem_post(&posix);
}

static void use_semaphore(void) {
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
    dispatch_semaphore_signal(semaphore);
}

static void use_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, count_in_thread, NULL);
    pthread_join(thread, NULL);
}

static void use_task(void) {
    dispatch_async_f(queue, NULL, count_and_tell);
    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
}

static void measure(const char *name, int times, void (*use)(void)) {
    double best = 1e18;
    for (int round = 0; round < 7; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int i = 0; i < times; i++)
            use();
        clock_gettime(CLOCK_MONOTONIC, &end);
        double time = ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
                       (double)(end.tv_nsec - begin.tv_nsec)) /
                      times;
        if (time < best)
            best = time;
        dispatch_sync_f(queue, NULL, count); /* behind what was submitted */
    }
    printf("%s %.1f\n", name, best);
}

int main(void) {
    sem_init(&posix, 0, 1);
    semaphore = dispatch_semaphore_create(1);
    done = dispatch_semaphore_create(0);
    queue = dispatch_queue_create("com.example.costs", NULL);
    measure("mutex", 20000, use_mutex);
    measure("dispatch_sync", 20000, use_sync);
    measure("dispatch_async", 20000, use_async);
    measure("sem_t", 20000, use_posix_semaphore);
    measure("dispatch_semaphore", 20000, use_semaphore);
    measure("thread", 200, use_thread);
    measure("task", 200, use_task);
    return 0;
}
