/*
 * storage.c: what a file lies on.
 *
 * DESIGN. statfs comes first: what is no block device, or is spread over several,
 * has a device number that sysfs does not know. Of these, Btrfs says in sysfs
 * which devices it has, by its UUID, which statfs gives mixed with the number of
 * the subvolume, whose upper half is zero: so half of the identity tells. Overlay
 * says in the table of mounts where its layers are; in a container these are
 * mostly out of sight, and then nobody knows. FUSE says there what it is of: a few
 * are servers of files. ZFS says nothing to somebody who may not ask the kernel's
 * module.
 *
 * What is not known is not taken for slow: one reader where there could be many
 * costs more than many where there should be one.
 */
#include "storage/storage_internal.h"
#include "system/cores.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "storage/disks.h"
#include "storage/mounts.h"

/* How many readers: over a network; and of what is good for several, so many a
   core, and so many at most, since each may have a buffer (more where there are
   more cores). */
#define READERS_NETWORK ((size_t)16)
#define READERS_A_CORE ((size_t)4)
#define READERS_MAX ((size_t)32)

#define FUSE 0x65735546u
#define BTRFS 0x9123683eu
#define OVERLAY 0x794c7630u

enum file_system_kind {
    ON_BLOCK,   /* sysfs knows its device */
    ON_NETWORK, /* a server */
    IN_MEMORY,
    ON_POOL /* on disks that nobody names */
};

struct file_system {
    uint32_t type;
    enum file_system_kind kind;
    const char *name;
};

static const struct file_system file_systems[] = {
    {0x0000ef53, ON_BLOCK, "ext4"},
    {0x58465342, ON_BLOCK, "XFS"},
    {BTRFS, ON_BLOCK, "Btrfs"},
    {0xf2f52010, ON_BLOCK, "F2FS"},
    {0xca451a4e, ON_POOL, "bcachefs"},
    {0x2fc12fc1, ON_POOL, "ZFS"},
    {OVERLAY, ON_BLOCK, "overlay"},
    {FUSE, ON_BLOCK, "FUSE"},
    {0x00004d44, ON_BLOCK, "FAT"},
    {0x2011bab0, ON_BLOCK, "exFAT"},
    {0x7366746e, ON_BLOCK, "NTFS"},
    {0x5346544e, ON_BLOCK, "NTFS"},
    {0x15013346, ON_BLOCK, "UDF"},
    {0x00009660, ON_BLOCK, "ISO 9660"},
    {0x73717368, ON_BLOCK, "squashfs"},
    {0xe0f5e1e2, ON_BLOCK, "EROFS"},
    {0x3153464a, ON_BLOCK, "JFS"},
    {0x52654973, ON_BLOCK, "ReiserFS"},
    {0x00003434, ON_BLOCK, "NILFS"},
    {0x00006969, ON_NETWORK, "NFS"},
    {0xff534d42, ON_NETWORK, "CIFS"},
    {0xfe534d42, ON_NETWORK, "SMB"},
    {0x0000517b, ON_NETWORK, "SMB"},
    {0x00c36400, ON_NETWORK, "Ceph"},
    {0x0bd00bd0, ON_NETWORK, "Lustre"},
    {0x01021997, ON_NETWORK, "9P"},
    {0x5346414f, ON_NETWORK, "AFS"},
    {0x6b414653, ON_NETWORK, "AFS"},
    {0x73757245, ON_NETWORK, "Coda"},
    {0x0000564c, ON_NETWORK, "NCP"},
    {0x01161970, ON_NETWORK, "GFS2"},
    {0x7461636f, ON_NETWORK, "OCFS2"},
    {0x47504653, ON_NETWORK, "GPFS"},
    {0x19830326, ON_NETWORK, "BeeGFS"},
    {0x20030528, ON_NETWORK, "OrangeFS"},
    {0xaad7aaea, ON_NETWORK, "PanFS"},
    {0x786f4256, ON_NETWORK, "VirtualBox"},
    {0xbacbacbc, ON_NETWORK, "VMHGFS"},
    {0x01021994, IN_MEMORY, "tmpfs"},
    {0x858458f6, IN_MEMORY, "ramfs"},
    {0x958458f6, IN_MEMORY, "hugetlbfs"},
    {0x00009fa0, IN_MEMORY, "proc"},
    {0x62656572, IN_MEMORY, "sysfs"},
};

