/* glob.h: matches names with patterns, byte by byte. */
#pragma once

#include "base/internal.h"

/* Returns true if a pattern matches a whole string. Both end in NUL.
   weir/walk.h describes the patterns. */
WEIR_HIDDEN bool weir__glob_matches(const char *pattern, const char *string);
