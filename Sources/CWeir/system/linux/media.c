/*
 * media.c: the storage of an open file, by statfs(2) and sysfs.
 *
 * DESIGN. A file system that is not on one block device is not in sysfs by its
 * device number, but Btrfs is. An overlay, FUSE and ZFS are unknown.
 */
#include "system/media.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "system/linux/block_devices.h"
#include "system/linux/file_systems.h"

/* Derives the storage from the results of statfs and stat, with the directory
   `sysfs` as /sys. Not static: tests call it. */
WEIR_HIDDEN void weir__medium_find(const char *sysfs, uint64_t type,
                                   uint32_t identity, uint64_t device,
                                   weir_storage_t *out);

/* ---- evidence ---------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void
set_kind(weir_storage_t *out, weir_storage_kind_t kind, const char *format,
         ...) {
    va_list arguments;
    out->kind = kind;
    va_start(arguments, format);
    vsnprintf(out->evidence, sizeof out->evidence, format, arguments);
    va_end(arguments);
}

static void set_kind_by_disks(const struct disks *disks, weir_storage_t *out) {
    size_t rotating = disks->count[DISK_ROTATING];
    size_t all =
        rotating + disks->count[DISK_UNKNOWN] + disks->count[DISK_SOLID];
    char of[48] = "";
    if (all > 1) {
        snprintf(of, sizeof of, ", of %zu disks", all);
    }
    memcpy(out->disk, disks->name, sizeof out->disk);
    switch (disks->kind) {
    case DISK_ROTATING:
        out->device = disks->number;
        set_kind(out, WEIR_STORAGE_ROTATING, "queue/rotational of %s is 1%s",
                 disks->name, of);
        break;
    case DISK_SOLID:
        set_kind(out, WEIR_STORAGE_SOLID, "queue/rotational of %s is 0%s",
                 disks->name, of);
        break;
    case DISK_UNKNOWN:
        if (disks->driver[0]) {
            set_kind(out, WEIR_STORAGE_UNKNOWN,
                     "%s is a virtual disk (%s), which does not report "
                     "queue/rotational reliably%s",
                     disks->name, disks->driver, of);
        } else {
            set_kind(out, WEIR_STORAGE_UNKNOWN, "%s has no queue/rotational%s",
                     disks->name, of);
        }
    }
}

/* ---- all file systems -------------------------------------------------- */

void weir__medium_find(const char *sysfs, uint64_t type, uint32_t identity,
                       uint64_t device, weir_storage_t *out) {
    struct weir__file_system system = weir__file_system_of_type(type);
    struct disks disks = {.name = ""};
    *out = (weir_storage_t){.device = device};
    if (system.name) {
        snprintf(out->file_system, sizeof out->file_system, "%s", system.name);
    } else {
        snprintf(out->file_system, sizeof out->file_system, "0x%08" PRIx32,
                 system.type);
    }
    switch (system.medium) {
    case MEDIUM_BLOCK_DEVICE:
        set_kind(out, WEIR_STORAGE_UNKNOWN, "sysfs has no device %u:%u",
                 major(device), minor(device));
        if (system.type == WEIR_FILE_SYSTEM_BTRFS
                ? weir__disks_of_btrfs(&disks, sysfs, identity)
                : weir__disks_of_device(&disks, sysfs, device)) {
            set_kind_by_disks(&disks, out);
        }
        break;
    case MEDIUM_SERVER:
        set_kind(out, WEIR_STORAGE_NETWORK, "the file system is %s",
                 system.name);
        break;
    case MEDIUM_MEMORY:
        set_kind(out, WEIR_STORAGE_MEMORY, "the file system is %s",
                 system.name);
        break;
    case MEDIUM_POOL:
        set_kind(out, WEIR_STORAGE_UNKNOWN, "%s does not report its devices",
                 system.name);
    }
}

/* A file system in user space may be interrupted. */
static int status_of(int descriptor, struct statfs *out) {
    int status;
    do {
        status = fstatfs(descriptor, out);
    } while (status != 0 && errno == EINTR);
    return status;
}

enum weir__file_times weir__file_times_of(int descriptor) {
    struct statfs system;
    return status_of(descriptor, &system) == 0
               ? weir__file_system_of_type((uint64_t)system.f_type).times
               : FILE_TIMES_FOREIGN;
}

int weir__medium_of(int descriptor, weir_storage_t *out) {
    struct statfs system;
    struct stat status;
    if (status_of(descriptor, &system) != 0 ||
        fstat(descriptor, &status) != 0) {
        return errno;
    }
    weir__medium_find("/sys", (uint64_t)system.f_type,
                      (uint32_t)system.f_fsid.__val[0], status.st_dev, out);
    return 0;
}

#endif
