/*
 * disks.c: the disks that a block device is made of.
 *
 * DESIGN. /sys/dev/block/MAJ:MIN is a link to the device: a part of a disk, whose
 * directory is within the disk's, a disk, or something made of others
 * (device-mapper, md, bcache), which are linked in slaves/. That is followed down
 * to what has no slaves. queue/rotational of those at the bottom counts, and not
 * of what is made of them: an encrypted disk has the value of its table, and
 * people set it.
 *
 * Disks of virtual machines mostly say that they rotate, since nobody told them
 * anything: virtio and Xen have no word for it, and emulated SCSI disks leave the
 * page out. So from them a 1 is silence. To believe it would have half of all
 * machines read with one lane.
 *
 * Paths are put together as text and resolved by the kernel: DEVICE/.. of a part
 * is its disk, also through a link.
 */
#include "storage/disks.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* How deep devices are stacked before it is a circle. */
#define DEPTH_MAX 8

/* Drivers of virtual disks, as sysfs names them. */
static const char *const virtual_drivers[] = {"virtio_blk", "vbd", "vmbus",
                                              "xen-blkfront"};

/* Who made the emulated SCSI disks. Behind SATA every vendor is ATA, and it is
   the model that begins with the name: VBOX HARDDISK, QEMU HARDDISK. */
static const char *const virtual_vendors[] = {
    "QEMU", "VMware", "VBOX", "Msft", "Xen", "Google", "Nutanix"};

static bool is_among(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* False where it would be too long. */
static bool join(char path[static PATH_MAX], const char *directory,
                 const char *rest) {
    int length = snprintf(path, PATH_MAX, "%s/%s", directory, rest);
    return length > 0 && length < PATH_MAX;
}

/* The first word in a file of a directory; "" where there is none. */
static void read_word(const char *directory, const char *name,
                      char word[static 32]) {
    char path[PATH_MAX];
    word[0] = '\0';
    int fd =
        join(path, directory, name) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        ssize_t got = read(fd, word, 31);
        word[got > 0 ? got : 0] = '\0';
        word[strcspn(word, " \t\n")] = '\0';
        close(fd);
    }
}

static bool is_there(const char *directory, const char *name) {
    char path[PATH_MAX];
    return join(path, directory, name) && access(path, F_OK) == 0;
}

/* The last component of where a link leads; "" where it is none. */
static void read_target(const char *directory, const char *name,
                        char target[static 64]) {
    char path[PATH_MAX], found[PATH_MAX];
    target[0] = '\0';
    ssize_t length = join(path, directory, name)
                         ? readlink(path, found, sizeof found - 1)
                         : -1;
    if (length > 0) {
        found[length] = '\0';
        const char *slash = strrchr(found, '/');
        snprintf(target, 64, "%.63s", slash ? slash + 1 : found);
    }
}

/* ---- one disk ---------------------------------------------------------- */

/* The disk's own name. */
static void name_disk(const char *disk, char name[static 64]) {
    char path[PATH_MAX];
    const char *slash = realpath(disk, path) ? strrchr(path, '/') : NULL;
    snprintf(name, 64, "%.63s", slash ? slash + 1 : "");
}

static dev_t number_of(const char *disk) {
    char word[32];
    unsigned major = 0, minor = 0;
    read_word(disk, "dev", word);
    return sscanf(word, "%u:%u", &major, &minor) == 2 ? makedev(major, minor)
                                                      : 0;
}

/* Who says nothing: "" for a disk that is one. */
static void find_silence(const char *disk, char driver[static 32]) {
    char name[64], word[32];
    const char *const sources[] = {"device/vendor", "device/model"};
    read_target(disk, "device/driver", name);
    driver[0] = '\0';
    if (is_among(name, virtual_drivers,
                 sizeof virtual_drivers / sizeof *virtual_drivers)) {
        snprintf(driver, 32, "%.31s", name);
    }
    for (size_t i = 0; i < 2 && !driver[0]; i++) {
        read_word(disk, sources[i], word);
        if (is_among(word, virtual_vendors,
                     sizeof virtual_vendors / sizeof *virtual_vendors)) {
            memcpy(driver, word, sizeof word);
        }
    }
}

/* What says the most decides: one that rotates, else a silent one; of equals the
   one with the lowest number, so that what shares it is known to share it. */
static void decide(struct disks *disks, const char *disk, enum disk_kind kind) {
    dev_t number = number_of(disk);
    disks->count[kind]++;
    if (!disks->name[0] || kind > disks->kind ||
        (kind == disks->kind && number < disks->number)) {
        disks->kind = kind;
        disks->number = number;
        name_disk(disk, disks->name);
        find_silence(disk, disks->driver);
    }
}

static void add_disk(struct disks *disks, const char *disk) {
    char word[32], driver[32];
    read_word(disk, "queue/rotational", word);
    find_silence(disk, driver);
    bool is_believed = strcmp(word, "1") == 0 && !driver[0];
    decide(disks, disk,
           strcmp(word, "0") == 0 ? DISK_SOLID
           : is_believed          ? DISK_ROTATING
                                  : DISK_SILENT);
}

/* ---- what is made of others -------------------------------------------- */

static bool add_all(struct disks *disks, const char *directory, int depth);

static void add(struct disks *disks, const char *device, int depth) {
    char disk[PATH_MAX], slaves[PATH_MAX];
    bool is_part = is_there(device, "partition");
    if (!join(disk, device, is_part ? ".." : ".") ||
        !join(slaves, disk, "slaves")) {
        return;
    }
    if (depth == DEPTH_MAX || !add_all(disks, slaves, depth + 1)) {
        add_disk(disks, disk);
    }
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Whether there was any. The directory is closed again before what is in it is
   looked at. */
static bool add_all(struct disks *disks, const char *directory, int depth) {
    struct dirent **found = NULL;
    int count = scandir(directory, &found, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char device[PATH_MAX];
        if (join(device, directory, found[i]->d_name)) {
            add(disks, device, depth);
        }
        free(found[i]);
    }
    free(found);
    return count > 0;
}

bool weir__disks_of_directory(struct disks *disks, const char *sysfs,
                              const char *directory) {
    char path[PATH_MAX];
    return join(path, sysfs, directory) && add_all(disks, path, 0);
}

bool weir__disks_of_device(struct disks *disks, const char *sysfs,
                           dev_t device) {
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "dev/block/%u:%u", major(device),
             minor(device));
    if (!is_there(sysfs, name) || !join(path, sysfs, name)) {
        return false;
    }
    add(disks, path, 0);
    return true;
}
