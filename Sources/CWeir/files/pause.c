/*
 * pause.c: a run that stands still for a while.
 *
 * DESIGN. A lane looks before it opens a file whether it may, which costs one
 * load, and waits where it may not: what is open is finished, and what a lane
 * holds (its place, the permits of its stride, a directory) it keeps, so that
 * going on is going on. Suspending the lanes was rejected: they stop between
 * strides, which may be a long time; and those who feed would have to be told
 * apart from those who pause.
 */
#include "files/processor.h"

void weir_files_pause(weir_files_t files) {
    atomic_store(&files->reading.is_paused, true);
}

void weir_files_resume(weir_files_t files) {
    atomic_store(&files->reading.is_paused, false);
    weir__reading_wake(files);
}

void weir__reading_wake(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    pthread_cond_broadcast(&files->reading.resumed);
    pthread_mutex_unlock(&files->lock);
}

void weir__reading_wait(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    while (atomic_load(&files->reading.is_paused) && !files_stopped(files)) {
        pthread_cond_wait(&files->reading.resumed, &files->lock);
    }
    pthread_mutex_unlock(&files->lock);
}
