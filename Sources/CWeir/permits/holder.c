/*
 * holder.c: the record of the permits that the job on this thread holds.
 *
 * DESIGN. A job that waits for more permits than its gate has left, while it
 * holds all the others itself, waits forever. Permits of scopes are certain
 * (scopes.c). Permits that a job took itself are a guess, since any thread may
 * return them: the record drops them when the job submits work that may have
 * carried them off, and the gate compares the record with its count. But Weir
 * does not see permits that are passed on by other means, such as a block on a
 * plain queue. So a wait that only a guess condemns is a warning.
 *
 * The record is a stack because jobs nest: lanes that run on their caller run a
 * job within a job. Outside of jobs nothing is recorded.
 */
#include "permits/holder.h"
#include "base/internal.h"

_Thread_local struct weir__holder *weir__top_holder;
_Atomic bool weir__had_holders;

void weir__holder_push(struct weir__holder *holder, const void *lanes,
                       _Atomic size_t *at_gates) {
    memset(holder, 0, sizeof *holder);
    holder->below = weir__top_holder;
    holder->lanes = lanes;
    holder->at_gates = at_gates;
    weir__top_holder = holder;
    if (!load_relaxed(&weir__had_holders)) {
        store_relaxed(&weir__had_holders, true);
    }
}

void weir__holder_pop(struct weir__holder *holder) {
    /* An adopted holder may stand on one of another thread. */
    weir__top_holder = holder->is_adopted ? NULL : holder->below;
}

bool weir__holder_adopt(struct weir__holder *holder,
                        struct weir__holder *jobs) {
    if (!jobs || weir__top_holder) {
        return false;
    }
    weir__holder_push(holder, NULL, NULL);
    holder->below = jobs;
    holder->is_adopted = true;
    return true;
}

bool weir__holder_is_of(const void *lanes) {
    for (struct weir__holder *top = weir__top_holder; top; top = top->below) {
        if (top->lanes == lanes) {
            return true;
        }
    }
    return false;
}

/* Returns the next holder whose permits this thread may access. */
static struct weir__holder *next_own(const struct weir__holder *holder) {
    return holder->is_adopted ? NULL : holder->below;
}

void weir__holder_add(const void *gate, size_t count) {
    struct weir__holder *top = weir__top_holder;
    for (size_t i = 0; top && i < WEIR_HELD_MAX; i++) {
        struct weir__held *held = &top->held[i];
        size_t before = load_relaxed(&held->count);
        if (before == 0 || load_relaxed(&held->gate) == gate) {
            store_relaxed(&held->gate, gate);
            store_relaxed(&held->count, before + count);
            return;
        }
    }
}

void weir__holder_remove(const void *gate, size_t count) {
    struct weir__holder *top = weir__top_holder;
    for (; top && count > 0; top = next_own(top)) {
        for (size_t i = 0; i < WEIR_HELD_MAX; i++) {
            struct weir__held *held = &top->held[i];
            if (load_relaxed(&held->gate) == gate) {
                size_t before = load_relaxed(&held->count);
                size_t less = count < before ? count : before;
                store_relaxed(&held->count, before - less);
                count -= less;
            }
        }
    }
}

size_t weir__holder_holds(const void *gate) {
    size_t count = 0;
    for (struct weir__holder *top = weir__top_holder; top;
         top = next_own(top)) {
        for (size_t i = 0; i < WEIR_HELD_MAX; i++) {
            const struct weir__held *held = &top->held[i];
            count += load_relaxed(&held->gate) == gate
                         ? load_relaxed(&held->count)
                         : 0;
        }
    }
    return count;
}

void weir__holder_clear(void) {
    for (struct weir__holder *top = weir__top_holder; top;
         top = next_own(top)) {
        for (size_t i = 0; i < WEIR_HELD_MAX; i++) {
            store_relaxed(&top->held[i].count, 0);
        }
    }
}
