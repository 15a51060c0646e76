/*
 * sharing.c: a lane without work takes half of the rest of another's batch.
 *
 * DESIGN. The feed cuts batches by count, since neither the size of a file nor
 * the time of its job is known. So a lane without work takes the second half of
 * the files that the lane of a batch has not begun. The files that are to be
 * read are a range, of which the batch's lane takes the first and this one
 * lowers the end. The part is a batch of its own, next in the order of
 * delivery.
 *
 * A batch of small files takes less than a millisecond, and a part costs two
 * locks, the permits and an open of the directory. So a batch is left alone
 * until the lane without work has looked at it twice, a millisecond apart. One
 * such lane looks, and calls the next one when it has found work. It goes on
 * for a while if there is nothing to take: to call a lane for each batch costs
 * a tenth of a run that opens no file. It leaves when a batch waits for a lane.
 * It holds nothing, and waits for neither permits nor a device slot.
 *
 * Rejected: parts that the lane of the batch splits off, between two files,
 * after a job that may take an hour; and to take a part at once. In a tree of
 * small files lanes would take each other's files all the time.
 */
#include "files/batch/submission.h"

#include "files/batch/delivery.h"
#include "files/batch/device_slots.h"
#include "files/readers/readers.h"
#include "system/condition.h"

/* The time between two looks: it is doubled up to the most. */
#define PAUSE_NS UINT64_C(1000000)
#define PAUSE_MOST_NS UINT64_C(8000000)

/* True if a lane may take files of the batch into `part`, which has a slot of
   its device, or if that is NULL, into one that takes a free slot. */
static bool is_open_to(const struct batch *batch, const struct batch *part) {
    const struct device_slots *slots = batch->slots;
    return part ? slots == part->slots : !slots || slots->taken < slots->limit;
}

/* Returns the first batch that has a rest, was seen before and is open to
   `part`. Sets `has_rest` if any batch has a rest. */
static struct batch *find_locked(weir_files_t files, const struct batch *part,
                                 bool *has_rest) {
    struct batch *found = NULL;
    *has_rest = false;
    for (struct batch *batch = files->head;
         batch && !found && !files_is_stopped(files); batch = batch->next) {
        if (!batch->is_by_inode && batch_rest(batch) > 0) {
            *has_rest = true;
            found = batch->was_seen && is_open_to(batch, part) ? batch : NULL;
            batch->was_seen = true;
        }
    }
    return found;
}

/* Releases a batch that has no entries, and all that it holds. */
static void discard(struct batch *batch) {
    weir__batch_release_permits(batch);
    weir__device_slots_release(batch);
    weir__delivery_release(batch->files, batch);
}

/* Returns a batch with permits and a slot, or NULL. */
static struct batch *prepare(weir_files_t files, struct device_slots *slots) {
    struct batch *part = weir__delivery_take_part(files);
    if (!part) {
        return NULL;
    }
    part->to_open = 1;
    part->slots = slots;
    if (weir__device_slots_take(part, false) &&
        weir__batch_take_permits(part, false)) {
        return part;
    }
    discard(part);
    return NULL;
}

/* Moves half of the rest of a batch to `part`. False without a rest. */
static bool fill_locked(weir_files_t files, struct batch *part) {
    bool has_rest;
    struct batch *from = find_locked(files, part, &has_rest);
    if (!from || !weir__batch_move_half(from, part)) {
        return false;
    }
    batch_set_range(part, part->count);
    part->was_seen = true;
    weir__delivery_enter_locked(files, part, from);
    return true;
}

/* Called with the lock held, which is released meanwhile. */
static struct batch *take_part_locked(weir_files_t files,
                                      const struct batch *from) {
    struct device_slots *slots = from->slots;
    pthread_mutex_unlock(&files->lock);
    struct batch *part = prepare(files, slots);
    pthread_mutex_lock(&files->lock);
    if (part && !fill_locked(files, part)) {
        pthread_mutex_unlock(&files->lock);
        discard(part);
        part = NULL;
        pthread_mutex_lock(&files->lock);
    }
    return part;
}

struct batch *weir__sharing_seek(weir_files_t files) {
    struct batch *part = NULL;
    bool has_rest = true;
    uint64_t pause = PAUSE_NS;
    pthread_mutex_lock(&files->lock);
    while (load_relaxed(&files->queued) == 0) {
        const struct batch *from = find_locked(files, NULL, &has_rest);
        if (from && (part = take_part_locked(files, from))) {
            find_locked(files, NULL, &has_rest);
            break;
        }
        if (!has_rest && (files->is_awaited || pause == PAUSE_MOST_NS)) {
            break;
        }
        weir__condition_wait(&files->shared, &files->lock, pause);
        pause = pause < PAUSE_MOST_NS ? 2 * pause : pause;
    }
    store_relaxed(&files->has_seeker, false);
    pthread_mutex_unlock(&files->lock);
    if (part && has_rest &&
        load_relaxed(&files->busy_lanes) + 1 < weir__readers_allowed(files)) {
        files->call_seeker(files);
    }
    return part;
}
