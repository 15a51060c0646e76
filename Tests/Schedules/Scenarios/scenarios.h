/* scenarios.h: the names of all scenarios. */
#pragma once

#include "support.h"

#define SCENARIOS(of)                                                          \
    of(gate_two) of(gate_portions) of(gate_try) of(gate_time_out)              \
        of(gate_close) of(gate_resize) of(gate_orphan) of(gate_wake_and_end)   \
            of(gate_many)

#define DECLARE(name) extern const struct scenario name;
SCENARIOS(DECLARE)
