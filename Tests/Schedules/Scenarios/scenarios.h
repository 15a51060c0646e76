/* scenarios.h: the lists of all scenarios. */
#pragma once

#include "support.h"

/* Each ends with one without a name. */
extern const struct scenario gate_scenarios[], held_scenarios[],
    lanes_scenarios[], groups_scenarios[], files_scenarios[],
    orders_scenarios[];
