/* change.h: detecting that a file changed while it was read. */
#pragma once

#include "base/internal.h"
#include "system/clocks.h"
#include "system/media.h"

#include <sys/stat.h>

/* How a file is watched. Transitions:
 *
 *     from       event                                             to
 *     UNDECIDED  the status is known: no regular file, sizeless
 *                device, or WEIR_FILES_LITERAL                     IGNORED
 *     UNDECIDED  the status is known, else                         WATCHED
 *     WATCHED    the first piece is the whole file, and certain    VERIFIED
 *     VERIFIED   the piece is dropped, to be read again            WATCHED
 *     WATCHED    bytes, size or times differ                       FOUND
 */
enum change_state {
    CHANGE_UNDECIDED,
    CHANGE_IGNORED,
    CHANGE_WATCHED,  /* the final status has to equal the first one */
    CHANGE_VERIFIED, /* the content that was read is of one time */
    CHANGE_FOUND
};

struct change {
    enum change_state state;
    enum weir__file_times times;
    struct timespec opened; /* weir__file_clock, before the open */
};

/* Called after the first read of a watched file and its status. May read the
   piece again. Returns 0 or the errno value of a read. */
WEIR_HIDDEN int weir__change_check_piece(struct change *change, int fd,
                                         struct stat *status, const char *piece,
                                         size_t length);

/* Waits a tick or two, until the file clock has passed a file's times. */
WEIR_HIDDEN void weir__change_wait_out_tick(const struct stat *status);

/* Called when a watched file has been read: compares its status with the former
   one, and the size with `*bytes`, unless that is NULL. */
WEIR_HIDDEN int weir__change_compare(struct change *change, int fd,
                                     struct stat *status,
                                     const uint64_t *bytes);

/* Finds out if a path, of a root of `root_length` bytes or 0, does not lead to
   the file with this status any more, which has no link. */
WEIR_HIDDEN int weir__change_find_removal(const char *path, size_t root_length,
                                          size_t length,
                                          const struct stat *status,
                                          bool *is_removed);

/* True if no later write can leave the times of an unchanged file. */
WEIR_HIDDEN bool weir__change_is_certain(const struct change *change,
                                         const struct stat *status);

/* True if the content may differ between the two times of asking. */
WEIR_HIDDEN bool weir__change_differs(const struct stat *before,
                                      const struct stat *after);
