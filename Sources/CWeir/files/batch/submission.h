/* submission.h: the way of a full batch: permits, a lane, the delivery. */
#pragma once

#include "files/processor/batch.h"

/* Puts a full batch into the order of delivery and submits it to the lanes. If
   that fails the run is stopped. Blocks until there is room. */
WEIR_HIDDEN void weir__batch_submit(struct batch *batch);

/* Waits until all batches that were submitted are delivered. */
WEIR_HIDDEN void weir__batches_await(weir_files_t files);

/* Calls a lane without work to seek some, unless one does already. */
WEIR_HIDDEN void weir__batches_call_seeker(weir_files_t files);

/* ---- sharing.c --------------------------------------------------------- */

/* Called by a lane without work that has set has_seeker, and clears it again.
   Returns half of the rest of another lane's batch, as a batch of its own with
   permits. Waits for one. NULL if no batch has a rest for a while, or a batch
   waits for a lane. */
WEIR_HIDDEN struct batch *weir__sharing_seek(weir_files_t files);

/* ---- batch_permits.c --------------------------------------------------- */

/* Takes the permits that a batch needs. False if they are not free, the run is
   stopped, or memory is short. */
WEIR_HIDDEN bool weir__batch_take_permits(struct batch *batch, bool wait);

WEIR_HIDDEN void weir__batch_release_permits(struct batch *batch);
