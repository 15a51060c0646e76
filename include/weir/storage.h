/*
 * weir/storage.h: the storage of a file, and the number of readers that suits
 * it.
 *
 * A rotating disk reads one file at a time, in the order of their places on it,
 * many times faster than several at once. A file server makes each request
 * wait, and serves many requests at once. The type of the storage comes from
 * the file system (statfs) and, on Linux, from sysfs: through partitions,
 * device-mapper and RAID down to the disks. On Darwin and FreeBSD disks are
 * unknown storage, on other systems all is.
 */
#ifndef WEIR_STORAGE_H
#define WEIR_STORAGE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * The type of a storage.
 *
 * @constant WEIR_STORAGE_UNKNOWN  unknown; also a virtual machine's disk that
 *                                 reports that it rotates, since most of these
 *                                 do in any case
 * @constant WEIR_STORAGE_ROTATING a rotating disk, or an array with one in it
 * @constant WEIR_STORAGE_SOLID    solid state
 * @constant WEIR_STORAGE_NETWORK  a file server, or a shared file system
 * @constant WEIR_STORAGE_MEMORY   the memory of this machine
 */
typedef enum {
    WEIR_STORAGE_UNKNOWN = 0,
    WEIR_STORAGE_ROTATING = 1,
    WEIR_STORAGE_SOLID = 2,
    WEIR_STORAGE_NETWORK = 3,
    WEIR_STORAGE_MEMORY = 4
} weir_storage_kind_t;

/*!
 * The storage of a file.
 *
 * @field kind        its type
 * @field readers     the number of files to read at once: 1 for a rotating
 *                    disk, 16 for a server, one per core in memory, else four
 *                    per core (at most 32, or one per core if that is more)
 * @field by_inode    true if WEIR_SOURCE_BY_INODE helps: for a rotating disk
 * @field device      a number that all file systems on one rotating disk share;
 *                    else the device number of the file system; for
 *                    weir_files_source_t
 * @field file_system the name of the file system, "ext4" or "NFS"; the number
 *                    of its type if Weir has no name for it
 * @field disk        the name of the disk, "sda"; of several, the one that
 *                    decided; empty if none is known
 * @field evidence    the reason for kind, in words
 * @field readers_max the most files to read at once while the storage makes the
 *                    readers wait, for weir_files_options_t.jobs_max: 1 for a
 *                    rotating disk, one per core in memory, else 64 (more if
 *                    `readers` is)
 */
typedef struct {
    weir_storage_kind_t kind;
    bool by_inode;
    size_t readers;
    uint64_t device;
    char file_system[32];
    char disk[64];
    char evidence[160];
    size_t readers_max;
} weir_storage_t;

/*!
 * Finds the storage of an open file or directory; of a directory, without the
 * file systems mounted below it.
 *
 * @param descriptor A descriptor of it; O_PATH is enough.
 * @param storage    Receives the storage.
 * @param size       sizeof *storage, so that the struct can grow.
 *
 * @result 0, or the error of fstatfs(2) or fstat(2). Blocks as these do, and
 * opens one descriptor at a time for a moment. Takes no permits.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_storage_of(int descriptor, weir_storage_t *storage, size_t size);

WEIR_END_DECLS

#endif /* WEIR_STORAGE_H */
