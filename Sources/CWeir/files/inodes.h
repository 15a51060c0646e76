/*
 * inodes.h: reading the files of a stride in the order of their inodes.
 */
#ifndef WEIR_INTERNAL_INODES_H
#define WEIR_INTERNAL_INODES_H

#include "files/reader.h"

/* A stride is about to be read: where its source wants that, stride->order says
   in which order, until it is ended. What is too much to be read before anything
   is delivered is split off, in its place in the order of delivery, and returned:
   the lane is to go on with it. Else NULL. */
WEIR_HIDDEN struct stride *weir__inodes_begin(struct stride *stride,
                                              struct reader *reader);

/* It was read, up to a place in that order: the output is put into the order of
   the files, and what was read behind one that was not is dropped. */
WEIR_HIDDEN void weir__inodes_end(struct stride *stride, size_t read);

#endif /* WEIR_INTERNAL_INODES_H */
