/* without_links.c: opens a path without links by openat2 (Linux 5.6). */
#include "system/beneath.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int weir__open_without_links(int directory, const char *piece, int flags) {
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, directory, piece, &how, sizeof how);
}

#endif
