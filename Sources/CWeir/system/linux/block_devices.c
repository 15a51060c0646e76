/*
 * block_devices.c: the physical disks below a block device.
 *
 * DESIGN. /sys/dev/block/MAJ:MIN is a link to the device: a partition, whose
 * directory lies within that of its disk; a disk; or a device made of others
 * (device-mapper, md, bcache), which are linked in slaves/. The links are
 * followed down to devices without slaves. Only queue/rotational of those at
 * the bottom counts: an encrypted disk has the value of its table, and
 * administrators set it.
 *
 * Virtual disks mostly report that they rotate, because their host set nothing.
 * So a 1 from a virtual disk counts as unknown: else half of all machines would
 * read with one lane.
 *
 * Btrfs spans devices, and its device number is not in sysfs. But sysfs lists
 * the devices of each Btrfs by UUID, which statfs reports mixed with the number
 * of the subvolume, whose upper half is zero: half of the identity is enough.
 */
#include "system/linux/block_devices.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A deeper stack of devices is taken for a cycle. */
#define DEPTH_MAX 8

/* Drivers of virtual disks, as sysfs names them. */
static const char *const virtual_drivers[] = {"virtio_blk", "vbd", "vmbus",
                                              "xen-blkfront"};

/* Vendors of emulated SCSI disks. On SATA the model begins with the name. */
static const char *const virtual_vendors[] = {
    "QEMU", "VMware", "VBOX", "Msft", "Xen", "Google", "Nutanix"};

