/* delivery.h: the batches of a processor, and their delivery. */
#pragma once

#include "files/processor/batch.h"

/* Returns an empty batch; waits for one. NULL with errno ENOMEM. */
WEIR_HIDDEN struct batch *weir__delivery_take(weir_files_t files);

/* Returns an empty batch for a part of another one. NULL if memory is short. */
WEIR_HIDDEN struct batch *weir__delivery_take_part(weir_files_t files);

/* Does the same for a large batch. The number of large batches is limited. */
WEIR_HIDDEN struct batch *weir__delivery_take_large(weir_files_t files);

/* Releases a batch that is not to be delivered. */
WEIR_HIDDEN void weir__delivery_release(weir_files_t files,
                                        struct batch *batch);

/* Puts a batch into the order of delivery: after `previous`, or at the end. */
WEIR_HIDDEN void weir__delivery_enter(weir_files_t files, struct batch *batch,
                                      struct batch *previous);

/* Does the same for a caller that holds the lock. */
WEIR_HIDDEN void weir__delivery_enter_locked(weir_files_t files,
                                             struct batch *batch,
                                             struct batch *previous);

/* Marks a batch as finished, and delivers all that can be delivered now. */
WEIR_HIDDEN void weir__delivery_finish(weir_files_t files, struct batch *batch);

/* Frees all batches. None may be in progress. */
WEIR_HIDDEN void weir__delivery_destroy(weir_files_t files);
