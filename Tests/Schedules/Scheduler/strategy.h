/* strategy.h: the ways to choose the next schedule. */
#pragma once

#include "schedule.h"

/* ---- at random ---------------------------------------------------------- */

/* One schedule, which the seed and the number determine. */
void strategy_random(uint64_t seed, uint64_t number);

/* ---- again -------------------------------------------------------------- */

/* Repeats a schedule from "STEP:OPTION STEP:OPTION...", the decisions that did
   not take their first option. Returns false for another text. */
bool strategy_replay(const char *text);

/* Repeats the last schedule from now on. Returns the number of its decisions
   that did not take their first option. */
size_t strategy_keep(void);

/* Leaves out some of these decisions, and undoes that. */
void strategy_leave_out(size_t begin, size_t count);
void strategy_put_back(void);

/* Prints the last schedule as strategy_replay reads it. */
void strategy_print(void);

void strategy_setup(void);
