/*
 * lanes_threads.c: the threads that all lanes of the process hold together.
 *
 * DESIGN. libdispatch makes 255 threads for the serial queues of one quality of
 * service, and a queue beyond them waits until one is free, on Linux also the
 * main queue of a Swift program with an async main function. So lanes take 240
 * at most of each class. A lane that is woken beyond that waits here, in order,
 * until another one is idle. An error at the creation was rejected: a program
 * may have more lanes than threads.
 *
 * A lane that is idle lowers the count, then reads the number of those that
 * wait. One that begins to wait raises that number, then reads the count. All
 * four are sequentially consistent, so one of the two sees the other.
 */
#include "queues/lanes_state.h"

/* A class is the value of a dispatch_qos_class_t, divided by 4. */
#define CLASSES 16
#define CLASS_DEFAULT 5

static struct {
    _Atomic size_t threads;
    _Atomic size_t waiting;
    struct weir__lane *first, *last;
} classes[CLASSES];

size_t weir__lanes_threads_max = WEIR_LANES_THREADS_MAX;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the queues */
static _Atomic bool has_warned;

size_t weir__lanes_class(weir_lanes_t lanes) {
    return lanes->qos ? (size_t)lanes->qos / 4 % CLASSES : CLASS_DEFAULT;
}

size_t weir__lanes_threads(weir_lanes_t lanes) {
    return atomic_load(&classes[weir__lanes_class(lanes)].threads);
}

static bool take(size_t class) {
    size_t threads = atomic_load(&classes[class].threads);
    while (threads < weir__lanes_threads_max) {
        if (atomic_compare_exchange_weak(&classes[class].threads, &threads,
                                         threads + 1)) {
            return true;
        }
    }
    return false;
}

static void put_locked(size_t class, struct weir__lane *lane) {
    lane->next_idle = NULL;
    if (classes[class].first) {
        classes[class].last->next_idle = lane;
    } else {
        classes[class].first = lane;
    }
    classes[class].last = lane;
    atomic_fetch_add(&classes[class].waiting, 1);
}

/* Returns the first lane that waits, with a thread; NULL if there is none. */
static struct weir__lane *next(size_t class) {
    pthread_mutex_lock(&lock);
    struct weir__lane *lane = classes[class].first;
    if (lane && take(class)) {
        classes[class].first = lane->next_idle;
        atomic_fetch_sub(&classes[class].waiting, 1);
    } else {
        lane = NULL;
    }
    pthread_mutex_unlock(&lock);
    return lane;
}

static void serve(size_t class) {
    struct weir__lane *lane;
    while (atomic_load(&classes[class].waiting) > 0 && (lane = next(class))) {
        dispatch_async_f(lane->queue, lane, weir__lane_drain);
    }
}

void weir__lane_start(struct weir__lane *lane) {
    size_t class = weir__lanes_class(lane->lanes);
    if (atomic_load(&classes[class].waiting) == 0 && take(class)) {
        dispatch_async_f(lane->queue, lane, weir__lane_drain);
        return;
    }
    if (!atomic_exchange(&has_warned, true)) {
        weir__warn("the lanes of this process hold %zu threads, as many as "
                   "they may have together; the lanes \"%.100s\" wait for one",
                   WEIR_LANES_THREADS_MAX, weir__lanes_label(lane->lanes));
    }
    pthread_mutex_lock(&lock);
    put_locked(class, lane);
    pthread_mutex_unlock(&lock);
    serve(class);
}

void weir__lane_stop(size_t class) {
    atomic_fetch_sub(&classes[class].threads, 1);
    serve(class);
}
