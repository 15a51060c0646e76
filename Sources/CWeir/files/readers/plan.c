/*
 * plan.c: decides the number of readers from the measurements of a run.
 *
 * DESIGN. A reader that waits for its storage costs a thread and a buffer, but
 * no core. So while cores are idle and the readers sleep at least once in two
 * files, more readers mean more requests for the storage to work on at once:
 * the number is doubled at each interval after the first one, and a few
 * intervals lead from eight readers to 64. Rejected: to measure at each step if
 * it has helped. The rate of an interval varies by a fifth, while the step from
 * 16 to 32 readers may bring a fortieth and the next a seventh; such a climb
 * ends half-way.
 *
 * At the top the plan asks the opposite question: are half as many as fast? It
 * compares the rate of a window with fewer readers with the mean rate of the
 * windows before and after it, so that a steady change of the files (larger
 * ones, say) favours neither. If fewer readers are as fast, they stay, and the
 * next half is tried; storage that many readers make slower ends at the least
 * number. After a trial that fails there is a rest, which becomes longer each
 * time, since a trial costs time if it fails. A settled plan tries more readers
 * in the same way; these must be clearly faster.
 *
 * Work is counted in bytes, with an amount for each file, so that small files
 * count as the requests that they are, and large ones as their bytes.
 *
 * If the cores become busy, or the readers no longer wait, extra readers are of
 * no use, and their number is halved. The other processes of the machine are
 * not visible here. If they take the cores, the process itself uses little
 * time, but its readers do not sleep either: both have to be the case.
 */
#include "files/readers/plan.h"

/* The cores are idle if less than this part of their time was used. */
#define BUSY_PERCENT 85

/* The work of a file besides its bytes. */
#define FILE_BYTES ((uint64_t)65536)

#define CONFIRMED 2   /* intervals of waiting before readers are added */
#define WINDOW 6      /* intervals that a rate is measured for */
#define SETTLING 1    /* intervals after a change that are not measured */
#define IDLE_MAX 4    /* intervals without waiting before a fall */
#define REST_FIRST 40 /* intervals */
#define REST_MAX 1280 /* some 20 s */
#define AS_FAST 97    /* percent: fewer readers that are as fast stay */
#define FASTER 105    /* percent: more readers have to be this much faster */

void weir__readers_plan_begin(struct readers_plan *plan, uint64_t least,
                              uint64_t most) {
    *plan = (struct readers_plan){
        .least = least,
        .most = most > least ? most : least,
        .readers = least,
        .settled = least,
        .rest = REST_FIRST,
    };
}

/* True if the readers waited for the storage while cores were idle. */
static bool have_waited(const struct readers_interval *interval) {
    uint64_t available = interval->nanoseconds * interval->cores;
    return interval->cpu < available / 100 * BUSY_PERCENT &&
           interval->waits > 0 && 2 * interval->waits >= interval->files;
}

static void set_readers(struct readers_plan *plan, uint64_t readers) {
    plan->changes += readers != plan->readers;
    plan->readers = readers;
}

static void enter(struct readers_plan *plan, enum readers_phase phase) {
    plan->phase = phase;
    plan->window = plan->work = plan->time = 0;
}

static uint64_t twice(const struct readers_plan *plan, uint64_t readers) {
    return 2 * readers < plan->most ? 2 * readers : plan->most;
}

static uint64_t half(const struct readers_plan *plan, uint64_t readers) {
    return readers / 2 > plan->least ? readers / 2 : plan->least;
}

/* ---- windows ----------------------------------------------------------- */

/* Adds an interval. True if the window is over; then `rate` is its work in a
   millisecond. */
static bool end_window(struct readers_plan *plan,
                       const struct readers_interval *interval,
                       uint64_t *rate) {
    if (++plan->window > SETTLING) {
        plan->work += interval->bytes + interval->files * FILE_BYTES;
        plan->time += interval->nanoseconds;
    }
    uint64_t milliseconds = plan->time / 1000000;
    *rate = plan->work / (milliseconds ? milliseconds : 1);
    return plan->window >= SETTLING + WINDOW;
}

/* ---- trials ------------------------------------------------------------ */

