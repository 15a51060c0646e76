/* quota.h: the quota of the cores by cgroups. */
#pragma once

#include "base/internal.h"

/* Returns the cores that the quotas of this process's cgroups allow, SIZE_MAX
   without one. Reads /proc and the cgroups below `root`, "" for this machine. */
WEIR_HIDDEN size_t weir__cores_by_quota(const char *root);

/* Copies one value of /proc/self/mountinfo, unescaped; "" if too long. */
WEIR_HIDDEN void weir__copy_mount_value(const char *from, char *to,
                                        size_t size);
