/*
 * submission.c: the way of a full batch: permits, a lane, the delivery.
 *
 * DESIGN. Before a batch is submitted it has its place in the order of
 * delivery, a device slot, its permits (all in one wait, so that two batches
 * cannot each hold half of what both need), and then its place in the backlog.
 * The lanes wait for none of these, so there is no circle to wait in.
 */
#include "files/batch/submission.h"

#include "files/batch/delivery.h"
#include "files/batch/device_slots.h"
#include "files/lane/lane.h"

/* ---- on a lane --------------------------------------------------------- */

/* Moves the entries from `first` on into a batch of their own, after this one.
   NULL if there is no unused batch: then they stay. */
static struct batch *cut_off(struct batch *batch, size_t first) {
    weir_files_t files = batch->files;
    struct batch *rest =
        first < batch->count ? weir__delivery_take(files, false) : NULL;
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
   Returns the rest that the lane has to read next, or NULL. */
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

static void run_batch(void *context, void *lane_context) {
    struct batch *batch = context;
    weir_files_t files = batch->files;
    weir__raise_size(&files->busy_lanes_peak,
                     add_relaxed(&files->busy_lanes, 1) + 1);
    bool is_rest = false;
    while (batch) {
        struct batch *rest = read_batch(batch, lane_context, is_rest);
        if (!rest) {
            subtract_relaxed(&files->busy_lanes, 1);
        }
        weir__delivery_finish(files, batch);
        batch = rest;
        is_rest = true;
    }
}

/* ---- splitting --------------------------------------------------------- */

/* Releases a batch that has no entries, and all that it holds. */
static void discard(struct batch *batch) {
    weir__batch_release_permits(batch);
    weir__device_slots_release(batch);
    weir__delivery_release(batch->files, batch);
}

void weir__batch_split(struct batch *batch, size_t first) {
    weir_files_t files = batch->files;
    struct batch *rest =
        first < batch->count ? weir__delivery_take(files, false) : NULL;
    if (!rest) {
        return;
    }
    rest->to_open = batch->to_open; /* at most */
    rest->slots = batch->slots;
    if (!weir__device_slots_take(rest, false) ||
        !weir__batch_take_permits(rest, false) ||
        !weir__batch_move_rest(batch, first, rest)) {
        discard(rest);
        return;
    }
    weir__delivery_enter(files, rest, batch);
    if (weir__lanes_async_front_f(files->lanes, rest, run_batch) != 0) {
        /* No memory for a place in the FIFO: undo all. */
        weir__delivery_withdraw(files, rest, batch);
        if (!weir__batch_move_rest(rest, 0, batch)) {
            weir__files_stop(files, ENOMEM);
            batch->is_cut_short = true;
        }
        discard(rest);
    }
}

/* ---- submitting -------------------------------------------------------- */

/* Waits until the caller wants more. A receiver of deliveries may need
   descriptors, and the wait for it is here alone, before the permits: if the
   delivery waited, the batches in the backlog would hold those descriptors. */
static void admit(weir_files_t files) {
    if (files->options.admit && !files_is_stopped(files)) {
        uint64_t begun = weir__nanoseconds();
        int error = files->options.admit(files->options.user);
        files_count_time(files, COUNTER_WAITED_DELIVERY, begun);
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
    int error = weir_lanes_async_f(files->lanes, batch, run_batch);
    files_count_time(files, COUNTER_WAITED_LANES, begun);
    return error == 0;
}

void weir__batch_submit(struct batch *batch) {
    weir_files_t files = batch->files;
    admit(files);
    weir__delivery_enter(files, batch, NULL);
    if (batch->to_read == 0) {
        weir__delivery_finish(files, batch);
    } else if (!submit_to_lanes(batch)) {
        weir__files_stop(files, ENOMEM);
        weir__batch_release_permits(batch);
        weir__device_slots_release(batch);
        /* The entries before the first one to read are delivered. */
        size_t count = 0;
        while (batch->entries[count].state == ENTRY_DECIDED) {
            count++;
        }
        weir__batch_cut_short(batch, count);
        weir__delivery_finish(files, batch);
    }
}
