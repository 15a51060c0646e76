/*
 * delivery.c: handing finished strides over, in order, one at a time.
 *
 * DESIGN. The strides that are under way form a list in the order of their
 * files. The lane that finishes the head of the list delivers it, and whatever
 * finished ones follow; a lane that finishes another one, or finds somebody
 * delivering, goes on with its work. A queue of its own for the delivery was
 * rejected: the hop to it was measured to cost 4 % of a run with SHA-256 and
 * 13 % of one with xxh128. A list and not numbers, because a lane may split
 * the rest of a stride off and puts it in behind its own.
 *
 * Out of order, the next to deliver is any that is finished.
 *
 * There are strides_max strides; whoever feeds waits for one to come back. So
 * memory is bounded also where the head of the line is a file of a terabyte
 * and the small ones behind it are long done. About 30 are in use while all
 * goes smoothly.
 */
#include "files/processor.h"

/* Large strides that are ever under way. */
#define LARGE ((size_t)8)

/* For one who has all the time there is: until a stride has come back. */
static void await_freed(weir_files_t files) {
    uint64_t begun = weir__nanoseconds();
    pthread_cond_wait(&files->freed, &files->lock);
    weir__waits_add(&files->waits.delivery, begun);
}

struct stride *weir__delivery_take_large(weir_files_t files) {
    pthread_mutex_lock(&files->lock);
    while (files->large == LARGE) {
        await_freed(files);
    }
    files->large++;
    pthread_mutex_unlock(&files->lock);
    struct stride *stride = weir__delivery_take(files, true);
    if (stride) {
        stride->is_large = true;
    } else {
        pthread_mutex_lock(&files->lock);
        files->large--;
        pthread_mutex_unlock(&files->lock);
    }
    return stride;
}

struct stride *weir__delivery_take(weir_files_t files, bool wait) {
    pthread_mutex_lock(&files->lock);
    while (!files->free && files->made == files->strides_max && wait) {
        await_freed(files);
    }
    struct stride *stride = files->free;
    if (stride) {
        files->free = stride->next;
        stride->next = NULL;
    } else if (files->made < files->strides_max) {
        stride = weir__stride_create(files);
        files->made += stride != NULL;
    }
    pthread_mutex_unlock(&files->lock);
    if (!stride) {
        errno = ENOMEM;
    }
    return stride;
}

static void give_locked(weir_files_t files, struct stride *stride) {
    files->large -= stride->is_large;
    stride->is_large = false;
    weir__stride_clear(stride);
    stride->next = files->free;
    files->free = stride;
    pthread_cond_signal(&files->freed);
}

void weir__delivery_give(weir_files_t files, struct stride *stride) {
    pthread_mutex_lock(&files->lock);
    give_locked(files, stride);
    pthread_mutex_unlock(&files->lock);
}

void weir__delivery_enter(weir_files_t files, struct stride *stride,
                          struct stride *after) {
    pthread_mutex_lock(&files->lock);
    struct stride *before = after ? after : files->tail;
    struct stride **link = before ? &before->next : &files->head;
    stride->next = *link;
    *link = stride;
    if (files->tail == before) {
        files->tail = stride;
    }
    pthread_mutex_unlock(&files->lock);
}

/* Takes `stride` out of the list; `before` precedes it, or is NULL. */
static void unlink_locked(weir_files_t files, struct stride *stride,
                          struct stride *before) {
    *(before ? &before->next : &files->head) = stride->next;
    if (files->tail == stride) {
        files->tail = before;
    }
    stride->next = NULL;
}

void weir__delivery_withdraw(weir_files_t files, struct stride *stride,
                             struct stride *after) {
    pthread_mutex_lock(&files->lock);
    unlink_locked(files, stride, after);
    pthread_mutex_unlock(&files->lock);
}

/* Takes the next stride to deliver out of the list: the head if it is
   finished, or out of order any that is. NULL where there is none. */
static struct stride *next_finished_locked(weir_files_t files) {
    bool unordered = files->options.flags & WEIR_FILES_UNORDERED;
    struct stride *before = NULL, *stride = files->head;
    while (stride && !stride->finished && unordered) {
        before = stride;
        stride = stride->next;
    }
    if (!stride || !stride->finished) {
        return NULL;
    }
    unlink_locked(files, stride, before);
    return stride;
}

void *weir_files_batch_value(const weir_files_batch_t *batch, size_t index) {
    return index < batch->count ? ((const struct batch *)batch)->values[index]
                                : NULL;
}

/* Delivered or not, nobody asks for them any more. */
static void drop_values(weir_files_t files, struct stride *stride) {
    for (size_t i = 0; files->options.value_drop && i < stride->count; i++) {
        if (stride->entries[i].value) {
            files->options.value_drop(files->options.user,
                                      stride->entries[i].value);
        }
    }
}

static void deliver(weir_files_t files, struct stride *stride) {
    if (!files->closed && files->options.deliver && stride->count > 0) {
        struct batch batch;
        int error = ENOMEM;
        if (weir__stride_batch(stride, &files->results, &batch)) {
            error =
                batch.shown.count
                    ? files->options.deliver(files->options.user, &batch.shown)
                    : 0;
        }
        if (error) {
            weir__files_stop(files, error);
            files->closed = true;
        }
    }
    if (stride->cut_short && !(files->options.flags & WEIR_FILES_UNORDERED)) {
        files->closed = true;
    }
    drop_values(files, stride);
}

void weir__delivery_finish(weir_files_t files, struct stride *stride) {
    pthread_mutex_lock(&files->lock);
    stride->finished = true;
    if (files->delivering) {
        pthread_mutex_unlock(&files->lock);
        return;
    }
    files->delivering = true;
    struct stride *next;
    while ((next = next_finished_locked(files))) {
        pthread_mutex_unlock(&files->lock);
        deliver(files, next);
        pthread_mutex_lock(&files->lock);
        give_locked(files, next);
    }
    files->delivering = false;
    pthread_mutex_unlock(&files->lock);
}

void weir__delivery_destroy(weir_files_t files) {
    while (files->free) {
        struct stride *stride = files->free;
        files->free = stride->next;
        weir__stride_destroy(stride);
    }
    weir__results_destroy(&files->results);
}
