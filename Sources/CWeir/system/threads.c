/*
 * threads.c: whether one more thread can be had.
 *
 * DESIGN. Where no thread can be created (by a limit on processes, a container's
 * or `ulimit -u`, or for want of address space), libdispatch sleeps for a second
 * and tries again, for ever, in whoever submitted the work: without a word, and
 * also where one thread would do. Nothing asks it whether it will. So before
 * work is put on more threads at once than ever before, one is created for the
 * trial: some 30 us, once for each number. That as many can be had later, as
 * were had once, is not certain, and nearly always so.
 *
 * Rejected: to look at the limits, of which there are too many to know all; and
 * to try each time, which costs as much as the work of a short lane.
 */
#include "system/threads.h"

#include <pthread.h>

static _Atomic size_t taken;  /* now */
static _Atomic size_t proven; /* as many could be had */

static void *nothing(void *unused) { return unused; }

static bool can_create(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0) {
        return false;
    }
    pthread_join(thread, NULL);
    return true;
}

bool weir__threads_take(void) {
    size_t count =
        atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed) + 1;
    size_t before = atomic_load_explicit(&proven, memory_order_relaxed);
    if (count <= before) {
        return true;
    }
    if (!can_create()) {
        return false;
    }
    while (before < count && !atomic_compare_exchange_weak_explicit(
                                 &proven, &before, count, memory_order_relaxed,
                                 memory_order_relaxed)) {
    }
    return true;
}

void weir__threads_give(void) {
    atomic_fetch_sub_explicit(&taken, 1, memory_order_relaxed);
}
