/*
 * turns.h: how many strides of a device are read at once.
 */
#ifndef WEIR_INTERNAL_TURNS_H
#define WEIR_INTERNAL_TURNS_H

#include "files/processor.h"

/* A device that is not to have more readers than so many. */
struct turns {
    struct turns *next;
    uint64_t device;
    size_t most;
    size_t taken; /* under the processor's lock */
};

/* Those of a source; NULL where it has no limit below the number of lanes, or memory is short, which stops
   the run. For the one who feeds. */
WEIR_HIDDEN struct turns *weir__turns_of(weir_files_t files,
                                         const weir_files_source_t *source);

/* Takes the stride's turn, if it needs one; without `wait` only where it is free.
   False where it is not, or the run is stopped meanwhile: then the stride has
   none. */
WEIR_HIDDEN bool weir__turns_take(struct stride *stride, bool wait);

/* Gives it back. */
WEIR_HIDDEN void weir__turns_give(struct stride *stride);

/* Forgets all. Nothing may be under way. */
WEIR_HIDDEN void weir__turns_clear(weir_files_t files);

#endif /* WEIR_INTERNAL_TURNS_H */
