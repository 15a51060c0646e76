/*
 * extents.c: the blocks that a file shares with other files.
 */
#define _GNU_SOURCE
#include "kernel_file.h"

#include "../maker.h"

#include <errno.h>
#include <unistd.h>
#if KERNEL_LINUX
#include <linux/btrfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

/* Pieces whose place is not known, or not the place of their bytes alone. */
#define UNPLACED                                                               \
    (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |                          \
     FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

int kernel_shared_extents(int descriptor, uint64_t *from,
                          kernel_extent_t *extents) {
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0) {
        return -errno;
    }
    if (system.f_type == EXT4_SUPER_MAGIC) {
        return -EOPNOTSUPP;
    }
    union {
        struct fiemap map;
        char memory[sizeof(struct fiemap) +
                    KERNEL_EXTENTS_MAX * sizeof(struct fiemap_extent)];
    } request;
    memset(&request, 0, sizeof request);
    request.map.fm_start = *from;
    request.map.fm_length = FIEMAP_MAX_OFFSET - *from;
    request.map.fm_extent_count = KERNEL_EXTENTS_MAX;
    if (ioctl(descriptor, FS_IOC_FIEMAP, &request.map) != 0) {
        return -errno;
    }
    int count = 0;
    *from = UINT64_MAX;
    for (unsigned i = 0; i < request.map.fm_mapped_extents; i++) {
        const struct fiemap_extent *one = &request.map.fm_extents[i];
        if ((one->fe_flags & FIEMAP_EXTENT_SHARED) &&
            !(one->fe_flags & UNPLACED)) {
            extents[count++] = (kernel_extent_t){
                one->fe_logical, one->fe_physical, one->fe_length};
        }
        *from = one->fe_flags & FIEMAP_EXTENT_LAST
                    ? UINT64_MAX
                    : one->fe_logical + one->fe_length;
    }
    return count;
}

int kernel_btrfs_id(int descriptor, uint8_t *id) {
    struct statfs system;
    struct btrfs_ioctl_fs_info_args info;
    memset(&info, 0, sizeof info);
    if (fstatfs(descriptor, &system) != 0 ||
        system.f_type != BTRFS_SUPER_MAGIC ||
        ioctl(descriptor, BTRFS_IOC_FS_INFO, &info) != 0) {
        return -1;
    }
    memcpy(id, info.fsid, KERNEL_BTRFS_ID_SIZE);
    return 0;
}

int kernel_btrfs_references(int descriptor, uint64_t place) {
    union {
        struct btrfs_data_container list;
        char memory[1 << 16];
    } found;
    struct btrfs_ioctl_logical_ino_args request = {
        .logical = place,
        .size = sizeof found,
        .inodes = (uintptr_t)&found,
    };
    if (ioctl(descriptor, BTRFS_IOC_LOGICAL_INO, &request) != 0) {
        return -1;
    }
    /* Each is an inode, an offset and a root. */
    return (int)((found.list.elem_cnt + found.list.elem_missed) / 3);
}
#else

/* Other systems do not tell. */
int kernel_shared_extents(int descriptor, uint64_t *from,
                          kernel_extent_t *extents) {
    (void)descriptor;
    (void)from;
    (void)extents;
    return -EOPNOTSUPP;
}

int kernel_btrfs_id(int descriptor, uint8_t *id) {
    (void)descriptor;
    (void)id;
    return -1;
}

int kernel_btrfs_references(int descriptor, uint64_t place) {
    (void)descriptor;
    (void)place;
    return -1;
}
#endif

int kernel_has_data(int descriptor) {
#ifdef SEEK_DATA
    return lseek(descriptor, 0, SEEK_DATA) >= 0 || errno != ENXIO;
#else
    (void)descriptor;
    return 1;
#endif
}
