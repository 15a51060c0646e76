/*
 * turns.c: how many strides of a device are read at once.
 *
 * DESIGN. Lanes are the processor's, and a device may want fewer readers than
 * there are. Who feeds waits for a turn before a stride is submitted; a lane
 * waits for nothing, and gives the turn back when it has read the stride, before
 * that is delivered. Lanes that refuse strides of a device, and take others, were
 * rejected: the order of delivery is that of the sources, so what could be read
 * ahead would only pile up.
 */
#include "files/turns.h"

#include "files/waits.h"

struct turns *weir__turns_of(weir_files_t files,
                             const weir_files_source_t *source) {
    if (source->readers == 0 || source->readers >= files->width) {
        return NULL;
    }
    struct turns *turns = files->turns;
    while (turns && turns->device != source->device) {
        turns = turns->next;
    }
    if (!turns) {
        turns = calloc(1, sizeof *turns);
        if (!turns) {
            weir__files_stop(files, ENOMEM);
            return NULL;
        }
        turns->device = source->device;
        turns->next = files->turns;
        files->turns = turns;
    }
    /* Read by lanes only while a stride of the device is under way. */
    pthread_mutex_lock(&files->lock);
    turns->most = source->readers;
    pthread_mutex_unlock(&files->lock);
    return turns;
}

bool weir__turns_take(struct stride *stride, bool wait) {
    weir_files_t files = stride->files;
    struct turns *turns = stride->turns;
    if (!turns) {
        return true;
    }
    uint64_t begun = 0;
    pthread_mutex_lock(&files->lock);
    while (turns->taken >= turns->most && wait && !files_stopped(files)) {
        begun = begun ? begun : weir__nanoseconds();
        pthread_cond_wait(&files->answered, &files->lock);
    }
    bool is_free = turns->taken < turns->most;
    turns->taken += is_free;
    pthread_mutex_unlock(&files->lock);
    if (!is_free) {
        stride->turns = NULL;
    }
    weir__waits_add(&files->waits.turns, begun);
    return is_free;
}

void weir__turns_give(struct stride *stride) {
    weir_files_t files = stride->files;
    if (stride->turns) {
        pthread_mutex_lock(&files->lock);
        stride->turns->taken--;
        pthread_cond_signal(&files->answered);
        pthread_mutex_unlock(&files->lock);
        stride->turns = NULL;
    }
}

void weir__turns_clear(weir_files_t files) {
    while (files->turns) {
        struct turns *turns = files->turns;
        files->turns = turns->next;
        free(turns);
    }
}
