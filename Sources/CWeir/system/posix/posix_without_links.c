/* posix_without_links.c: POSIX opens no path without links in one call. */
#include "system/beneath.h"
#include "system/maker.h"

#if WEIR_SYSTEM_POSIX

int weir__open_without_links(int directory, const char *piece, int flags) {
    (void)directory;
    (void)piece;
    (void)flags;
    errno = ENOSYS;
    return -1;
}

#endif
