/*
 * watch.c: reports waits without progress (WEIR_WATCH, weir_inspect_watch).
 *
 * DESIGN. A thread of its own compares the progress of each object, a number
 * that grows with what happens there anyway. A wait is due once: the time after
 * its begin, or after the last progress of its object. To report only closed
 * circles of waits was rejected: most hangs lead through what is not of Weir,
 * as a task's wait for its children. Alarms were rejected, too: a write to
 * standard error may wait.
 */
#include "system/condition.h"
#include "system/threads.h"
#include "trace/inspection.h"

#include <unistd.h>

#define LOOKS 8               /* in the length */
#define LEAST_PAUSE 1000000   /* nanoseconds */
#define LEAST_LENGTH 10000000 /* nanoseconds; some pauses */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static pthread_cond_t changed;
static uint64_t length; /* 0: nothing is watched */
static bool is_changed, is_running;

/* Waits for the time of the next look, or for another length. */
static void wait_locked(struct weir__look *look) {
    if (length == 0) {
        pthread_cond_wait(&changed, &lock);
    } else {
        (void)weir__condition_wait(&changed, &lock,
                                   length / LOOKS + LEAST_PAUSE);
    }
    look->last = is_changed ? 0 : look->last;
    look->length = length;
    is_changed = false;
}

static void serve(void *context) {
    (void)context;
    struct weir__look look = {0};
    pthread_mutex_lock(&lock);
    for (;;) {
        wait_locked(&look);
        if (look.length > 0) {
            pthread_mutex_unlock(&lock);
            look.now = weir__nanoseconds();
            (void)weir__inspect_look(&look, STDERR_FILENO);
            look.last = look.now;
            pthread_mutex_lock(&lock);
        }
    }
}

int weir_inspect_watch(double seconds) {
    int error = 0;
    if (!(seconds >= 0 && seconds <= 1e9)) { /* also NaN */
        return EINVAL;
    }
    pthread_mutex_lock(&lock);
    if (seconds > 0 && !is_running) {
        store_relaxed(&weir__is_inspected, true);
        weir__condition_create(&changed);
        error = weir__thread_start(NULL, serve);
        is_running = error == 0;
    }
    if (is_running) {
        uint64_t wanted = (uint64_t)(seconds * 1e9);
        length = seconds > 0 && wanted < LEAST_LENGTH ? LEAST_LENGTH : wanted;
        is_changed = true;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return error;
}
