/* darwin_without_links.c: opens a path without links by O_NOFOLLOW_ANY (macOS 11). */
#include "system/beneath.h"
#include "system/maker.h"

#if WEIR_SYSTEM_DARWIN

#include <fcntl.h>

int weir__open_without_links(int directory, const char *piece, int flags) {
    /* Not with O_NOFOLLOW, which is the same for the last component alone. */
    return openat(directory, piece,
                  (flags & ~O_NOFOLLOW) | O_NOFOLLOW_ANY | O_CLOEXEC);
}

#endif
