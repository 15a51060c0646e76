/*
 * control.c: stopping and pausing a run of the file processor.
 *
 * DESIGN. A file that is open may end after a stop, since its bytes have been
 * read for nothing otherwise; but a file of a terabyte would take hours. So
 * after the grace reads fail with ECANCELED, and the file is given up: it has
 * no result. A lane checks for a pause before each file, which costs one load.
 * A paused lane keeps its place, the permits of its batch and an open
 * directory. Rejected: to suspend the lanes. They stop between batches, which
 * may take a long time.
 */
#include "files/processor/processor.h"

void weir_files_pause(weir_files_t files) {
    atomic_store(&files->is_paused, true);
}

void weir_files_resume(weir_files_t files) {
    atomic_store(&files->is_paused, false);
    pthread_mutex_lock(&files->lock);
    pthread_cond_broadcast(&files->resumed);
    pthread_mutex_unlock(&files->lock);
}

void weir__files_wait_while_paused(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    while (atomic_load(&files->is_paused) && !files_is_stopped(files)) {
        pthread_cond_wait(&files->resumed, &files->lock);
    }
    pthread_mutex_unlock(&files->lock);
}

static void stop_locked(weir_files_t files, int reason) {
    if (!files_is_stopped(files)) {
        atomic_store(&files->give_up_at, weir__nanoseconds() + files->grace);
        atomic_store(&files->stop_reason, reason);
        pthread_cond_signal(&files->answered);
        pthread_cond_broadcast(&files->resumed);
    }
}

void weir__files_set_grace(weir_files_t files, uint64_t nanoseconds) {
    files->grace = nanoseconds;
}

bool weir__files_is_grace_over(weir_files_t files) {
    return atomic_load(&files->stop_reason) != 0 &&
           weir__nanoseconds() >= atomic_load(&files->give_up_at);
}

void weir__files_stop(weir_files_t files, int reason) {
    pthread_mutex_lock(&files->lock);
    stop_locked(files, reason);
    pthread_mutex_unlock(&files->lock);
}

void weir_files_cancel(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    if (files->is_running) {
        stop_locked(files, ECANCELED);
    }
    pthread_mutex_unlock(&files->lock);
}
