/* scenarios.c: the list of all scenarios. */
#include "scenarios.h"
#include "tree.h"

const struct scenario *const scenario_lists[] = {gate_scenarios,
                                                 held_scenarios,
                                                 lanes_scenarios,
                                                 groups_scenarios,
                                                 files_scenarios,
                                                 orders_scenarios,
                                                 NULL};

void scenarios_setup(void) { tree_create(); }
