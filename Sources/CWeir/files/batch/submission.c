/*
 * submission.c: the way of a full batch: permits, a lane, the delivery.
 *
 * DESIGN. A batch has its place in the order of delivery, a device slot, its
 * permits (all in one wait), and then its place in the backlog. The lanes wait
 * for none of these, so there is no circle to wait in.
 */
#include "files/batch/submission.h"

#include "files/batch/delivery.h"
#include "files/batch/device_slots.h"
#include "files/lane/lane.h"
#include "files/readers/readers.h"

#include <weir/spi.h>

/* ---- on a lane --------------------------------------------------------- */

/* Moves the entries from `first` on into a new batch. NULL without memory. */
static struct batch *cut_off(struct batch *batch, size_t first) {
    weir_files_t files = batch->files;
    struct batch *rest =
        first < batch->count ? weir__delivery_take_part(files) : NULL;
    if (!rest) {
        return NULL;
    }
    if (!weir__batch_move_rest(batch, first, rest)) {
        weir__delivery_release(files, rest);
        return NULL;
    }
    rest->is_by_inode = true;
    weir__delivery_enter(files, rest, batch);
    return rest;
}

/* Reads one batch; `is_rest` if the lane has planned it with the one before.
   Returns the rest to read next, or NULL. */
static struct batch *read_batch(struct batch *batch, struct lane *lane,
                                bool is_rest) {
    struct batch *rest = NULL;
    if (batch->is_by_inode && lane && !files_is_stopped(batch->files)) {
        if (!is_rest) {
            weir__inode_order_plan(lane, batch);
        }
        rest = cut_off(batch, weir__inode_order_cut(lane, batch));
        weir__inode_order_begin(lane, batch);
    }
    size_t count = batch->count;
    size_t read = weir__lane_read_batch(lane, batch);
    if (batch->order) {
        weir__inode_order_end(batch, read);
    } else if (read < batch->count) {
        weir__batch_cut_short(batch, read);
    }
    if (rest) {
        weir__inode_order_advance(lane, count);
        rest->permits = batch->permits;
        rest->slots = batch->slots;
        batch->permits = 0;
        batch->slots = NULL;
    } else {
        weir__batch_release_permits(batch);
        weir__device_slots_release(batch);
    }
    return rest;
}

static void run(struct batch *batch, struct lane *lane) {
    weir_files_t files = batch->files;
    weir__raise_size(&files->busy_lanes_peak,
                     add_relaxed(&files->busy_lanes, 1) + 1);
    bool is_rest = false;
    while (batch) {
        struct batch *rest = read_batch(batch, lane, is_rest);
        if (!rest) {
            subtract_relaxed(&files->busy_lanes, 1);
        }
        weir__delivery_finish(files, batch);
        batch = rest;
        is_rest = true;
    }
}

/* Runs parts of other lanes' batches, while no batch waits for a lane. */
static void run_parts(weir_files_t files, struct lane *lane) {
    struct batch *part;
    while (files->width > 1 && load_relaxed(&files->queued) == 0 &&
           !atomic_exchange(&files->has_seeker, true) &&
           (part = weir__sharing_seek(files))) {
        run(part, lane);
    }
}

static void run_batch(void *context, void *lane) {
    struct batch *batch = context;
    weir_files_t files = batch->files;
    subtract_relaxed(&files->queued, 1);
    run(batch, lane);
    run_parts(files, lane);
}

static void run_seeker(void *context, void *lane) {
    weir_files_t files = context;
    store_relaxed(&files->has_seeker, false);
    run_parts(files, lane);
}

void weir__batches_call_seeker(weir_files_t files) {
    if (!atomic_exchange(&files->has_seeker, true) &&
        weir_lanes_async_must_f(files->lanes, files, run_seeker) != 0) {
        store_relaxed(&files->has_seeker, false); /* memory is short */
    }
}

/* ---- submitting -------------------------------------------------------- */

/* Waits until the caller wants more. A receiver of deliveries may need
   descriptors: if the delivery waited, the batches would hold them. */
static void admit(weir_files_t files) {
    if (files->options.admit && !files_is_stopped(files)) {
        uint64_t begun = weir__nanoseconds();
        int error = files->options.admit(files->options.user);
        files_count_time(&files->counts.waited_delivery, begun);
        if (error) {
            weir__files_stop(files, error);
        }
    }
}

/* False if the run is stopped, or memory is short. */
static bool submit_to_lanes(struct batch *batch) {
    weir_files_t files = batch->files;
    if (!weir__device_slots_take(batch, true) ||
        !weir__batch_take_permits(batch, true)) {
        return false;
    }
    uint64_t begun = weir__nanoseconds();
    add_relaxed(&files->queued, 1);
    int error = weir_lanes_async_f(files->lanes, batch, run_batch);
    files_count_time(&files->counts.waited_lanes, begun);
    if (error) {
        subtract_relaxed(&files->queued, 1);
    }
    /* The lane that seeks work may be the only one without some. */
    if (load_relaxed(&files->has_seeker) &&
        load_relaxed(&files->busy_lanes) + 1 >= weir__readers_allowed(files)) {
        pthread_cond_signal(&files->shared);
    }
    return error == 0;
}

void weir__batch_submit(struct batch *batch) {
    weir_files_t files = batch->files;
    admit(files);
    batch_set_range(batch, batch->to_read ? batch->count : 0);
    weir__delivery_enter(files, batch, NULL);
    if (batch->to_read == 0) {
        weir__delivery_finish(files, batch);
    } else if (!submit_to_lanes(batch)) {
        weir__files_stop(files, ENOMEM);
        weir__batch_release_permits(batch);
        weir__device_slots_release(batch);
        /* The entries before the first one to read are delivered. */
        size_t count = 0;
        batch->count = batch_close_range(batch);
        while (count < batch->count &&
               batch->entries[count].state == ENTRY_DECIDED) {
            count++;
        }
        weir__batch_cut_short(batch, count);
        weir__delivery_finish(files, batch);
    }
}

void weir__batches_await(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    files->is_awaited = true;
    pthread_cond_signal(&files->shared);
    pthread_mutex_unlock(&files->lock);
    weir_lanes_wait(files->lanes, DISPATCH_TIME_FOREVER);
    pthread_mutex_lock(&files->lock);
    files->is_awaited = false;
    pthread_mutex_unlock(&files->lock);
}
