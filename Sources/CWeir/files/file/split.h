/*
 * split.h: the moment when the rest of a batch is handed to another lane.
 *
 * DESIGN. The feed cuts batches by count, since the sizes are unknown yet (a stat
 * in the walk would cost a third of the time of a small file). So a lane that
 * meets a large file, or has read as much, splits off the rest of its batch, once
 * per batch, to the front of the FIFO. That must wait for nothing, since this
 * lane holds permits: without an unused batch, a permit or a device slot the lane
 * goes on alone (weir__batch_split in batch/submission.c).
 */
#pragma once

#include "files/file/open_file.h"

#define SPLIT_BYTES ((uint64_t)1 << 20)

/* Splits off the batch's files after this one if `bytes`, the size of the file
   or the bytes read from the batch so far, are many. */
static inline void file_split_rest(weir_file_t *file, uint64_t bytes) {
    if (bytes >= SPLIT_BYTES && file->batch->may_split) {
        file->batch->may_split = false;
        file->files->split(file->batch, file->index + 1);
    }
}
