/* submission.h: the way of a full batch: permits, a lane, the delivery. */
#pragma once

#include "files/processor/batch.h"

/* Puts a full batch into the order of delivery and submits it to the lanes. If
   that fails the run is stopped. Blocks until there are permits, a device slot
   and room in the backlog. */
WEIR_HIDDEN void weir__batch_submit(struct batch *batch);

/* Moves the entries from `first` on to another lane, if there are an unused
   batch, permits and a slot for them at once. */
WEIR_HIDDEN void weir__batch_split(struct batch *batch, size_t first);

/* ---- batch_permits.c --------------------------------------------------- */

/* Takes the permits that a batch needs; waits for them if `wait` is true. False
   if they are not free, the run is stopped meanwhile, or memory is short. */
WEIR_HIDDEN bool weir__batch_take_permits(struct batch *batch, bool wait);

WEIR_HIDDEN void weir__batch_release_permits(struct batch *batch);
