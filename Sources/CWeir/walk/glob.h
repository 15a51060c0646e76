/*
 * glob.h: matching names with patterns, byte by byte.
 */
#ifndef WEIR_INTERNAL_GLOB_H
#define WEIR_INTERNAL_GLOB_H

#include "base/internal.h"

/* Whether a pattern matches the whole of a string, which ends in NUL as it
   does. What the pattern can say is in weir/walk.h. */
WEIR_HIDDEN bool weir__glob_matches(const char *pattern, const char *string);

#endif /* WEIR_INTERNAL_GLOB_H */
