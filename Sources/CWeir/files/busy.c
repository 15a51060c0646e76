/*
 * busy.c: which files the lanes are at.
 *
 * DESIGN. A lane that hangs in a read cannot answer, so it says beforehand what
 * it is at: its stride, once for each; the file's number in it and the time, two
 * stores for each file, which nobody waits for. Who asks holds the processor's
 * lock. No stride can be given back meanwhile, so the paths stay where they are:
 * a lane gets past the end of its stride only with that lock. And it cannot begin
 * another one behind it: so what is seen of a stride, a number and a path, belongs
 * together. The time is stored before the number, and read behind it, so that a
 * file is never said to take the time of the one before.
 */
#include "files/reader.h"

void weir__busy_add(weir_files_t files, struct reader *reader, size_t lane) {
    struct busy *busy = &reader->busy;
    busy->lane = lane;
    pthread_mutex_lock(&files->lock);
    busy->next = files->reading.busy;
    files->reading.busy = busy;
    pthread_mutex_unlock(&files->lock);
}

static uint64_t coarse_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void weir__busy_at(struct reader *reader, struct stride *stride, size_t index) {
    if (!reader) {
        return;
    }
    struct busy *busy = &reader->busy;
    atomic_store_explicit(&busy->since, coarse_time(), memory_order_relaxed);
    atomic_store_explicit(&busy->index, index, memory_order_release);
    if (atomic_load_explicit(&busy->stride, memory_order_relaxed) != stride) {
        atomic_store_explicit(&busy->stride, stride, memory_order_release);
    }
}

void weir__busy_end(struct reader *reader) {
    if (reader) {
        atomic_store_explicit(&reader->busy.stride, NULL, memory_order_release);
    }
}

/* Where the lane is, unless it has nothing to do. */
static bool look(const struct busy *busy, weir_files_busy_t *shown) {
    struct stride *stride =
        atomic_load_explicit(&busy->stride, memory_order_acquire);
    if (!stride) {
        return false;
    }
    size_t index = atomic_load_explicit(&busy->index, memory_order_acquire);
    uint64_t since = atomic_load_explicit(&busy->since, memory_order_relaxed);
    uint64_t now = coarse_time();
    const struct entry *entry = &stride->entries[index];
    *shown = (weir_files_busy_t){
        .lane = busy->lane,
        .path = entry_path(stride, entry),
        .path_length = entry->path_length,
        .nanoseconds = now > since ? now - since : 0,
    };
    return true;
}

size_t weir_files_busy(weir_files_t files, uint64_t least, void *context,
                       void (*tell)(void *context,
                                    const weir_files_busy_t *busy)) {
    size_t count = 0;
    weir_files_busy_t shown;
    pthread_mutex_lock(&files->lock);
    for (struct busy *busy = files->reading.busy; busy; busy = busy->next) {
        if (look(busy, &shown) && shown.nanoseconds >= least) {
            count++;
            tell(context, &shown);
        }
    }
    pthread_mutex_unlock(&files->lock);
    return count;
}
