/* cores.h: the cores that the process may use, and the one that the caller runs
   on. */
#pragma once

#include "base/internal.h"

/* Returns the number of cores that the process may use, by affinity and
   quota. */
WEIR_HIDDEN size_t weir__cores(void);

/* Returns the number of cores that the quotas of this process's cgroups allow,
   SIZE_MAX without a quota. Reads /proc and the mounted cgroups below `root`,
   "" for those of this machine. */
WEIR_HIDDEN size_t weir__cores_by_quota(const char *root);

/* Copies one value of /proc/self/mountinfo, up to a space, and resolves its
   escapes; copies "" if it is too long. */
WEIR_HIDDEN void weir__copy_mount_value(const char *from, char *to,
                                        size_t size);

/* Returns the number of the processor that runs the caller, or -1 if the system
   does not report it, or offers no weir__leave_processor. */
WEIR_HIDDEN int weir__current_processor(void);

/* Moves the caller at once from this processor to another one, and keeps its
   affinity. Returns false if it may use no other, or if the kernel refuses. */
WEIR_HIDDEN bool weir__leave_processor(int processor);
