/*
 * storage.h: what storage is found out from.
 */
#ifndef WEIR_INTERNAL_STORAGE_H
#define WEIR_INTERNAL_STORAGE_H

#include "base/internal.h"

#include <weir/storage.h>

/* What is made of what statfs says (the type of a file system, and the first
   half of its identity) and of the device that stat names, where sysfs is in
   `sysfs` and the table of mounts is the file `mounts`: for tests. */
WEIR_HIDDEN void weir__storage_find(const char *sysfs, const char *mounts,
                                    uint64_t type, uint32_t identity,
                                    uint64_t device, weir_storage_t *out);

#endif /* WEIR_INTERNAL_STORAGE_H */
