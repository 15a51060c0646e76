/*
 * kernel_file.h: system calls on files that Swift's modules do not offer.
 */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Renames a file unless the new name exists, in one call. Returns 0 or an errno value; ENOSYS if the system has no
   such call. */
int kernel_rename_new(const char *from, const char *to);

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

#ifdef __cplusplus
}
#endif

#endif
