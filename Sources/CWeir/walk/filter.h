/* filter.h: decides which entries a walk takes. */
#pragma once

#include "base/internal.h"

#include <weir/walk.h>

struct weir__filters;

/* Returns a copy of the filters; NULL without any, or with errno ENOMEM or
   EINVAL (reserved words that are not zero). */
WEIR_HIDDEN struct weir__filters *
weir__filters_create(const weir_walk_filter_t *filters, size_t count);
WEIR_HIDDEN void weir__filters_destroy(struct weir__filters *filters);

/* True if the filters, or NULL, take an entry of this relative path and name. */
WEIR_HIDDEN bool weir__filters_take(const struct weir__filters *filters,
                                    const char *path, const char *name,
                                    bool is_directory);

/* Returns a walk with filters that the caller keeps longer than the walk. */
WEIR_HIDDEN weir_walk_t weir__walk_create(const char *root, unsigned flags,
                                          size_t max_depth,
                                          const struct weir__filters *filters);
