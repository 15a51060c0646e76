/*
 * watch.c: reports waits without progress (WEIR_WATCH, weir_inspect_watch).
 *
 * DESIGN. A thread of its own looks at all objects several times in the length
 * of a wait that is reported. Each object has a number that grows with what
 * happens there anyway. If it did not change for the length, the waits for the
 * object that are as old are stalled. So the calls that wait and signal do
 * nothing for the watch, and a look passes over all objects that move.
 *
 * A wait is due at one moment: the length after its begin, or after the last
 * progress of its object. A look shows the waits that became due since the look
 * before, so that each is reported once, without a record of the reports.
 *
 * To report only closed circles of waits was rejected: what a task waits for
 * outside of Weir, as for its own child tasks, is unknown, and most hangs of
 * that kind lead through it. A job that runs for longer than the length is
 * therefore reported too, if something waits for it.
 *
 * The alarms of the room below were rejected: writing to standard error may
 * wait, and all time-outs would wait with it.
 */
#include "system/condition.h"
#include "system/threads.h"
#include "trace/inspection.h"

#include <unistd.h>

#define LOOKS 8 /* in the length */
#define LENGTH_MAX 1e9

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static pthread_cond_t changed;
static uint64_t length; /* 0: nothing is watched */
static bool is_changed;
static bool is_running;

/* Waits for the time of the next look, or for another length. */
static void wait_locked(struct weir__look *look) {
    if (length == 0) {
        pthread_cond_wait(&changed, &lock);
    } else {
        (void)weir__condition_wait(&changed, &lock, length / LOOKS);
    }
    if (is_changed) {
        is_changed = false;
        look->last = 0;
    }
    look->length = length;
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

static int start_locked(void) {
    if (is_running) {
        return 0;
    }
    weir__condition_create(&changed);
    int error = weir_spi_thread_start(NULL, serve);
    is_running = error == 0;
    return error;
}

int weir_inspect_watch(double seconds) {
    if (!(seconds >= 0 && seconds <= LENGTH_MAX)) { /* also NaN */
        return EINVAL;
    }
    if (seconds > 0) {
        store_relaxed(&weir__is_inspected, true);
    }
    pthread_mutex_lock(&lock);
    int error = seconds > 0 ? start_locked() : 0;
    if (error == 0) {
        length = (uint64_t)(seconds * 1e9);
        is_changed = true;
        if (is_running) {
            pthread_cond_signal(&changed);
        }
    }
    pthread_mutex_unlock(&lock);
    return error;
}
