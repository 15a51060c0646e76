/* beneath.h: opens a path of any length, following links or refusing them. */
#pragma once

#include "base/internal.h"

/* Opens `path`, of `length` bytes, from `directory`, with O_CLOEXEC, and
   follows symbolic links. A path of PATH_MAX bytes or more takes a second
   descriptor for a moment. Returns the descriptor or a negated errno value. */
WEIR_HIDDEN int weir__open_following(int directory, const char *path,
                                     size_t length, int flags);

/* Does the same for a path that begins with that of a directory, of
   `root_length` bytes, which may lead through links. The rest of the path, from
   `begin` on, has no component "..", and no slash at either end; a link in it
   is an error, ELOOP or ENOTDIR. Takes a second descriptor for a moment. */
WEIR_HIDDEN int weir__open_beneath(const char *path, size_t root_length,
                                   size_t begin, size_t length, int flags);

/* Opens a piece of a path, which ends in NUL, in one call that follows no
   symbolic link. Returns -1 with errno; ENOSYS if there is no such call. */
WEIR_HIDDEN int weir__open_without_links(int directory, const char *piece,
                                         int flags);
