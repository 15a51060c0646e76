/*
 * threads.h: whether one more thread can be had.
 */
#ifndef WEIR_THREADS_H
#define WEIR_THREADS_H

#include "base/internal.h"

/* Counts one more thread that work is to be put on. False where none can be
   created. weir__threads_give has to be called in either case. */
WEIR_HIDDEN bool weir__threads_take(void);

/* The work is over. */
WEIR_HIDDEN void weir__threads_give(void);

#endif /* WEIR_THREADS_H */
