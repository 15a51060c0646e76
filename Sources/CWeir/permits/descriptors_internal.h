/* descriptors_internal.h: the limit of open descriptors for child processes. */
#pragma once

#include "base/internal.h"

#include <sys/resource.h>

#include <weir/descriptors.h>

/* Returns true and the limit that a child should start with if it differs. */
WEIR_HIDDEN bool weir__descriptor_child_limit(struct rlimit *limit);
