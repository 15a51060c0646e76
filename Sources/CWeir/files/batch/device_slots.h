/* device_slots.h: the limit on the readers of a device. */
#pragma once

#include "files/processor/batch.h"

/* A device with a limit on the batches that are read at once. */
struct device_slots {
    struct device_slots *next;
    uint64_t device;
    size_t limit;
    size_t taken; /* guarded by the processor's lock */
};

/* Returns the slots of a source's device; NULL if it has no limit below the
   number of lanes, or if memory is short, which stops the run. */
WEIR_HIDDEN struct device_slots *
weir__device_slots_of(weir_files_t files, const weir_files_source_t *source);

/* Takes a slot for the batch, if it needs one. False if none is free, or the
   run is stopped. */
WEIR_HIDDEN bool weir__device_slots_take(struct batch *batch, bool wait);

/* Releases the slot of the batch, if it has one. */
WEIR_HIDDEN void weir__device_slots_release(struct batch *batch);

/* Frees the slots of all devices. No batch may be in progress. */
WEIR_HIDDEN void weir__device_slots_clear(weir_files_t files);
