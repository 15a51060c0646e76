/* open.h: opens paths of any length, and waits for a descriptor. */
#pragma once

#include "base/internal.h"

#include <sys/stat.h>

#include <weir/walk.h>

#include "system/directory.h"

/* Opens the first `length` bytes of `path`, which ends in NUL; if relative,
   from `directory` (or AT_FDCWD). O_CLOEXEC is added. A path longer than the
   system's limit takes a second descriptor for a moment. Waits a while if there
   is no descriptor. Returns the descriptor, or a negated errno value. */
WEIR_HIDDEN int weir__open(int directory, const char *path, size_t length,
                           int flags);

/* Does the same for a path that a walk has found, whose first `root_length`
   bytes are the root; it needs no NUL. Links below the root are errors. Takes a
   second descriptor for a moment, except for an entry of the root itself. With
   a root_length of 0, links are followed everywhere. */
WEIR_HIDDEN int weir__open_in_tree(const char *path, size_t root_length,
                                   size_t length, int flags);

/* stat(2) of a path of any length. Returns 0 or an errno value. */
WEIR_HIDDEN int weir__stat(const char *path, size_t length,
                           struct stat *status);

/* fstatat(2) of a path of any length. Returns 0 or an errno value. */
WEIR_HIDDEN int weir__stat_at(int directory, const char *path, size_t length,
                              struct stat *status, bool follow);

/* The status of what weir__open_in_tree would open, or of a link. */
WEIR_HIDDEN int weir__stat_in_tree(const char *path, size_t root_length,
                                   size_t length, struct stat *status);

/* Reads the target of a link. Returns its length, or a negated errno value. */
WEIR_HIDDEN ssize_t weir__readlink(const char *path, size_t root_length,
                                   size_t length, char *target);

/* Returns the offset of the last component, with slashes at its end. */
WEIR_HIDDEN size_t weir__last_component(const char *path, size_t length);

WEIR_HIDDEN weir_entry_type_t weir__type_of_mode(mode_t mode);
