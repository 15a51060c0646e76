/*
 * kernel_file.h: system calls on files that Swift's modules do not offer.
 */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Renames a file unless the new name exists, in one call. Returns 0 or an errno value; ENOSYS if the system has no
   such call. */
int kernel_rename_new(const char *from, const char *to);

/* A piece of a file, and its place on the device. */
typedef struct kernel_extent {
    uint64_t offset;
    uint64_t place;
    uint64_t length;
} kernel_extent_t;

/* Finds pieces of a file that share their blocks with other files: FIEMAP.
   Begins at `*from`, and sets it to the end of the last piece that was
   examined; UINT64_MAX after the last one of the file. Returns the number of
   shared pieces, at most KERNEL_EXTENTS_MAX, or a negative errno value:
   -EOPNOTSUPP if files of this system share no blocks. */
int kernel_shared_extents(int descriptor, uint64_t *from,
                          kernel_extent_t *extents);

enum { KERNEL_EXTENTS_MAX = 64 };

/* Stores the identity of the btrfs that a file is on, which is that of all its subvolumes. Returns -1 if the file is on
   another file system. */
int kernel_btrfs_id(int descriptor, uint8_t *id);

enum { KERNEL_BTRFS_ID_SIZE = 16 };

/* Returns the number of places in files of a btrfs that refer to a place on it; -1 if that is not known, as to all
   users but root. */
int kernel_btrfs_references(int descriptor, uint64_t place);

/* Returns 0 if a file consists of a hole alone. */
int kernel_has_data(int descriptor);

/* A flag of open(2): the descriptor is for the status of a file, or a starting
   point of relative paths, and needs no right to read the file. Without such a
   flag on the system, the file is opened for reading, and never waits. */
int kernel_path_only(void);

/* Creates a file without a name in a directory, for reading and writing by this
   user. Returns -1 with errno if the system or the file system has none. */
int kernel_unnamed_file(const char *directory);

/* Opens an empty file without a name, in memory if the system has that. Returns
   -1 if that fails. */
int kernel_memory_file(void);

/* Gives the blocks of a part of a file back to the disk, which then reads as
   zeros. Without such a call nothing happens. */
void kernel_free_extent(int descriptor, int64_t offset, int64_t length);

#ifdef __cplusplus
}
#endif

#endif
