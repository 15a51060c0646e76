/*
 * spread.c: moves the workers of a loop to processors of their own.
 *
 * DESIGN. A loop of a million iterations of a nanosecond takes half a
 * millisecond, and on two cores a quarter if the second worker comes at once.
 * Often it does not: Linux (measured on 6.18, two cores) queues the woken
 * thread on the processor of the caller, although the other processor idles.
 * There it waits for the next balancing, up to 3 ms, or it has preempted the
 * caller. Half of the short loops ran on one core. OpenMP's threads spin
 * instead, which costs the rest of the machine a core after every loop.
 *
 * So the caller yields after 5, 20, 80 us and so on, as long as some workers
 * have not come; that is a call of 0.3 us if no thread waits for the processor.
 * A worker that finds itself on the caller's processor removes that processor
 * from its affinity and puts it back, which makes the kernel move it at once.
 * The median of such a loop went from 0.272 to 0.140 ms.
 *
 * On a machine that is also busy with other work, a yield gives that work the
 * processor for a time slice. So after an attempt that took longer than a move
 * needs, the next loop makes none, then the next 3, 7, and so on up to 255.
 * Rejected: to pin workers for the length of the loop; to let the caller wait
 * for workers.
 */
#include "loops/spread.h"

#include <sched.h>

#include "system/cores.h"

enum { QUICK_NANOSECONDS = 100000, PENALTY_MAX = 255 };

/* For all loops of the process: the number of loops that still skip the
   attempt, and that number after the next slow attempt. */
static _Atomic unsigned without, penalty;

/* Returns true if an attempt that began at this time was quick. */
static bool was_quick(uint64_t begin) {
    unsigned now = load_relaxed(&penalty);
    if (weir__nanoseconds() - begin < QUICK_NANOSECONDS) {
        store_relaxed(&penalty, now / 2);
        return true;
    }
    store_relaxed(&penalty, now * 2 < PENALTY_MAX ? now * 2 + 1 : PENALTY_MAX);
    store_relaxed(&without, load_relaxed(&penalty));
    return false;
}

/* Returns true if this loop skips the attempt. */
static bool does_without(void) {
    unsigned left = load_relaxed(&without);
    if (left > 0) {
        store_relaxed(&without, left - 1);
    }
    return left > 0;
}

void weir__spread_begin(struct weir__spread *spread, size_t workers) {
    spread->caller = pthread_self();
    spread->has_tried = false;
    spread->processor =
        workers > 1 && !does_without() ? weir__current_processor() : -1;
    atomic_init(&spread->missing, workers);
}

static bool is_caller(const struct weir__spread *spread) {
    return pthread_equal(spread->caller, pthread_self());
}

void weir__spread_arrive(struct weir__spread *spread) {
    subtract_relaxed(&spread->missing, 1);
    int processor = spread->processor;
    if (processor >= 0 && !is_caller(spread) &&
        weir__current_processor() == processor) {
        uint64_t begin = weir__nanoseconds();
        if (weir__leave_processor(processor)) {
            was_quick(begin);
        }
    }
}

void weir__spread_make_way(struct weir__spread *spread) {
    if (spread->processor >= 0 && is_caller(spread) && !spread->has_tried &&
        load_relaxed(&spread->missing) > 0) {
        uint64_t begin = weir__nanoseconds();
        sched_yield();
        spread->has_tried = !was_quick(begin);
    }
}