static struct file_system file_system_of(uint64_t type) {
    for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; i++) {
        if (file_systems[i].type == (uint32_t)type) {
            return file_systems[i];
        }
    }
    return (struct file_system){.type = (uint32_t)type, .kind = ON_BLOCK};
}

/* ---- saying ------------------------------------------------------------ */

static void say(weir_storage_t *out, weir_storage_kind_t kind,
                const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(weir_storage_t *out, weir_storage_kind_t kind,
                const char *format, ...) {
    va_list arguments;
    out->kind = kind;
    va_start(arguments, format);
    vsnprintf(out->evidence, sizeof out->evidence, format, arguments);
    va_end(arguments);
}

/* What the disks come to. */
static void judge(const struct disks *disks, weir_storage_t *out) {
    size_t rotating = disks->count[DISK_ROTATING];
    size_t all =
        rotating + disks->count[DISK_SILENT] + disks->count[DISK_SOLID];
    char of[48] = "";
    if (all > 1) {
        snprintf(of, sizeof of, ", of %zu disks", all);
    }
    memcpy(out->disk, disks->name, sizeof out->disk);
    switch (disks->kind) {
    case DISK_ROTATING:
        out->device = disks->number;
        say(out, WEIR_STORAGE_ROTATING, "queue/rotational of %s is 1%s",
            disks->name, of);
        break;
    case DISK_SOLID:
        say(out, WEIR_STORAGE_SOLID, "queue/rotational of %s is 0%s",
            disks->name, of);
        break;
    case DISK_SILENT:
        if (disks->driver[0]) {
            say(out, WEIR_STORAGE_UNKNOWN,
                "%s is a virtual disk (%s), whose queue/rotational says "
                "nothing%s",
                disks->name, disks->driver, of);
        } else {
            say(out, WEIR_STORAGE_UNKNOWN, "%s has no queue/rotational%s",
                disks->name, of);
        }
    }
}

/* ---- kinds of file systems --------------------------------------------- */

static bool find_btrfs(const char *sysfs, uint32_t identity,
                       struct disks *disks) {
    char directory[64];
    return weir__btrfs_directory(sysfs, identity, directory) &&
           weir__disks_of_directory(disks, sysfs, directory);
}

static const char *const servers[] = {
    "sshfs",   "rclone", "s3fs",     "glusterfs", "gcsfuse",  "davfs",
    "juicefs", "goofys", "blobfuse", "ceph-fuse", "curlftpfs"};

/* What FUSE or the like says of itself; true where that decides. */
static bool ask_mounts(const char *mounts, uint64_t type, uint64_t device,
                       weir_storage_t *out) {
    struct mount mount;
    if (!weir__mount_of(mounts, device, &mount)) {
        return false;
    }
    const char *of = strncmp(mount.type, "fuse.", 5) == 0 ? mount.type + 5 : "";
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        if (type == FUSE && strncmp(of, servers[i], strlen(servers[i])) == 0) {
            say(out, WEIR_STORAGE_NETWORK, "the file system is %s", mount.type);
            return true;
        }
    }
    if (*of) {
        snprintf(out->file_system, sizeof out->file_system, "%.31s",
                 mount.type);
    }
    return false;
}

/* The layer that is written to, which is where most of it is; else the first. */
static bool find_layer(const char *mounts, uint64_t device,
                       struct statfs *system, struct stat *status) {
    struct mount mount;
    if (!weir__mount_of(mounts, device, &mount) || !mount.layer[0]) {
        return false;
    }
    return statfs(mount.layer, system) == 0 && stat(mount.layer, status) == 0;
}