static bool is_listed(const char *word, const char *const *words,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns false if the path would be too long. */
static bool join_path(char path[static PATH_MAX], const char *directory,
                      const char *rest) {
    int length = snprintf(path, PATH_MAX, "%s/%s", directory, rest);
    return length > 0 && length < PATH_MAX;
}

/* Reads the first word of a file in a directory; "" if there is none. */
static void read_word(const char *directory, const char *name,
                      char word[static 32]) {
    char path[PATH_MAX];
    word[0] = '\0';
    int fd = join_path(path, directory, name) ? open(path, O_RDONLY | O_CLOEXEC)
                                              : -1;
    if (fd >= 0) {
        ssize_t got = read(fd, word, 31);
        word[got > 0 ? got : 0] = '\0';
        word[strcspn(word, " \t\n")] = '\0';
        close(fd);
    }
}

static bool path_exists(const char *directory, const char *name) {
    char path[PATH_MAX];
    return join_path(path, directory, name) && access(path, F_OK) == 0;
}

/* Reads the last component of a link's target; "" if it is no link. */
static void read_target(const char *directory, const char *name,
                        char target[static 64]) {
    char path[PATH_MAX], found[PATH_MAX];
    target[0] = '\0';
    ssize_t length = join_path(path, directory, name)
                         ? readlink(path, found, sizeof found - 1)
                         : -1;
    if (length > 0) {
        found[length] = '\0';
        const char *slash = strrchr(found, '/');
        snprintf(target, 64, "%.63s", slash ? slash + 1 : found);
    }
}

/* ---- one disk ---------------------------------------------------------- */

static void read_name(const char *disk, char name[static 64]) {
    char path[PATH_MAX];
    const char *slash = realpath(disk, path) ? strrchr(path, '/') : NULL;
    snprintf(name, 64, "%.63s", slash ? slash + 1 : "");
}

static dev_t device_number(const char *disk) {
    char word[32];
    unsigned major = 0, minor = 0;
    read_word(disk, "dev", word);
    return sscanf(word, "%u:%u", &major, &minor) == 2 ? makedev(major, minor)
                                                      : 0;
}

/* Reads the driver or vendor of a virtual disk; "" for a physical one. */
static void read_virtual_driver(const char *disk, char driver[static 32]) {
    char name[64], word[32];
    const char *const files[] = {"device/vendor", "device/model"};
    read_target(disk, "device/driver", name);
    driver[0] = '\0';
    if (is_listed(name, virtual_drivers,
                  sizeof virtual_drivers / sizeof *virtual_drivers)) {
        snprintf(driver, 32, "%.31s", name);
    }
    for (size_t i = 0; i < 2 && !driver[0]; i++) {
        read_word(disk, files[i], word);
        if (is_listed(word, virtual_vendors,
                      sizeof virtual_vendors / sizeof *virtual_vendors)) {
            memcpy(driver, word, sizeof word);
        }
    }
}

/* A rotating disk decides, else an unknown one; of equals the lowest number. */
static void count_disk(struct disks *disks, const char *disk,
                       enum disk_kind kind) {
    dev_t number = device_number(disk);
    disks->count[kind]++;
    if (!disks->name[0] || kind > disks->kind ||
        (kind == disks->kind && number < disks->number)) {
        disks->kind = kind;
        disks->number = number;
        read_name(disk, disks->name);
        read_virtual_driver(disk, disks->driver);
    }
}

static void add_disk(struct disks *disks, const char *disk) {
    char word[32], driver[32];
    read_word(disk, "queue/rotational", word);
    read_virtual_driver(disk, driver);
    bool is_virtual = driver[0] != '\0';
    count_disk(disks, disk,
               strcmp(word, "0") == 0                  ? DISK_SOLID
               : strcmp(word, "1") == 0 && !is_virtual ? DISK_ROTATING
                                                       : DISK_UNKNOWN);
}

/* ---- devices made of others -------------------------------------------- */

static bool add_linked(struct disks *disks, const char *directory, int depth);

static void add_device(struct disks *disks, const char *device, int depth) {
    char disk[PATH_MAX], slaves[PATH_MAX];
    bool is_partition = path_exists(device, "partition");
    if (!join_path(disk, device, is_partition ? ".." : ".") ||
        !join_path(slaves, disk, "slaves")) {
        return;
    }
    if (depth == DEPTH_MAX || !add_linked(disks, slaves, depth + 1)) {
        add_disk(disks, disk);
    }
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Adds each device that a directory links to, after it is closed, or fails. */
static bool add_linked(struct disks *disks, const char *directory, int depth) {
    struct dirent **found = NULL;
    int count = scandir(directory, &found, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char device[PATH_MAX];
        if (join_path(device, directory, found[i]->d_name)) {
            add_device(disks, device, depth);
        }
        free(found[i]);
    }
    free(found);
    return count > 0;
}

bool weir__disks_of_device(struct disks *disks, const char *sysfs,
                           dev_t device) {
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "dev/block/%u:%u", major(device),
             minor(device));
    if (!path_exists(sysfs, name) || !join_path(path, sysfs, name)) {
        return false;
    }
    add_device(disks, path, 0);
    return true;
}

/* ---- Btrfs ------------------------------------------------------------- */

/* Returns true if statfs reports this half of an identity for a UUID. */
static bool has_identity(const char *uuid, uint32_t identity) {
    uint32_t first, third[2];
    return strlen(uuid) == 36 &&
           sscanf(uuid, "%8" SCNx32 "-%*4x-%*4x-%4" SCNx32 "-%4" SCNx32, &first,
                  &third[0], &third[1]) == 3 &&
           (first ^ (third[0] << 16 | third[1])) == identity;
}

bool weir__disks_of_btrfs(struct disks *disks, const char *sysfs,
                          uint32_t identity) {
    char path[PATH_MAX], devices[PATH_MAX];
    DIR *directory = join_path(path, sysfs, "fs/btrfs") ? opendir(path) : NULL;
    struct dirent *entry;
    bool is_found = false;
    while (directory && !is_found && (entry = readdir(directory))) {
        char name[64];
        snprintf(name, sizeof name, "%.36s/devices", entry->d_name);
        is_found = has_identity(entry->d_name, identity) &&
                   join_path(devices, path, name);
    }
    if (directory) {
        closedir(directory);
    }
    return is_found && add_linked(disks, devices, 0);
}

#endif
