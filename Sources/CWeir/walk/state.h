/* state.h: the state of a walk, for the sources of this room. */
#pragma once

#include "walk/filter.h"
#include "walk/listing.h"
#include "walk/pace.h"

#include <weir/gate.h>

struct level {
    struct listing listing;
    size_t next;        /* of its names */
    size_t path_length; /* of the directory, with a slash at its end */
};

struct weir_walk_s {
    struct walk_rules rules;
    size_t max_depth; /* or 0 */
    const struct weir__filters *filters;
    struct weir__filters *own_filters; /* those that the walk destroys */
    uint64_t filtered;
    bool begun;
    char *path;
    size_t path_capacity;
    struct level *levels;
    size_t depth; /* levels in use; entries of the last one have this depth */
    size_t levels_made;
    size_t levels_capacity;
    uint64_t directories;
    bool has_entered; /* the last entry is the current level's directory */
    char *buffer;     /* of WEIR_DIRECTORY_BUFFER bytes */

    struct pace pace;
    struct weir__ahead *ahead; /* NULL until listings are slow */
    uint64_t listed_ahead;
    weir_gate_t gate; /* the further one of listings ahead, or NULL */
    const _Atomic int *stop_reason; /* not 0: the walk is to end; or NULL */
    bool is_stopped;
};

/* True if the walk reads the directories among its entries of this depth. */
static inline bool walk_enters_depth(weir_walk_t walk, size_t depth) {
    return walk->max_depth == 0 || depth < walk->max_depth;
}

/* Returns true if one of the first levels is this directory. */
static inline bool walk_is_in(weir_walk_t walk, const struct listing *listing,
                              size_t levels) {
    size_t i = 0;
    while (i < levels &&
           !listing_is_of_same_directory(&walk->levels[i].listing, listing)) {
        i++;
    }
    return i < levels;
}
