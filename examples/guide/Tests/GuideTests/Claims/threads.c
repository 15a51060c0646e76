/*
 * threads WHAT: where tasks get their threads from on Linux, and how many.
 *
 *   many     a hundred serial queues: how many tasks are at work at once
 *   ceiling  three hundred of them: the same
 *   growth   how long cores + 3 tasks that wait for each other need to meet,
 *            on a global queue, and on serial queues
 *   idle     how many threads the process has with a thousand serial queues
 *            that have worked, and the bytes a queue takes
 *   order    on one core: if a thousand tasks of a concurrent queue begin in
 *            the order in which they were added
 *   submit   four threads submit to one queue without a lock: how many tasks
 *            it ran, counted without a lock
 *   names    if a thread that runs a task has the name of its queue
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weir/libdispatch.h>

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- tasks that wait for each other -------------------------------------- */

static atomic_int come;
static int expected;
static dispatch_semaphore_t somebody_came, may_go;

static void meet(void *context) {
    (void)context;
    atomic_fetch_add(&come, 1);
    dispatch_semaphore_signal(somebody_came);
    dispatch_semaphore_wait(may_go, DISPATCH_TIME_FOREVER);
}

/* Submits the tasks, each to a serial queue of its own, or all to a global
   one. */
static void submit_meeting(int tasks, bool to_serial_queues) {
    somebody_came = dispatch_semaphore_create(0);
    may_go = dispatch_semaphore_create(0);
    atomic_store(&come, 0);
    expected = tasks;
    for (int i = 0; i < tasks; i++) {
        if (to_serial_queues) {
            dispatch_queue_t queue = dispatch_queue_create(NULL, NULL);
            dispatch_async_f(queue, NULL, meet);
            dispatch_release(queue);
        } else {
            dispatch_async_f(dispatch_get_global_queue(0, 0), NULL, meet);
        }
    }
}

/* Waits until so many have come, or nobody more came for that long. */
static int wait_for(int tasks, int64_t patience_ms) {
    for (int i = 0; i < tasks; i++) {
        dispatch_time_t limit = dispatch_time(
            DISPATCH_TIME_NOW, patience_ms * (int64_t)NSEC_PER_MSEC);
        if (dispatch_semaphore_wait(somebody_came, limit) != 0)
            return i;
    }
    return tasks;
}

static void many(int tasks, int likely) {
    submit_meeting(tasks, true);
    int first = wait_for(likely, 20000);
    int more = wait_for(tasks - likely, 300);
    printf("%d at once\n", first + more);
    fflush(stdout);
    _exit(0); /* some of them wait forever */
}

static double time_to_meet(int tasks, bool on_serial_queues) {
    double begin = milliseconds();
    submit_meeting(tasks, on_serial_queues);
    if (wait_for(tasks, 20000) != tasks)
        return 1e9;
    double time = milliseconds() - begin;
    for (int i = 0; i < tasks; i++)
        dispatch_semaphore_signal(may_go);
    return time;
}

static void growth(void) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    int tasks = CPU_COUNT(&set) + 3;
    double serial = time_to_meet(tasks, true);
    double global = time_to_meet(tasks, false);
    printf("global %.3f ms, serial %.3f ms: %s\n", global, serial,
           global > 5 * serial ? "much longer" : "about as long");
    fflush(stdout);
    _exit(0);
}

/* ---- others -------------------------------------------------------------- */

static int threads_now(void) {
    char line[256];
    int threads = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "Threads: %d", &threads);
    if (status)
        fclose(status);
    return threads;
}

static void add_one(void *context) { ++*(int *)context; }

static void idle(void) {
    enum { QUEUES = 1000 };
    static dispatch_queue_t queues[QUEUES];
    int counter = 0;
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < QUEUES; i++) {
        queues[i] = dispatch_queue_create(NULL, NULL);
        dispatch_sync_f(queues[i], &counter, add_one);
    }
    size_t bytes = (mallinfo2().uordblks - before) / QUEUES;
    printf("%d queues have worked: %d threads, %s a queue\n", counter,
           threads_now(), bytes < 1024 ? "some bytes" : "a KiB and more");
}

static int seen[1000];
static atomic_int seen_count;

static void note_order(void *context) {
    seen[atomic_fetch_add(&seen_count, 1)] = (int)(intptr_t)context;
}

static void order(void) {
    cpu_set_t set, one;
    sched_getaffinity(0, sizeof set, &set);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &set)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    /* Before libdispatch counts the cores. */
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        exit(1);
    dispatch_group_t group = dispatch_group_create();
    for (intptr_t i = 0; i < 1000; i++)
        dispatch_group_async_f(group, dispatch_get_global_queue(0, 0),
                               (void *)i, note_order);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    int steps_back = 0;
    for (int i = 1; i < 1000; i++)
        steps_back += seen[i] < seen[i - 1];
    /* An interruption is a step back. Any other order has hundreds. */
    puts(steps_back < 50 ? "in order" : "in another order");
}

static int unguarded;

static void *submit_often(void *queue) {
    for (int i = 0; i < 10000; i++)
        dispatch_async_f((dispatch_queue_t)queue, &unguarded, add_one);
    return NULL;
}

static void submit(void) {
    dispatch_queue_t queue = dispatch_queue_create(NULL, NULL);
    pthread_t threads[4];
    int nothing = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, submit_often, queue);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    dispatch_sync_f(queue, &nothing, add_one);
    printf("%d counted\n", unguarded);
}

static void print_name(void *context) {
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    puts(strstr(name, "my.queue") ? "its name" : "another name");
    dispatch_semaphore_signal((dispatch_semaphore_t)context);
}

static void names(void) {
    dispatch_semaphore_t printed = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("org.my.queue", NULL);
    dispatch_async_f(queue, printed, print_name);
    dispatch_semaphore_wait(printed, DISPATCH_TIME_FOREVER);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "many") == 0)
        many(100, 100);
    else if (strcmp(what, "ceiling") == 0)
        many(300, 255);
    else if (strcmp(what, "growth") == 0)
        growth();
    else if (strcmp(what, "idle") == 0)
        idle();
    else if (strcmp(what, "order") == 0)
        order();
    else if (strcmp(what, "submit") == 0)
        submit();
    else if (strcmp(what, "names") == 0)
        names();
    return 0;
}
