/* beneath.h: opens a path of any length, following symbolic links or refusing
   them. */
#pragma once

#include "base/internal.h"

/* Opens `path`, of `length` bytes and without a NUL in it, from `directory`,
   with O_CLOEXEC, and follows symbolic links as open(2) does. A path of PATH_MAX
   bytes or more takes a second descriptor for a moment. Returns the descriptor
   or a negated errno value, and waits for no descriptor. */
WEIR_HIDDEN int weir__open_following(int directory, const char *path,
                                     size_t length, int flags);

/* Does the same for a path that begins with that of a directory, of
   `root_length` bytes, which may lead through links. The rest of the path, from
   `begin` on, never leaves that directory: a link in any of its components is
   an error, ELOOP or ENOTDIR. The rest has no component "..", and no slash at either end.
   Takes a second descriptor for a moment. */
WEIR_HIDDEN int weir__open_beneath(const char *path, size_t root_length,
                                   size_t begin, size_t length, int flags);

/* Opens a piece of a path, which ends in NUL, in one call that follows no
   symbolic link. Returns -1 with errno if that fails; ENOSYS if the system has
   no such call. */
WEIR_HIDDEN int weir__open_without_links(int directory, const char *piece,
                                         int flags);
