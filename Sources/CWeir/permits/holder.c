/*
 * holder.c: which permits the job on this thread holds, as far as is certain.
 *
 * DESIGN. A job that waits for more permits than its gate has left, while it
 * holds all the others itself, waits for ever, and silently. To say so one has
 * to know who holds a permit, and permits may be given back by anybody. So only
 * what is certain enough is kept: permits that a job of lanes or of
 * weir_gate_async took itself, on its thread, since it last submitted anything
 * that may have carried them off. And the gate compares: where fewer are out
 * than the job is said to hold, somebody else has given them back. What is
 * carried off by other means (a block on a plain queue) is not seen: so the gate
 * lets two seconds pass in which nothing comes back before it says anything.
 *
 * A stack, since jobs nest: lanes that run on their caller run a job within a
 * job. Outside of jobs nothing is kept, and it costs one load and one branch.
 */
#include "permits/holder.h"
#include "base/internal.h"

_Thread_local struct weir__holder *weir__top_holder;

void weir__holder_push(struct weir__holder *holder, const void *lanes,
                       _Atomic size_t *at_gates) {
    memset(holder, 0, sizeof *holder);
    holder->below = weir__top_holder;
    holder->lanes = lanes;
    holder->at_gates = at_gates;
    weir__top_holder = holder;
}

void weir__holder_pop(struct weir__holder *holder) {
    /* An adopted one may stand on somebody else's, never on this thread's. */
    weir__top_holder = holder->is_of_other ? NULL : holder->below;
}

bool weir__holder_adopt(struct weir__holder *holder,
                        struct weir__holder *jobs) {
    if (!jobs || weir__top_holder) {
        return false;
    }
    weir__holder_push(holder, NULL, NULL);
    holder->below = jobs;
    holder->is_of_other = true;
    return true;
}

bool weir__holder_is_of(const void *lanes) {
    struct weir__holder *top = weir__top_holder;
    for (; top; top = top->below) {
        if (top->lanes == lanes) {
            return true;
        }
    }
    return false;
}

/* The next one whose permits are this thread's to look at. */
static struct weir__holder *next_own(const struct weir__holder *holder) {
    return holder->is_of_other ? NULL : holder->below;
}

void weir__holder_took(const void *gate, size_t count) {
    struct weir__holder *top = weir__top_holder;
    for (size_t i = 0; top && i < WEIR_HELD_MAX; i++) {
        if (top->held[i].count == 0 || top->held[i].gate == gate) {
            top->held[i].gate = gate;
            top->held[i].count += count;
            return;
        }
    }
}

void weir__holder_gave(const void *gate, size_t count) {
    struct weir__holder *top = weir__top_holder;
    for (; top && count > 0; top = next_own(top)) {
        for (size_t i = 0; i < WEIR_HELD_MAX; i++) {
            if (top->held[i].gate == gate) {
                size_t less =
                    count < top->held[i].count ? count : top->held[i].count;
                top->held[i].count -= less;
                count -= less;
            }
        }
    }
}

size_t weir__holder_holds(const void *gate) {
    size_t count = 0;
    struct weir__holder *top = weir__top_holder;
    for (; top; top = next_own(top)) {
        for (size_t i = 0; i < WEIR_HELD_MAX; i++) {
            count += top->held[i].gate == gate ? top->held[i].count : 0;
        }
    }
    return count;
}

void weir__holder_forget(void) {
    struct weir__holder *top = weir__top_holder;
    for (; top; top = next_own(top)) {
        memset(top->held, 0, sizeof top->held);
    }
}
