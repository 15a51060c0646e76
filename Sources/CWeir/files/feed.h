/*
 * feed.h: what feeds a file processor, for the kinds of sources that have files
 * of their own.
 */
#ifndef WEIR_INTERNAL_FEED_H
#define WEIR_INTERNAL_FEED_H

#include "files/processor.h"

struct feeder {
    weir_files_t files;
    struct stride *stride; /* being filled, or NULL */
    uint64_t directories;  /* of what was fed before this */
    size_t source;         /* the present one */
    const void *note;      /* of the present item */
    size_t note_length;
    struct bytes path;    /* the present item's, with a NUL */
    struct bytes beside;  /* what precedes the last component of a named file */
    bool is_beside;       /* the last one fed was there */
    uint64_t descriptors; /* that were fed: a bit for each, modulo 64 */
    struct turns *turns;  /* of the source's device, or NULL */
    bool by_inode;        /* how the source is to be read */
};

/* ---- feed.c ------------------------------------------------------------ */

/* A name that was given: a file, or a directory that is walked. The bytes may
   be any; a NUL stands behind them. */
WEIR_HIDDEN void weir__feed_name(struct feeder *feeder, const char *path,
                                 size_t length);

/* A name that is known to be out of reach. */
WEIR_HIDDEN void weir__feed_failed_name(struct feeder *feeder, const char *path,
                                        size_t length, int error);

/* What was fed so far is to be worked on. */
WEIR_HIDDEN void weir__feed_submit(struct feeder *feeder);

/* ---- list.c ------------------------------------------------------------ */

/* The names of a WEIR_SOURCE_LIST. */
WEIR_HIDDEN void weir__feed_list(struct feeder *feeder,
                                 const weir_files_source_t *source);

#endif /* WEIR_INTERNAL_FEED_H */
