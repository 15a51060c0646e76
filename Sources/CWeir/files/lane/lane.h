/* lane.h: the context of a lane, and its work. */
#pragma once

#include "files/file/open_file.h"

/* The present file of a lane, for weir_files_busy. */
struct busy {
    struct busy *next;
    size_t lane;
    _Atomic(struct batch *) batch; /* or NULL */
    _Atomic size_t index;          /* of the entry */
    _Atomic uint64_t since;        /* of weir__nanoseconds_coarse */
};

struct lane {
    struct busy busy;
    struct reader reader;
    void (*destroy)(void *context); /* the user's */
    struct bytes order;             /* the memory of inode_order.c */
    size_t to_order;                /* files in that memory */
};

/* Create and destroy the context of a lane. */
WEIR_HIDDEN void *weir__lane_create(void *files, size_t number);
WEIR_HIDDEN void weir__lane_destroy(void *lane);

/* Reads the files of a batch, in its order, and returns how many: not all if
   the run was stopped. `lane` is NULL if its memory was short. */
WEIR_HIDDEN size_t weir__lane_read_batch(struct lane *lane,
                                         struct batch *batch);

/* ---- busy.c ------------------------------------------------------------ */

/* Adds a lane to those that weir_files_busy reports. */
WEIR_HIDDEN void weir__busy_add(weir_files_t files, struct lane *lane,
                                size_t number);

/* Sets the present file, or none, and returns the time. */
WEIR_HIDDEN uint64_t weir__busy_set(struct lane *lane, struct batch *batch,
                                    size_t index);
WEIR_HIDDEN void weir__busy_end(struct lane *lane);

/* ---- inode_order.c ----------------------------------------------------- */

/* Asks for the status of each file of the batch, unless the run is stopped. */
WEIR_HIDDEN void weir__inode_order_plan(struct lane *lane, struct batch *batch);

/* Returns the entry before which a batch of large files should be cut. */
WEIR_HIDDEN size_t weir__inode_order_cut(const struct lane *lane,
                                         const struct batch *batch);

/* Sets the order of reading for the files that are still in the batch. */
WEIR_HIDDEN void weir__inode_order_begin(struct lane *lane,
                                         struct batch *batch);

/* Called after the files were read: puts the output into the order of the
   entries, and cuts the batch before the first file that was not read. */
WEIR_HIDDEN void weir__inode_order_end(struct batch *batch, size_t read);

/* Makes the plan that of the rest of the batch, from `first` on. */
WEIR_HIDDEN void weir__inode_order_advance(struct lane *lane, size_t first);