static void find_on_block(const char *sysfs, const char *mounts, uint64_t type,
                          uint32_t identity, uint64_t device,
                          weir_storage_t *out) {
    struct disks disks = {.name = ""};
    struct statfs system;
    struct stat status;
    if (type == BTRFS ? find_btrfs(sysfs, identity, &disks)
                      : weir__disks_of_device(&disks, sysfs, device)) {
        judge(&disks, out);
    } else if (type == OVERLAY &&
               find_layer(mounts, device, &system, &status)) {
        char name[sizeof out->file_system];
        if ((uint32_t)system.f_type != OVERLAY) {
            weir__storage_find(sysfs, mounts, (uint64_t)system.f_type,
                               (uint32_t)system.f_fsid.__val[0], status.st_dev,
                               out);
            snprintf(name, sizeof name, "overlay on %.20s", out->file_system);
            memcpy(out->file_system, name, sizeof name);
        }
    } else {
        ask_mounts(mounts, type, device, out);
    }
}

/* ---- the whole --------------------------------------------------------- */

/* While one waits for the disk the others go on. What is in memory is not waited
   for. */
static size_t several(void) {
    size_t cores = weir__cores(), most = cores * READERS_A_CORE;
    most = most < READERS_MAX ? most : READERS_MAX;
    return most > cores ? most : cores;
}

static size_t readers_of(weir_storage_kind_t kind) {
    switch (kind) {
    case WEIR_STORAGE_ROTATING:
        return 1;
    case WEIR_STORAGE_NETWORK:
        return READERS_NETWORK;
    case WEIR_STORAGE_MEMORY:
        return weir__cores();
    default:
        return several();
    }
}

/* Whoever mounts names things, and no control byte is to reach a terminal. */
static void make_printable(char *text) {
    for (; *text; text++) {
        *text = *text >= ' ' && *text <= '~' ? *text : '?';
    }
}

void weir__storage_find(const char *sysfs, const char *mounts, uint64_t type,
                        uint32_t identity, uint64_t device,
                        weir_storage_t *out) {
    struct file_system system = file_system_of(type);
    *out = (weir_storage_t){.device = device};
    if (system.name) {
        snprintf(out->file_system, sizeof out->file_system, "%s", system.name);
    } else {
        snprintf(out->file_system, sizeof out->file_system, "0x%08" PRIx32,
                 system.type);
    }
    switch (system.kind) {
    case ON_BLOCK:
        say(out, WEIR_STORAGE_UNKNOWN, "sysfs has no device %u:%u",
            major(device), minor(device));
        find_on_block(sysfs, mounts, system.type, identity, device, out);
        break;
    case ON_NETWORK:
        say(out, WEIR_STORAGE_NETWORK, "the file system is %s", system.name);
        break;
    case IN_MEMORY:
        say(out, WEIR_STORAGE_MEMORY, "the file system is %s", system.name);
        break;
    case ON_POOL:
        say(out, WEIR_STORAGE_UNKNOWN, "%s does not say what it lies on",
            system.name);
    }
    make_printable(out->file_system);
    make_printable(out->disk);
    make_printable(out->evidence);
    out->readers = readers_of(out->kind);
    out->by_inode = out->kind == WEIR_STORAGE_ROTATING;
}

int weir_storage_of(int descriptor, weir_storage_t *storage, size_t size) {
    struct statfs system;
    struct stat status;
    weir_storage_t found;
    if (fstatfs(descriptor, &system) != 0 || fstat(descriptor, &status) != 0) {
        return errno;
    }
    weir__storage_find("/sys", "/proc/self/mountinfo", (uint64_t)system.f_type,
                       (uint32_t)system.f_fsid.__val[0], status.st_dev, &found);
    weir__copy_stats(storage, size, &found, sizeof found);
    return 0;
}
