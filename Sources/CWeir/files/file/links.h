/* links.h: reading a file with several names (hard links) once. */
#pragma once

#include "base/bytes.h"
#include "system/clocks.h"

#include <sys/stat.h>

/* The files with several names that a run has met. */
struct links;

/* One file and its other names. Transitions:
 *
 *     from       event                                              to
 *     NOT_ASKED  the job asks                                       NONE
 *     NONE       another name has left a memo                       KNOWN
 *     NONE       none has; this job reads the file for the others   CLAIMED
 *     CLAIMED    the job leaves a memo                              REMEMBERED
 *     REMEMBERED the job leaves another, and memory is short        CLAIMED
 */
enum link_state {
    LINK_NOT_ASKED,
    LINK_NONE, /* it has one name, as far as is known */
    LINK_KNOWN,
    LINK_CLAIMED,
    LINK_REMEMBERED
};

struct link_claim {
    enum link_state state;
    struct link *link;        /* the claimed one, or NULL */
    _Atomic uint64_t *bucket; /* which this lane has marked, or NULL */
};

/* Returns NULL if memory is short. */
WEIR_HIDDEN struct links *weir__links_create(void);

/* May be called with NULL. */
WEIR_HIDDEN void weir__links_destroy(struct links *links);

/* Forgets all files. Called between runs. */
WEIR_HIDDEN void weir__links_clear(struct links *links);

/* True if this run has met a file with several names. */
WEIR_HIDDEN bool weir__links_is_used(struct links *links);

/* Marks the inode number. True if the file may be read before its status;
   weir__links_claim has to follow, else weir__links_resolve, after the status. */
WEIR_HIDDEN bool weir__links_may_read(struct links *links,
                                      struct link_claim *claim, uint64_t inode);

/* Called after that read: claims the file with this status, unless another lane
   has. NULL for a file with one name. */
WEIR_HIDDEN void weir__links_claim(struct links *links,
                                   struct link_claim *claim,
                                   const struct stat *status);

/* Called before any read: waits for a lane that reads the file by another name,
   and copies its memo; or claims the file. */
WEIR_HIDDEN void weir__links_resolve(struct links *links,
                                     struct link_claim *claim,
                                     const struct stat *status,
                                     struct bytes *memo);

/* Keeps a copy of the memo of a claimed file until its job has ended. */
WEIR_HIDDEN void weir__links_remember(struct link_claim *claim,
                                      struct bytes *memo, const void *bytes,
                                      size_t length);

/* Called when the job of a claimed file has ended: publishes the memo. */
WEIR_HIDDEN void weir__links_publish(struct links *links,
                                     struct link_claim *claim,
                                     const struct stat *status,
                                     const struct bytes *memo, bool may_keep);
