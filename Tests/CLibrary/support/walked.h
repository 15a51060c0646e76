/* walked.h: the entries of a walk, kept until the process ends. */
#pragma once

#include "tree.h"
#include <weir/walk.h>

struct walked {
    size_t count;
    weir_walk_entry_t *entries;
    uint64_t filtered, ahead;
};

/* Walks to the end, and calls a block, which may be NULL, after each entry. The
   options and their filters are spoilt after the walk is created. */
struct walked walk(const char *root, weir_walk_options_t options,
                   void (^after)(weir_walk_t walk, size_t count));

char letter_of(const weir_walk_entry_t *entry);

/* Describes the entries: each path, without the root, its letter and its error, as in
   "d, a d, a/b f, l l ELOOP". */
const char *describe_walk(struct walked walked, const char *root);

bool check_found(struct walked walked, struct paths found);

bool check_same_walk(struct walked walked, struct walked expected);
