/*
 * darwin_media.c: the storage of an open file by statfs(2) of Darwin and
 * FreeBSD.
 *
 * DESIGN. MNT_LOCAL tells a server's file system from the rest. Whether a disk
 * rotates is in a registry (IOKit, GEOM) of further libraries: it is unknown.
 */
#include "system/maker.h"
#include "system/media.h"

#if WEIR_SYSTEM_NAMES_MOUNTS

#include <stdio.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/stat.h>

/* File systems whose contents are generated on each read. */
static const char *const generated[] = {"devfs",     "fdescfs",  "procfs",
                                        "linprocfs", "linsysfs", "autofs"};

static bool is_generated(const struct statfs *system) {
    for (size_t i = 0; i < sizeof generated / sizeof *generated; i++) {
        if (strcmp(system->f_fstypename, generated[i]) == 0) {
            return true;
        }
    }
    return false;
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
    if (status_of(descriptor, &system) != 0) {
        return FILE_TIMES_FOREIGN;
    }
    bool is_local = (system.f_flags & MNT_LOCAL) != 0 &&
                    !strstr(system.f_fstypename, "fuse");
    return is_generated(&system) ? FILE_TIMES_NONE
           : is_local            ? FILE_TIMES_LOCAL
                                 : FILE_TIMES_FOREIGN;
}

static weir_storage_kind_t kind_of(const struct statfs *system) {
    if (is_generated(system) || strcmp(system->f_fstypename, "tmpfs") == 0) {
        return WEIR_STORAGE_MEMORY;
    }
    return system->f_flags & MNT_LOCAL ? WEIR_STORAGE_UNKNOWN
                                       : WEIR_STORAGE_NETWORK;
}

int weir__medium_of(int descriptor, weir_storage_t *out) {
    struct statfs system;
    struct stat status;
    if (status_of(descriptor, &system) != 0 ||
        fstat(descriptor, &status) != 0) {
        return errno;
    }
    *out = (weir_storage_t){.kind = kind_of(&system),
                            .device = (uint64_t)status.st_dev};
    snprintf(out->file_system, sizeof out->file_system, "%s",
             system.f_fstypename);
    snprintf(out->evidence, sizeof out->evidence, "the file system is %s%s",
             out->file_system,
             out->kind == WEIR_STORAGE_UNKNOWN ? ", on a disk of unknown kind"
                                               : "");
    return 0;
}

#endif
