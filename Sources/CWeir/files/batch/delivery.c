/*
 * delivery.c: delivering finished batches, in order, one at a time.
 *
 * DESIGN. The batches in progress form a list in the order of their files. The
 * lane that finishes the head of the list delivers it, and all finished batches
 * that follow. A list and not numbers, because a lane may take a part of a
 * batch, which is inserted after it. Rejected: a queue for the delivery. The
 * hop to it costs 4 % of a run with SHA-256 and 13 % of one with xxh128.
 *
 * The feed waits for the release of one of batches_max batches. So memory is
 * bounded even if the head of the list is a file of a terabyte. A part of a
 * batch is not counted.
 */
#include "files/batch/delivery.h"

#define LARGE_MAX ((size_t)8)

static void await_release(weir_files_t files) {
    uint64_t begun = weir__nanoseconds();
    pthread_cond_wait(&files->released, &files->lock);
    files_count_time(&files->counts.waited_delivery, begun);
}

struct batch *weir__delivery_take_large(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    while (files->large_batches == LARGE_MAX) {
        await_release(files);
    }
    files->large_batches++;
    pthread_mutex_unlock(&files->lock);
    struct batch *batch = weir__delivery_take(files);
    if (batch) {
        batch->is_large = true;
    } else {
        pthread_mutex_lock(&files->lock);
        files->large_batches--;
        pthread_mutex_unlock(&files->lock);
    }
    return batch;
}

static struct batch *take_locked(weir_files_t files, bool is_part) {
    struct batch *batch = files->unused;
    if (batch) {
        files->unused = batch->next;
        batch->next = NULL;
    } else if ((batch = weir__batch_create(files))) {
        files->made++;
    } else {
        errno = ENOMEM;
        return NULL;
    }
    batch->is_part = is_part;
    files->taken += !is_part;
    return batch;
}

struct batch *weir__delivery_take(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    while (files->taken == files->batches_max) {
        await_release(files);
    }
    struct batch *batch = take_locked(files, false);
    pthread_mutex_unlock(&files->lock);
    return batch;
}

struct batch *weir__delivery_take_part(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    struct batch *batch = take_locked(files, true);
    pthread_mutex_unlock(&files->lock);
    return batch;
}

static void release_locked(weir_files_t files, struct batch *batch) {
    files->large_batches -= batch->is_large;
    files->taken -= !batch->is_part;
    batch->is_large = false;
    if (files->made > files->batches_max) {
        files->made--;
        weir__batch_destroy(batch);
    } else {
        weir__batch_clear(batch);
        batch->next = files->unused;
        files->unused = batch;
    }
    pthread_cond_signal(&files->released);
}

void weir__delivery_release(weir_files_t files, struct batch *batch) {
    pthread_mutex_lock(&files->lock);
    release_locked(files, batch);
    pthread_mutex_unlock(&files->lock);
}

void weir__delivery_enter_locked(weir_files_t files, struct batch *batch,
                                 struct batch *previous) {
    struct batch *before = previous ? previous : files->tail;
    struct batch **link = before ? &before->next : &files->head;
    batch->next = *link;
    *link = batch;
    if (files->tail == before) {
        files->tail = batch;
    }
}

void weir__delivery_enter(weir_files_t files, struct batch *batch,
                          struct batch *previous) {
    pthread_mutex_lock(&files->lock);
    weir__delivery_enter_locked(files, batch, previous);
    pthread_mutex_unlock(&files->lock);
}

/* Takes `batch` out of the list; `before` precedes it, or is NULL. */
static void unlink_locked(weir_files_t files, struct batch *batch,
                          struct batch *before) {
    *(before ? &before->next : &files->head) = batch->next;
    if (files->tail == batch) {
        files->tail = before;
    }
    batch->next = NULL;
}

/* Takes the next batch to deliver out of the list, or returns NULL. */
static struct batch *next_finished_locked(weir_files_t files) {
    bool unordered = files->options.flags & WEIR_FILES_UNORDERED;
    struct batch *before = NULL, *batch = files->head;
    while (batch && !batch->is_finished && unordered) {
        before = batch;
        batch = batch->next;
    }
    if (!batch || !batch->is_finished) {
        return NULL;
    }
    unlink_locked(files, batch, before);
    return batch;
}

static void deliver(weir_files_t files, struct batch *batch) {
    if (!files->is_closed && files->options.deliver && batch->count > 0) {
        struct delivered_batch shown;
        int error = ENOMEM;
        if (weir__batch_show(batch, &files->results, &shown)) {
            error =
                shown.shown.count
                    ? files->options.deliver(files->options.user, &shown.shown)
                    : 0;
        }
        if (error) {
            weir__files_stop(files, error);
            files->is_closed = true;
        }
    }
    if (batch->is_cut_short &&
        !(files->options.flags &
          (WEIR_FILES_UNORDERED | WEIR_FILES_WITH_GAPS))) {
        files->is_closed = true;
    }
    for (size_t i = 0; files->options.value_drop && i < batch->count; i++) {
        weir__entry_drop_value(batch, &batch->entries[i]);
    }
}

void weir__delivery_finish(weir_files_t files, struct batch *batch) {
    pthread_mutex_lock(&files->lock);
    batch->is_finished = true;
    if (files->is_delivering) {
        pthread_mutex_unlock(&files->lock);
        return;
    }
    files->is_delivering = true;
    struct batch *next;
    while ((next = next_finished_locked(files))) {
        pthread_mutex_unlock(&files->lock);
        deliver(files, next);
        pthread_mutex_lock(&files->lock);
        release_locked(files, next);
    }
    files->is_delivering = false;
    if (!files->head && files->is_awaited) {
        pthread_cond_signal(&files->shared);
    }
    pthread_mutex_unlock(&files->lock);
}

void weir__delivery_destroy(weir_files_t files) {
    while (files->unused) {
        struct batch *batch = files->unused;
        files->unused = batch->next;
        weir__batch_destroy(batch);
    }
    free(files->results.data);
    free(files->results.values);
}
