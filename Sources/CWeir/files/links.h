/*
 * links.h: files with several names are read once.
 */
#ifndef WEIR_INTERNAL_LINKS_H
#define WEIR_INTERNAL_LINKS_H

#include "base/internal.h"

#include <pthread.h>
#include <sys/stat.h>

#include <weir/files.h>

/* Inodes that are about to be looked at are in so many buckets. */
#define LINKS_BUCKETS ((size_t)1024)

struct link;

struct links {
    /* How many lanes are in each: above, all; below, those that read before they
       look. */
    _Atomic uint64_t buckets[LINKS_BUCKETS];
    _Atomic(struct chain *) chains; /* made when first needed */
    _Atomic bool is_used;           /* in this run */

    pthread_mutex_t lock; /* what follows, and what hangs on the chains */
    pthread_cond_t changed;
    struct link *oldest; /* of those that are known */
    struct link *newest;
    size_t bytes; /* what they take */
};

/* What is to do with a file's other names. */
struct linked {
    struct link *claim; /* the others wait for this one's memo */
    bool is_asked;      /* the answer stands */
    bool is_known;      /* the lane's memo is that of another name */
    bool has_memo;      /* the lane's memo is what the job made of it */
};

WEIR_HIDDEN void weir__links_create(struct links *links);
WEIR_HIDDEN void weir__links_destroy(struct links *links);

/* Forgets everything. Nothing may be under way. */
WEIR_HIDDEN void weir__links_clear(struct links *links);

/* The job is done with the file, and the entry says what became of it. */
WEIR_HIDDEN void weir__links_end(weir_file_t *file);

#endif /* WEIR_INTERNAL_LINKS_H */
