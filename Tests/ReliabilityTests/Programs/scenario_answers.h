/*
 * scenario_answers.h: the memory that a scenario's child shares with its parent,
 * the errors of each kind of call, and the comparison of two answers.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "../Preloads/faults.h"

/* An error above all errno values: no more than 128 bytes are transferred. */
#define FAULT_SHORT 100000

struct fault {
    enum fault_call kind;
    int error;
    long first; /* 0 for no fault */
    long last;
    bool is_late;         /* in the second run, not in the first */
    bool must_be_handled; /* nobody may see it */
};

/* Calls that are counted together, under the name of the first one. */
struct fault_kind {
    enum fault_call calls[8]; /* ended by 0 */
    int errors[12];           /* ended by 0 */
};

extern const struct fault_kind
    fault_kinds[]; /* ended by one without an error */

/* True if the library promises to handle the error itself. */
extern bool must_be_handled(const char *scenario, struct fault fault);

struct holdings {
    long blocks;
    long threads;
    long descriptors;
};

struct shared {
    struct fault fault;
    bool is_whole_answer; /* no failure may be in the answer */
    bool has_ended;
    bool is_unordered;    /* the files come in any order */
    int result;           /* of the run over files */
    _Atomic int failures; /* that calls have reported */
    long injected;
    long counts[2][CALL_COUNT]; /* of calls in the first and the second run */
    struct holdings normal;     /* without a fault */
    char wrongs[8192];
    char answer[65536];
    char normal_answer[65536];
};

/* Compares the answer with that without a fault: what differs must have been
   reported as a failure. */
extern void check_answer(const struct shared *shared);
