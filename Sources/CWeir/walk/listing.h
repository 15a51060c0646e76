/* listing.h: the names of one directory, sorted by byte. */
#pragma once

#include "base/bytes.h"

#include <sys/types.h>

#include <weir/walk.h>

#include "system/directory.h"

/* The inode number is in front of the name's bytes: elements stay small. */
struct name {
    uint64_t key; /* the first eight bytes, which decide most comparisons */
    union {
        size_t offset;     /* while the buffer may move */
        const char *bytes; /* afterwards; ends in NUL */
    };
    int16_t error;
    uint8_t type; /* weir_entry_type_t */
};

/* Zeroed, it is empty. */
struct listing {
    struct bytes bytes;
    struct name *names;
    size_t count;
    size_t capacity;
    size_t planned; /* the names up to here are known to the look-ahead */
    dev_t device;   /* under a flag of struct walk_rules, as is the inode */
    ino_t inode;
};

/* The part of a walk's options that decides how a directory is listed. */
struct walk_rules {
    unsigned flags; /* of weir_walk_flags_t */
    size_t root_length;
    dev_t root_device; /* under WEIR_WALK_ONE_FILE_SYSTEM */
};

/* Opens the directory at `path`, and empties the listing. Reads its device and
   inode if a flag needs them. Follows links in the root (depth 0), and below it
   under WEIR_WALK_FOLLOW. Returns a descriptor or a negated errno value. */
WEIR_HIDDEN int weir__listing_open(struct listing *listing,
                                   const struct walk_rules *rules,
                                   const char *path, size_t length,
                                   size_t depth);

/* Reads the names of the open directory, closes it, and sorts them; not on
   another device under WEIR_WALK_ONE_FILE_SYSTEM. `buffer` has
   WEIR_DIRECTORY_BUFFER bytes. Returns 0 or an errno value: EFBIG as soon as
   the listing needs more than `most` bytes. */
WEIR_HIDDEN int weir__listing_read(struct listing *listing,
                                   const struct walk_rules *rules,
                                   int descriptor, char *buffer, size_t most);

/* Frees the memory of a listing, which is empty then. */
WEIR_HIDDEN void weir__listing_free(struct listing *listing);

static inline uint64_t listing_inode(const struct name *name) {
    uint64_t inode;
    memcpy(&inode, name->bytes - sizeof inode, sizeof inode);
    return inode;
}

/* Returns the bytes of memory that a listing has. */
static inline size_t listing_size(const struct listing *listing) {
    return listing->bytes.capacity + listing->capacity * sizeof *listing->names;
}

static inline bool listing_is_of_same_directory(const struct listing *a,
                                                const struct listing *b) {
    return a->inode == b->inode && a->device == b->device;
}
