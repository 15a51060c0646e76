/* unnamed.c: files without a name, descriptors without access, and holes. */
#define _GNU_SOURCE
#include "kernel_file.h"

#include "../maker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int kernel_path_only(void) {
#if KERNEL_LINUX
    return O_PATH;
#else
    return O_RDONLY | O_NONBLOCK | O_NOCTTY;
#endif
}

int kernel_unnamed_file(const char *directory) {
#if KERNEL_LINUX
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
#else
    (void)directory;
    errno = ENOTSUP;
    return -1;
#endif
}

int kernel_memory_file(void) {
#if KERNEL_LINUX
    return memfd_create("messages", MFD_CLOEXEC);
#else
    char path[] = "/tmp/weir.XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
#endif
}

void kernel_free_extent(int descriptor, int64_t offset, int64_t length) {
#if KERNEL_LINUX
    (void)fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    offset, length);
#else
    (void)descriptor, (void)offset, (void)length;
#endif
}
