/*
 * count_size.c: bytes, counted without a read.
 *
 * DESIGN. In /proc and similar file systems the size of a file is 0 or a page.
 * So the end of a file whose size is a multiple of a page is read, from one
 * block before it. wc does the same.
 */
#define _GNU_SOURCE
#include "kernel_count.h"

#include <sys/stat.h>
#include <unistd.h>

bool kernel_count_is_size(uint64_t size) {
    return size % (uint64_t)sysconf(_SC_PAGESIZE) != 0;
}

/* Moves the offset over all blocks but the last. */
static void skip_blocks(int descriptor, off_t block, off_t size, off_t at,
                        bool misses, uint64_t *bytes) {
    off_t last = size - size % (block + 1);
    int whence = misses ? SEEK_CUR : SEEK_SET;
    if (at < last && lseek(descriptor, last, whence) >= 0) {
        *bytes += (uint64_t)(last - at);
    }
}

bool kernel_count_skip(int descriptor, bool misses, uint64_t *bytes) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size < 0) {
        return false;
    }
    off_t at = lseek(descriptor, 0, SEEK_CUR), size = status.st_size;
    if (at < 0) {
        return false; /* a read gives the error */
    }
    if (kernel_count_is_size((uint64_t)size)) {
        *bytes += at < size ? (uint64_t)(size - at) : 0;
        return true;
    }
    off_t block = status.st_blksize > 0 ? status.st_blksize : 512;
    skip_blocks(descriptor, block, size, at, misses, bytes);
    return false;
}
