/*
 * filter.h: which of the things that a walk meets it takes.
 */
#ifndef WEIR_INTERNAL_FILTER_H
#define WEIR_INTERNAL_FILTER_H

#include "base/internal.h"

#include <weir/walk.h>

struct weir__filters;

/* Filters as weir_walk_options_t has them, copied. NULL where there are none,
   and, with errno ENOMEM, where memory is short. */
WEIR_HIDDEN struct weir__filters *
weir__filters_create(const weir_walk_filter_t *filters, size_t count);
WEIR_HIDDEN void weir__filters_destroy(struct weir__filters *filters);

/* Whether they let something through. `way` leads there from the root of the
   walk, and has the name as its last component. `filters` may be NULL. */
WEIR_HIDDEN bool weir__filters_take(const struct weir__filters *filters,
                                    const char *way, const char *name,
                                    bool is_directory);

/* A walk that keeps to filters which are not its own. */
WEIR_HIDDEN weir_walk_t weir__walk_create(const char *root, unsigned flags,
                                          size_t max_depth,
                                          const struct weir__filters *filters);

#endif /* WEIR_INTERNAL_FILTER_H */
