/*
 * open.h: opening files for the walk and the file processor.
 */
#ifndef WEIR_INTERNAL_OPEN_H
#define WEIR_INTERNAL_OPEN_H

#include "base/internal.h"

#include <sys/stat.h>

#include <weir/walk.h>

/* Opens `path`, which has `length` bytes and ends in NUL, relative to
   `directory` (or AT_FDCWD) where it is relative. O_CLOEXEC is added. Any
   length will do: a path longer than the system's limit is walked in pieces,
   which takes a second descriptor for a moment. EINTR is seen to; where the
   process or the system has no descriptors left it waits for one a while.
   Returns the descriptor, or an errno value negated. */
WEIR_HIDDEN int weir__open(int directory, const char *path, size_t length,
                           int flags);

/* stat of a path of any length, following links. Returns 0 or an errno
   value. */
WEIR_HIDDEN int weir__stat(const char *path, size_t length,
                           struct stat *status);

/* fstatat of a path of any length. */
WEIR_HIDDEN int weir__stat_at(int directory, const char *path, size_t length,
                              struct stat *status, bool follow);

/* What stands in a symbolic link, into `target`, of PATH_MAX bytes. Returns its
   length, or an errno value negated. */
WEIR_HIDDEN ssize_t weir__readlink(const char *path, size_t length,
                                   char *target);

/* Where the last component of a path begins; slashes behind it are its own. */
WEIR_HIDDEN size_t weir__last_component(const char *path, size_t length);

WEIR_HIDDEN weir_entry_type_t weir__type_of_mode(mode_t mode);

#endif /* WEIR_INTERNAL_OPEN_H */
