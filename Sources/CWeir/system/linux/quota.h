/* quota.h: the quota of the cores by cgroups. */
#pragma once

#include "base/internal.h"

/* Returns the number of cores that the quotas of this process's cgroups allow,
   SIZE_MAX without a quota. Reads /proc and the mounted cgroups below `root`,
   "" for those of this machine. */
WEIR_HIDDEN size_t weir__cores_by_quota(const char *root);

/* Copies one value of /proc/self/mountinfo, up to a space, and resolves its
   escapes; copies "" if it is too long. */
WEIR_HIDDEN void weir__copy_mount_value(const char *from, char *to,
                                        size_t size);
