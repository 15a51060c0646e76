/*
 * rename.c: a name for a file that never replaces another one.
 */
#define _GNU_SOURCE
#include "kernel_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Older headers lack it. */
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

int kernel_rename_new(const char *from, const char *to) {
#ifdef SYS_renameat2
    long status =
        syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    return status == 0 ? 0 : errno;
#else
    (void)from;
    (void)to;
    return ENOSYS;
#endif
}
