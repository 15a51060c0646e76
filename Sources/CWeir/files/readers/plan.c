/*
 * plan.c: decides the number of readers from the measurements of a run.
 *
 * DESIGN. A reader that waits for its storage costs a thread and a buffer, but
 * no core. So while cores are idle and the readers sleep at least once in two
 * files, more readers mean more requests for the storage to work on at once:
 * their number is doubled. Rejected: to measure at each step if it has helped.
 * The rate of an interval varies by a fifth, while the step from 16 to 32
 * readers may bring a fortieth; such a climb ends half-way. Rejected: trials of
 * fewer readers. A rotating disk has one reader, and one that is not known to
 * rotate, as behind a virtual machine, has several in any case.
 *
 * If the cores become busy, or the readers no longer wait, their number is
 * halved. If other processes take the cores, this one uses little time, but its
 * readers do not sleep either.
 */
#include "files/readers/plan.h"

/* The cores are idle if less than this part of their time was used. */
#define BUSY_PERCENT 85

#define CONFIRMED 2 /* intervals of waiting before readers are added */
#define IDLE_MAX 4  /* intervals without waiting before a fall */

void weir__readers_plan_begin(struct readers_plan *plan, uint64_t least,
                              uint64_t most) {
    *plan = (struct readers_plan){
        .least = least,
        .most = most > least ? most : least,
        .readers = least,
    };
}

/* True if the readers waited for the storage while cores were idle. */
static bool have_waited(const struct readers_interval *interval) {
    uint64_t available = interval->nanoseconds * interval->cores;
    return interval->cpu < available / 100 * BUSY_PERCENT &&
           interval->waits > 0 && 2 * interval->waits >= interval->files;
}

static void grow(struct readers_plan *plan) {
    plan->reason = WEIR_READERS_WAITING;
    if (++plan->waited >= CONFIRMED) {
        plan->readers =
            2 * plan->readers < plan->most ? 2 * plan->readers : plan->most;
    }
}

/* Halves the readers if they have not waited for a while. */
static void fall(struct readers_plan *plan) {
    plan->waited = 0;
    if (plan->readers > plan->least && ++plan->idle >= IDLE_MAX) {
        plan->idle = 0;
        plan->reason = WEIR_READERS_CORES;
        plan->readers =
            plan->readers / 2 > plan->least ? plan->readers / 2 : plan->least;
    }
    if (plan->readers == plan->least) {
        plan->reason = WEIR_READERS_CORES;
    }
}

/* The system, or memory, may allow less than was planned. */
static void accept_less(struct readers_plan *plan, uint64_t readers) {
    if (readers < plan->readers && readers >= plan->least) {
        plan->most = plan->readers = readers;
    }
}

uint64_t weir__readers_plan_next(struct readers_plan *plan,
                                 const struct readers_interval *interval) {
    accept_less(plan, interval->readers);
    if (!have_waited(interval)) {
        fall(plan);
        return plan->readers;
    }
    plan->idle = 0;
    if (interval->is_full) {
        grow(plan);
    } else if (plan->readers == plan->least) {
        plan->reason = WEIR_READERS_WORK;
    }
    return plan->readers;
}
