/*
 * device_slots.c: the limit on the readers of a device.
 *
 * DESIGN. The feed waits for a slot before it submits a batch; a lane waits for
 * nothing, and releases the slot when it has read the batch. Rejected: lanes
 * that refuse the batches of one device and take others. The delivery is in the
 * order of the sources, so anything read ahead would only pile up.
 */
#include "files/batch/device_slots.h"

struct device_slots *weir__device_slots_of(weir_files_t files,
                                           const weir_files_source_t *source) {
    if (source->readers == 0 || source->readers >= files->width) {
        return NULL;
    }
    struct device_slots *slots = files->device_slots;
    while (slots && slots->device != source->device) {
        slots = slots->next;
    }
    if (!slots) {
        slots = calloc(1, sizeof *slots);
        if (!slots) {
            weir__files_stop(files, ENOMEM);
            return NULL;
        }
        slots->device = source->device;
        slots->next = files->device_slots;
        files->device_slots = slots;
    }
    /* Lanes read the limit too, while a batch of the device is in progress. */
    pthread_mutex_lock(&files->lock);
    slots->limit = source->readers;
    pthread_mutex_unlock(&files->lock);
    return slots;
}

bool weir__device_slots_take(struct batch *batch, bool wait) {
    weir_files_t files = batch->files;
    struct device_slots *slots = batch->slots;
    if (!slots) {
        return true;
    }
    uint64_t begun = 0;
    pthread_mutex_lock(&files->lock);
    while (slots->taken >= slots->limit && wait && !files_is_stopped(files)) {
        begun = begun ? begun : weir__nanoseconds();
        pthread_cond_wait(&files->answered, &files->lock);
    }
    bool is_free = slots->taken < slots->limit;
    slots->taken += is_free;
    batch->slots = is_free ? slots : NULL;
    pthread_mutex_unlock(&files->lock);
    files_count_time(&files->counts.waited_readers, begun);
    return is_free;
}

void weir__device_slots_release(struct batch *batch) {
    weir_files_t files = batch->files;
    if (batch->slots) {
        pthread_mutex_lock(&files->lock);
        batch->slots->taken--;
        batch->slots = NULL; /* other lanes look at it with the lock */
        pthread_cond_signal(&files->answered);
        pthread_mutex_unlock(&files->lock);
    }
}

void weir__device_slots_clear(weir_files_t files) {
    while (files->device_slots) {
        struct device_slots *slots = files->device_slots;
        files->device_slots = slots->next;
        free(slots);
    }
}
