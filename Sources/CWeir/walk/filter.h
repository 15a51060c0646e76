/* filter.h: decides which entries a walk takes. */
#pragma once

#include "base/internal.h"

#include <weir/walk.h>

struct weir__filters;

/* Returns a copy of the filters of weir_walk_options_t. Returns NULL if there
   are none, and with errno ENOMEM if memory is short, EINVAL if a filter's
   reserved words are not zero. */
WEIR_HIDDEN struct weir__filters *
weir__filters_create(const weir_walk_filter_t *filters, size_t count);
WEIR_HIDDEN void weir__filters_destroy(struct weir__filters *filters);

/* Returns true if the filters take an entry. `path` is its path relative to the
   root of the walk, `name` the last component of it. `filters` may be NULL. */
WEIR_HIDDEN bool weir__filters_take(const struct weir__filters *filters,
                                    const char *path, const char *name,
                                    bool is_directory);

/* Returns a walk with filters that the caller owns, and keeps longer than the
   walk. */
WEIR_HIDDEN weir_walk_t weir__walk_create(const char *root, unsigned flags,
                                          size_t max_depth,
                                          const struct weir__filters *filters);
