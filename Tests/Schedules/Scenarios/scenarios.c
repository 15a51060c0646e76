/* scenarios.c: the list of all scenarios. */
#include "scenarios.h"
#include "tree.h"

#define ADDRESS(name) &name,
const struct scenario *const scenarios[] = {SCENARIOS(ADDRESS) NULL};

void scenarios_setup(void) { tree_create(); }
