/*
 * storage.c: the storage of a file.
 *
 * DESIGN. The file system comes first (statfs): if it is not on one block
 * device, its device number is not in sysfs. Of these, Btrfs lists its devices
 * in sysfs. An overlay, whose layers a container does not see, FUSE and ZFS are
 * unknown.
 *
 * Unknown storage does not count as slow: one reader in place of many costs
 * more than many in place of one.
 *
 * The advice is four lanes a core, except for rotating disks, servers and
 * memory. In a warm cache four cost what one costs (0.2 % of the CPU time);
 * with cold pages 10,000 files take 1.56 s with two lanes, 0.74 s with four
 * and 0.51 s with eight.
 */
#include "base/internal.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include <weir/storage.h>

#include "system/cores.h"
#include "system/disks/block_devices.h"
#include "system/disks/file_systems.h"

/* Readers of a server; and of other storage, for each core and at most, since
   each may have a buffer (more if there are more cores). */
#define READERS_NETWORK ((size_t)16)
#define READERS_PER_CORE ((size_t)4)
#define READERS_MAX ((size_t)32)

/* The readers that storage may get if all others wait for it. */
#define READERS_WAITING ((size_t)64)

/* Derives the storage from the results of statfs (type of the file system,
   first half of its identity) and stat (device), with the directory `sysfs` as
   /sys. Not static: tests call it. */
WEIR_HIDDEN void weir__storage_find(const char *sysfs, uint64_t type,
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

/* While one reader waits for the disk, others run. */
static size_t readers_of_disk(void) {
    size_t cores = weir__cores(), most = cores * READERS_PER_CORE;
    most = most < READERS_MAX ? most : READERS_MAX;
    return most > cores ? most : cores;
}

/* Nothing waits for memory: a reader per core is enough. */
static size_t readers_of(weir_storage_kind_t kind) {
    switch (kind) {
    case WEIR_STORAGE_ROTATING:
        return 1;
    case WEIR_STORAGE_NETWORK:
        return READERS_NETWORK;
    case WEIR_STORAGE_MEMORY:
        return weir__cores();
    default:
        return readers_of_disk();
    }
}

static size_t readers_max_of(const weir_storage_t *storage) {
    bool may_grow = storage->kind != WEIR_STORAGE_ROTATING &&
                    storage->kind != WEIR_STORAGE_MEMORY;
    return may_grow && storage->readers < READERS_WAITING ? READERS_WAITING
                                                          : storage->readers;
}

void weir__storage_find(const char *sysfs, uint64_t type, uint32_t identity,
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
    weir__text_show(out->disk);
    weir__text_show(out->evidence);
    out->readers = readers_of(out->kind);
    out->readers_max = readers_max_of(out);
    out->by_inode = out->kind == WEIR_STORAGE_ROTATING;
}

int weir_storage_of(int descriptor, weir_storage_t *storage, size_t size) {
    struct weir__location location;
    weir_storage_t found;
    int error = weir__location_of(descriptor, &location);
    if (!error) {
        weir__storage_find("/sys", location.type, location.identity,
                           location.device, &found);
        weir__copy_stats(storage, size, &found, sizeof found);
    }
    return error;
}
