/* strategy.h: the ways to choose the next schedule. */
#pragma once

#include "schedule.h"

/* A decision that had several options. */
struct decision {
    uint64_t step;
    uint16_t chosen;
    uint16_t count;
    uint16_t cost_before; /* of all decisions before it */
    bool is_pick;
    unsigned char cost; /* of a pick: of each option but the first; else the
                           number of options without a cost */
};

/* ---- all schedules with at most some preemptions ------------------------ */

void strategy_search(unsigned bound);

/* Turns to the next schedule. False if there is none within the bound. */
bool strategy_next(void);

/* True if the bound left out a schedule. */
bool strategy_was_bounded(void);

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

/* The number of decisions of the last schedule. */
size_t strategy_depth(void);
void strategy_setup(void);
