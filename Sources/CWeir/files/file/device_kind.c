/*
 * device_kind.c: the trust that the times and sizes on a device deserve, by the
 * type of its file system.
 */
#include "files/file/device_kind.h"

#include <sys/vfs.h>

/* The file systems whose times are from the clock of this kernel. */
static const uint32_t local[] = {
    0x0000ef53, /* ext2, ext3, ext4 */
    0x58465342, /* XFS */
    0x9123683e, /* Btrfs */
    0x01021994, /* tmpfs */
    0x858458f6, /* ramfs */
    0x794c7630, /* overlayfs */
    0xf2f52010, /* F2FS */
    0x2fc12fc1, /* ZFS */
    0xca451a4e, /* bcachefs */
    0x00004d44, /* FAT */
    0x2011bab0, /* exFAT */
    0x7366746e, /* NTFS */
    0x15013346, /* UDF */
    0x00009660, /* ISO 9660 */
    0x73717368, /* squashfs */
    0xe0f5e1e2, /* EROFS */
    0x958458f6, /* hugetlbfs */
    0x3153464a, /* JFS */
    0x52654973, /* ReiserFS */
    0x00003434, /* NILFS */
};

/* The file systems that make a file when it is read. */
static const uint32_t sizeless[] = {
    0x00009fa0, /* proc */
    0x62656572, /* sysfs */
    0x0027e0eb, /* cgroup */
    0x63677270, /* cgroup2 */
    0x64626720, /* debugfs */
    0x74726163, /* tracefs */
    0x73636673, /* securityfs */
    0x62656570, /* configfs */
    0xf97cff8c, /* SELinux */
    0x43415d53, /* Smack */
    0xde5e81e4, /* efivarfs */
    0xcafe4a11, /* bpf */
    0x6165676c, /* pstore */
    0x42494e4d, /* binfmt_misc */
    0x07655821, /* resctrl */
    0x65735543, /* fusectl */
    0x19800202, /* mqueue */
    0x6e736673, /* nsfs */
};

static bool is_among(uint32_t type, const uint32_t *types, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (types[i] == type) {
            return true;
        }
    }
    return false;
}

static enum device_kind ask_kernel(int fd) {
    struct statfs status;
    if (fstatfs(fd, &status) != 0) {
        return DEVICE_FOREIGN;
    }
    uint32_t type = (uint32_t)status.f_type;
    if (is_among(type, sizeless, sizeof sizeless / sizeof *sizeless)) {
        return DEVICE_SIZELESS;
    }
    return is_among(type, local, sizeof local / sizeof *local) ? DEVICE_LOCAL
                                                               : DEVICE_FOREIGN;
}

enum device_kind weir__device_kind(struct devices *devices, uint64_t run,
                                   int fd, const struct stat *status) {
    if (devices->run != run) {
        devices->run = run;
        devices->count = 0;
    }
    size_t known =
        devices->count < DEVICES_KEPT ? devices->count : DEVICES_KEPT;
    for (size_t i = 0; i < known; i++) {
        if (devices->numbers[i] == status->st_dev) {
            return (enum device_kind)devices->kinds[i];
        }
    }
    size_t place = devices->count++ % DEVICES_KEPT;
    devices->numbers[place] = status->st_dev;
    devices->kinds[place] = (uint8_t)ask_kernel(fd);
    return (enum device_kind)devices->kinds[place];
}
