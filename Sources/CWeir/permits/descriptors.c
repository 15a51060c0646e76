/*
 * descriptors.c: the budget of file descriptors, and the gate that hands them
 * out.
 *
 * DESIGN. The gate has half of getdtablesize(), less the descriptors that are
 * open when it is first asked for. The other half is room for code that opens
 * descriptors without a permit: the two handles of the walk, the C library,
 * libdispatch (three, once a block runs on a global queue or a timer is set).
 *
 * If an open fails all the same, the permits in use did not all fit: the budget
 * becomes one less than their number. A caller whose open failed keeps its
 * permits while it pauses, so a burst of failures shrinks the budget once. The
 * budget grows back by a quarter of the loss at a time, at most every 100 ms,
 * as opens succeed or the gate is asked for. Halving and adding one, as for a
 * congested network, was rejected: here the number that fits is known.
 *
 * A full table may stay full. So a caller waits 10 s for a descriptor; once one
 * has waited in vain, the next ones wait 100 ms each until an open succeeds.
 * Raising the soft limit is the program's choice: select() stops at 1,024.
 */
#include "permits/descriptors_internal.h"
#include "permits/gate_state.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "system/open_descriptors.h"

/* Under a limit of "unlimited" more permits would mean nothing. */
#define BUDGET_MAX ((size_t)1048576)

#define TRIES ((size_t)2000)
#define TRIES_LATER ((size_t)20)
#define PAUSE_NANOSECONDS 5000000 /* times the tries: 10 s, and 100 ms */
#define GROWTH_NANOSECONDS ((uint64_t)100000000)

size_t weir_descriptor_limit(void) {
    int limit = getdtablesize();
    return limit > 0 ? (size_t)limit : 1;
}

/* Returns half of the limit, less the open descriptors that have no permit. */
static size_t default_budget(size_t in_use) {
    size_t half = weir_descriptor_limit() / 2, open = weir__open_descriptors();
    size_t others = open > in_use ? open - in_use : 0;
    size_t budget = half > others ? half - others : 1;
    return budget < BUDGET_MAX ? budget : BUDGET_MAX;
}

/* ---- the gate ---------------------------------------------------------- */

static weir_gate_t gate;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static size_t budget;       /* while descriptors are not short */
static bool budget_was_set; /* by weir_descriptor_set_budget */
static uint64_t changed_at; /* the last time it shrank or grew */
static bool limit_was_raised;
static rlim_t limit_before;
static _Atomic size_t lost; /* the current reduction; written under the lock */

static void make_gate(void) {
    budget = default_budget(0);
    gate = weir_gate_create("descriptors", budget);
    if (!gate) {
        fputs("weir: no memory for the descriptor gate\n", stderr);
        abort();
    }
}

static void ensure_gate(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_gate);
}

static weir_gate_stats_t gate_stats(void) {
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    return stats;
}

/* Requests that the resize grants or refuses are delivered after unlocking. */
static void change_locked(size_t permits, struct weir__decided *decided) {
    changed_at = weir__nanoseconds();
    store_relaxed(&lost, budget - permits);
    weir__gate_resize(gate, permits, decided);
}

int weir_descriptor_set_budget(size_t wanted) {
    if (wanted < 1 || wanted > BUDGET_MAX) {
        return EINVAL;
    }
    ensure_gate();
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&lock);
    budget = wanted;
    budget_was_set = true;
    change_locked(wanted, &decided);
    pthread_mutex_unlock(&lock);
    weir__deliver(&decided);
    return 0;
}

/* ---- shrinking and growing back ---------------------------------------- */

/* With no permit in use, the budget is not the cause of the failure. */
static void shrink(void) {
    ensure_gate();
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&lock);
    weir_gate_stats_t stats = gate_stats();
    size_t fits = stats.in_use > 1 ? stats.in_use - 1 : 1;
    if (stats.in_use > 0 && fits < stats.permits && fits < budget) {
        change_locked(fits, &decided);
    }
    pthread_mutex_unlock(&lock);
    weir__deliver(&decided);
}

static void grow_back(void) {
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&lock);
    size_t missing = load_relaxed(&lost);
    if (missing > 0 && weir__nanoseconds() - changed_at >= GROWTH_NANOSECONDS) {
        change_locked(budget - missing + (missing + 3) / 4, &decided);
    }
    pthread_mutex_unlock(&lock);
    weir__deliver(&decided);
}

static void grow_back_if_lost(void) {
    if (WEIR_UNLIKELY(load_relaxed(&lost) > 0)) {
        grow_back();
    }
}

bool weir_descriptor_retry(int error, size_t attempt) {
    static atomic_bool was_in_vain;
    int saved = errno;
    bool again = error == EINTR;
    if (error == 0) {
        if (WEIR_UNLIKELY(atomic_load(&was_in_vain))) {
            atomic_store(&was_in_vain, false);
        }
        grow_back_if_lost();
    } else if (error == EMFILE || error == ENFILE) {
        const struct timespec pause = {0, PAUSE_NANOSECONDS};
        again = attempt <= (atomic_load(&was_in_vain) ? TRIES_LATER : TRIES);
        if (again) {
            shrink();
            nanosleep(&pause, NULL);
        } else {
            atomic_store(&was_in_vain, true);
        }
    }
    errno = saved;
    return again;
}

/* A caller may need more permits than there are now and could never succeed
   with fewer. So asking lets the budget grow back, too. */
weir_gate_t weir_descriptor_gate(void) {
    ensure_gate();
    grow_back_if_lost();
    return gate;
}

size_t weir_descriptor_budget(void) {
    ensure_gate();
    grow_back_if_lost();
    return gate_stats().permits;
}

/* ---- the limit --------------------------------------------------------- */

/* More descriptors than the budget could spend are of no use. */
static rlim_t useful_limit(rlim_t hard) {
    const rlim_t most = 2 * BUDGET_MAX + 4096;
    return hard < most ? hard : most;
}

static int raise_locked(struct weir__decided *decided) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return errno;
    }
    rlim_t wanted = useful_limit(limit.rlim_max);
    if (limit.rlim_cur >= wanted) {
        return 0;
    }
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return errno;
    }
    if (!limit_was_raised) {
        limit_was_raised = true;
        limit_before = before;
    }
    if (!budget_was_set) {
        budget = default_budget(gate_stats().in_use);
        change_locked(budget, decided);
    }
    return 0;
}

int weir_descriptor_raise_limit(void) {
    ensure_gate();
    WEIR_DECIDED(decided);
    pthread_mutex_lock(&lock);
    int error = raise_locked(&decided);
    pthread_mutex_unlock(&lock);
    weir__deliver(&decided);
    return error;
}

bool weir__descriptor_child_limit(struct rlimit *limit) {
    ensure_gate();
    pthread_mutex_lock(&lock);
    bool changed = limit_was_raised && getrlimit(RLIMIT_NOFILE, limit) == 0;
    if (changed && limit_before < limit->rlim_cur) {
        limit->rlim_cur = limit_before;
    }
    pthread_mutex_unlock(&lock);
    return changed;
}
