/*
 * weir/storage.h: what a file lies on, and how many readers that is good for.
 *
 * A disk that turns reads one file at a time, in the order in which they lie on
 * it, many times faster than several at once; a server is waited for, and wants
 * many requests under way. Which of these it is the file system says first
 * (statfs), and for what has a block device sysfs, through partitions,
 * device-mapper and RAID down to the disks. It is told by what it was known, so
 * that somebody can see where it is wrong.
 */
#ifndef WEIR_STORAGE_H
#define WEIR_STORAGE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @enum weir_storage_kind_t
 *
 * @constant WEIR_STORAGE_UNKNOWN  nobody says; a disk of a virtual machine too,
 *                                 which says that it turns whatever it is
 * @constant WEIR_STORAGE_ROTATING a disk that turns, or an array with one in it
 * @constant WEIR_STORAGE_SOLID    solid state
 * @constant WEIR_STORAGE_NETWORK  a server of files, or something like one
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
 * @struct weir_storage_t
 *
 * @field kind        see above
 * @field readers     how many files to read from it at once: 1 where it
 *                    rotates, 16 over a network, one a core in memory, else four
 *                    a core (at most 32, or one a core where there are more)
 * @field by_inode    whether WEIR_SOURCE_BY_INODE is of use: where it rotates
 * @field device      the same for all that shares the disk, or the file system
 *                    where no disk is known; for weir_files_source_t
 * @field file_system what statfs calls it, "ext4" or "NFS"; the number of its
 *                    type where that is all there is
 * @field disk        the disk's name, "sda"; of several the one that decided;
 *                    empty where there is none, or none is known
 * @field evidence    what it was told by, in words
 */
typedef struct {
    weir_storage_kind_t kind;
    bool by_inode;
    size_t readers;
    uint64_t device;
    char file_system[32];
    char disk[64];
    char evidence[160];
} weir_storage_t;

/*!
 * @function weir_storage_of
 *
 * @abstract
 * What an open file or directory lies on. Of a directory that itself is meant,
 * not what is mounted below.
 *
 * @param descriptor
 * Open on it; O_PATH is enough.
 *
 * @param storage
 * Where to write.
 *
 * @param size
 * sizeof *storage, so that the struct can grow.
 *
 * @result
 * 0, or what fstatfs(2) and fstat(2) said. Waits for the file system, as these
 * do, and opens one descriptor after the other for a moment. Takes no permits.
 */
WEIR_EXPORT int weir_storage_of(int descriptor, weir_storage_t *storage,
                                size_t size);

WEIR_END_DECLS

#endif /* WEIR_STORAGE_H */
