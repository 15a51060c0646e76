/* program.c: the path of the running program. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include "../maker.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#if KERNEL_DARWIN
#include <mach-o/dyld.h>
#elif !KERNEL_LINUX && defined(__FreeBSD__)
#include <sys/types.h>

#include <sys/sysctl.h>
#endif

long kernel_program_path(char *path, size_t size) {
#if KERNEL_LINUX
    return readlink("/proc/self/exe", path, size);
#elif KERNEL_DARWIN
    uint32_t room = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return _NSGetExecutablePath(path, &room) == 0 ? (long)strnlen(path, size)
                                                  : -1;
#elif defined(__FreeBSD__)
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1};
    return sysctl(name, 4, path, &size, NULL, 0) == 0 && size > 0
               ? (long)size - 1
               : -1;
#else
    (void)path;
    (void)size;
    errno = ENOSYS;
    return -1;
#endif
}
