/*
 * busy.c: the files that lanes are working on (weir_files_busy).
 *
 * DESIGN. A lane that hangs in a read cannot answer, so it announces its work
 * beforehand: the batch, once for each; the index of the file and the time, two
 * stores per file. The asking thread holds the lock of the processor, without
 * which a lane does not get past the end of its batch: so the paths stay. The
 * time is stored before the index, and read after it, so that a file is never
 * reported with the time of the one before.
 */
#include "files/lane/lane.h"
#include "system/clocks.h"

void weir__busy_add(weir_files_t files, struct lane *lane, size_t number) {
    struct busy *busy = &lane->busy;
    busy->lane = number;
    pthread_mutex_lock(&files->lock);
    busy->next = files->busy;
    files->busy = busy;
    pthread_mutex_unlock(&files->lock);
}

uint64_t weir__busy_set(struct lane *lane, struct batch *batch, size_t index) {
    uint64_t now = weir__nanoseconds_coarse();
    if (!lane) {
        return now;
    }
    struct busy *busy = &lane->busy;
    store_relaxed(&busy->since, now);
    atomic_store_explicit(&busy->index, index, memory_order_release);
    if (load_relaxed(&busy->batch) != batch) {
        atomic_store_explicit(&busy->batch, batch, memory_order_release);
    }
    return now;
}

void weir__busy_end(struct lane *lane) {
    if (lane) {
        atomic_store_explicit(&lane->busy.batch, NULL, memory_order_release);
    }
}

/* Writes the present file of a lane. False if the lane has none. */
static bool show_busy(const struct busy *busy, weir_files_busy_t *shown) {
    struct batch *batch =
        atomic_load_explicit(&busy->batch, memory_order_acquire);
    if (!batch) {
        return false;
    }
    size_t index = atomic_load_explicit(&busy->index, memory_order_acquire);
    uint64_t since = load_relaxed(&busy->since);
    uint64_t now = weir__nanoseconds_coarse();
    const struct entry *entry = &batch->entries[index];
    *shown = (weir_files_busy_t){
        .lane = busy->lane,
        .path = entry_path(batch, entry),
        .path_length = entry->path_length,
        .nanoseconds = now > since ? now - since : 0,
    };
    return true;
}

size_t weir_files_busy(weir_files_t files, uint64_t least, void *context,
                       void (*report)(void *context,
                                      const weir_files_busy_t *busy)) {
    size_t count = 0;
    weir_files_busy_t shown;
    pthread_mutex_lock(&files->lock);
    for (struct busy *busy = files->busy; busy; busy = busy->next) {
        if (show_busy(busy, &shown) && shown.nanoseconds >= least) {
            count++;
            report(context, &shown);
        }
    }
    pthread_mutex_unlock(&files->lock);
    return count;
}