/* Sets the number to try; false if there is none in this direction. */
static bool begin_trial(struct readers_plan *plan) {
    uint64_t other = plan->is_upwards ? twice(plan, plan->settled)
                                      : half(plan, plan->settled);
    if (other == plan->settled) {
        return false;
    }
    set_readers(plan, other);
    enter(plan, READERS_TRYING);
    return true;
}

static void rest(struct readers_plan *plan) { enter(plan, READERS_RESTING); }

/* Decides about a trial: compares its rate with the mean of the other two. */
static void end_trial(struct readers_plan *plan, uint64_t after) {
    uint64_t mean = (plan->before + after) / 2;
    uint64_t percent = plan->is_upwards ? FASTER : AS_FAST;
    uint64_t other = plan->is_upwards ? twice(plan, plan->settled)
                                      : half(plan, plan->settled);
    if (plan->tried >= mean / 100 * percent) {
        plan->settled = other;
        plan->rest = REST_FIRST;
        set_readers(plan, other);
        plan->reason =
            plan->is_upwards ? WEIR_READERS_WAITING : WEIR_READERS_NO_GAIN;
        enter(plan, READERS_BEFORE);
    } else {
        plan->reason = plan->is_upwards ? WEIR_READERS_NO_GAIN : plan->reason;
        rest(plan);
    }
}

/* The direction of the next trial: the other one, if there is room. */
static void turn(struct readers_plan *plan) {
    plan->is_upwards = !plan->is_upwards;
    if (plan->settled == plan->most) {
        plan->is_upwards = 0;
    } else if (plan->settled == plan->least) {
        plan->is_upwards = 1;
    }
}

static void go_on_resting(struct readers_plan *plan) {
    if (++plan->window >= plan->rest) {
        plan->rest = 2 * plan->rest < REST_MAX ? 2 * plan->rest : REST_MAX;
        turn(plan);
        enter(plan, READERS_BEFORE);
    }
}

static void try_numbers(struct readers_plan *plan,
                        const struct readers_interval *interval) {
    uint64_t rate;
    if (plan->phase == READERS_RESTING) {
        go_on_resting(plan);
    } else if (end_window(plan, interval, &rate)) {
        if (plan->phase == READERS_BEFORE) {
            plan->before = rate;
            if (!begin_trial(plan)) {
                rest(plan);
            }
        } else if (plan->phase == READERS_TRYING) {
            plan->tried = rate;
            set_readers(plan, plan->settled);
            enter(plan, READERS_AFTER);
        } else {
            end_trial(plan, rate);
        }
    }
}

/* ---- growing and falling ----------------------------------------------- */

static void grow(struct readers_plan *plan) {
    plan->reason = WEIR_READERS_WAITING;
    if (++plan->waited < CONFIRMED) {
        return;
    }
    if (plan->readers < plan->most) {
        set_readers(plan, twice(plan, plan->readers));
    } else if (plan->most > plan->least) {
        plan->settled = plan->readers;
        plan->is_upwards = 0;
        enter(plan, READERS_BEFORE);
    }
}

/* Halves the readers if they have not waited for a while. */
static void fall(struct readers_plan *plan) {
    plan->waited = 0;
    if (plan->readers > plan->least && ++plan->idle >= IDLE_MAX) {
        plan->idle = 0;
        plan->reason = WEIR_READERS_CORES;
        set_readers(plan, half(plan, plan->readers));
        enter(plan, READERS_GROWING);
    }
    if (plan->readers == plan->least && plan->phase == READERS_GROWING) {
        plan->reason = WEIR_READERS_CORES;
    }
}

/* The system, or memory, may allow less than was planned. */
static void accept_less(struct readers_plan *plan, uint64_t readers) {
    if (readers < plan->readers && readers >= plan->least) {
        plan->most = plan->readers = readers;
        plan->settled = plan->settled < readers ? plan->settled : readers;
    }
}

uint64_t weir__readers_plan_next(struct readers_plan *plan,
                                 const struct readers_interval *interval) {
    accept_less(plan, interval->readers);
    if (!have_waited(interval)) {
        fall(plan);
    } else if (!interval->is_full) {
        plan->idle = 0;
        if (plan->readers == plan->least) {
            plan->reason = WEIR_READERS_WORK;
        }
    } else {
        plan->idle = 0;
        if (plan->phase == READERS_GROWING) {
            grow(plan);
        } else {
            try_numbers(plan, interval);
        }
    }
    return plan->readers;
}
