/* variables.h: the environment of the process. */
#pragma once

#include "base/internal.h"
#include "system/maker.h"

/* Returns the strings of the environment, ended by NULL. */
WEIR_HIDDEN char **weir__environment(void);

/* Returns the value of a variable; NULL if there is none, or if the program has
   more rights than its user. */
WEIR_HIDDEN const char *weir__trusted_variable(const char *name);
