/* feeder.h: the feed of a file processor: from sources to full batches. */
#pragma once

#include "files/batch/device_slots.h"
#include "files/processor/batch.h"

struct feeder {
    weir_files_t files;
    struct batch *batch;  /* being filled, or NULL */
    uint64_t directories; /* the number of the present one */
    size_t source;        /* the index of the present one */
    size_t root_length;   /* during a walk that follows no links: of its root */
    const void *note;     /* of the present item */
    size_t note_length;
    struct bytes path;    /* the present item's, with a NUL */
    struct bytes parent;  /* of the last named file, as its path names it */
    bool has_parent;      /* `parent` is valid */
    uint64_t descriptors; /* the ones that were fed: a bit each, modulo 64 */
    struct device_slots *slots; /* of the source's device, or NULL */
    bool is_by_inode;           /* the source is read in that order */
    bool is_list;               /* the source is a list of names */
};

/* From the top to the bottom. */

/* ---- feed.c ------------------------------------------------------------ */

/* Finds all files of the sources and submits them in batches. */
WEIR_HIDDEN void weir__feed_sources(weir_files_t files,
                                    const weir_files_source_t *sources,
                                    size_t count);

/* ---- list.c ------------------------------------------------------------ */

/* Feeds the names of a WEIR_SOURCE_LIST or WEIR_SOURCE_LIST_FILE. */
WEIR_HIDDEN void weir__feed_list(struct feeder *feeder,
                                 const weir_files_source_t *source);

/* ---- names.c ----------------------------------------------------------- */

/* Gives the following files a directory number of their own. */
WEIR_HIDDEN void weir__feed_leave_directory(struct feeder *feeder);

/* Feeds a name that the user gave: a file, or a directory to walk. */
WEIR_HIDDEN void weir__feed_name(struct feeder *feeder, const char *path,
                                 size_t length);

/* Feeds a name without asking for its status. */
WEIR_HIDDEN void weir__feed_file(struct feeder *feeder, const char *path,
                                 size_t length);

/* Feeds a file that a walk from a root of `root_length` bytes has found. */
WEIR_HIDDEN void weir__feed_found_before(struct feeder *feeder,
                                         const char *path, size_t length,
                                         size_t root_length);

/* Feeds a file that is read after all before it and before all after it. */
WEIR_HIDDEN void weir__feed_alone(struct feeder *feeder,
                                  const weir_walk_entry_t *found,
                                  struct entry kind);

/* ---- entries.c --------------------------------------------------------- */

/* Submits the batch that is being filled. */
WEIR_HIDDEN void weir__feed_submit(struct feeder *feeder);

/* Adds an entry with the state, outcome, error and descriptor of `kind`. */
WEIR_HIDDEN void weir__feed_entry(struct feeder *feeder,
                                  const weir_walk_entry_t *found,
                                  struct entry kind);

WEIR_HIDDEN void weir__feed_failure(struct feeder *feeder,
                                    const weir_walk_entry_t *found, int error);

/* Counts a directory that the walk enters. */
WEIR_HIDDEN void weir__feed_count_directory(struct feeder *feeder,
                                            const weir_walk_entry_t *found);

/* Adds an entry that a walk has found, by its type. */
WEIR_HIDDEN void weir__feed_found(struct feeder *feeder,
                                  const weir_walk_entry_t *found);
