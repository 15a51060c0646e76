/* variables.h: the environment of the process. */
#pragma once

#include "base/internal.h"
#include "system/maker.h"

/* Returns the strings of the environment, ended by NULL. */
WEIR_HIDDEN char **weir__environment(void);

/* Returns the value of a variable; NULL in a program with more rights. */
WEIR_HIDDEN const char *weir__trusted_variable(const char *name);
