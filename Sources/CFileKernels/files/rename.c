/*
 * rename.c: a name for a file that never replaces another one.
 */
#define _GNU_SOURCE
#include "kernel_file.h"

#include "../maker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#if KERNEL_LINUX
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Older headers lack it. */
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

int kernel_rename_new(const char *from, const char *to) {
#if KERNEL_LINUX && defined(SYS_renameat2)
    long status =
        syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    return status == 0 ? 0 : errno;
#elif KERNEL_DARWIN
    int error = renamex_np(from, to, RENAME_EXCL) == 0 ? 0 : errno;
    return error == ENOTSUP ? ENOSYS : error;
#else
    (void)from;
    (void)to;
    return ENOSYS;
#endif
}
