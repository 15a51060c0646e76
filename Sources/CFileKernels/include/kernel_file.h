/*
 * kernel_file.h: system calls on files that Swift's modules do not offer.
 */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Renames a file unless the new name exists: renameat2(2) with
   RENAME_NOREPLACE. Returns 0 or an errno value; ENOSYS if the system has no
   such call. */
int kernel_rename_new(const char *from, const char *to);

#ifdef __cplusplus
}
#endif

#endif
