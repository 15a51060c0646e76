/*
 * storage_internal.h: the search for the storage of a file, for tests.
 */
#ifndef WEIR_STORAGE_STORAGE_INTERNAL_H
#define WEIR_STORAGE_STORAGE_INTERNAL_H

#include "base/internal.h"

#include <weir/storage.h>

/* Derives the storage from the results of statfs (type of the file system, first
   half of its identity) and stat (device), with the directory `sysfs` as /sys
   and the file `mounts` as the table of mounts. */
WEIR_HIDDEN void weir__storage_find(const char *sysfs, const char *mounts,
                                    uint64_t type, uint32_t identity,
                                    uint64_t device, weir_storage_t *out);

#endif /* WEIR_STORAGE_STORAGE_INTERNAL_H */
