/* open.h: opens paths of any length, and waits for a descriptor. */
#pragma once

#include "base/internal.h"

#include <sys/stat.h>

#include <weir/walk.h>

#include "system/directory.h"

/* Opens `path`, which has `length` bytes and ends in NUL; if relative, from
   `directory` (or AT_FDCWD). O_CLOEXEC is added. A path longer than the
   system's limit takes a second descriptor for a moment. Repeats after EINTR,
   and waits a while if the process or the system is out of descriptors. Returns
   the descriptor, or a negated errno value. */
WEIR_HIDDEN int weir__open(int directory, const char *path, size_t length,
                           int flags);

/* stat(2) of a path of any length. Follows links. Returns 0 or an errno
   value. */
WEIR_HIDDEN int weir__stat(const char *path, size_t length,
                           struct stat *status);

/* fstatat(2) of a path of any length. Returns 0 or an errno value. */
WEIR_HIDDEN int weir__stat_at(int directory, const char *path, size_t length,
                              struct stat *status, bool follow);

/* readlink(2) of a path of any length, into `target` of PATH_MAX bytes. Returns
   the target's length, or a negated errno value. */
WEIR_HIDDEN ssize_t weir__readlink(const char *path, size_t length,
                                   char *target);

/* Returns the offset of a path's last component. Slashes at its end belong to
   it. */
WEIR_HIDDEN size_t weir__last_component(const char *path, size_t length);

WEIR_HIDDEN weir_entry_type_t weir__type_of_mode(mode_t mode);
