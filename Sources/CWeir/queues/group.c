/*
 * group.c: work that belongs together.
 *
 * DESIGN. A dispatch_group does the waiting; around it stand a label, a count
 * (so that a leave without an enter can be told before libdispatch traps
 * without a word) and the first result that is not 0. Everything outstanding
 * holds the group, so that it is never freed in use, which is the other silent
 * trap; and it does so apart from its users' references, so that a release too
 * many is seen meanwhile.
 *
 * Cancelling takes nothing away: libdispatch cannot take work back, and work
 * that never ran could not free its context.
 */
#include "permits/holder.h"
#include "queues/group_internal.h"
#include "trace/point.h"

struct weir_group_s {
    struct weir__object object;
    _Atomic size_t holds; /* one of the users together, one of each member */
    _Atomic size_t outstanding;
    _Atomic int result;
    _Atomic bool cancelled;
    dispatch_group_t group;
};

weir_group_t weir_group_create(const char *label) {
    weir_group_t group = weir__object_create(sizeof *group, "the group", label);
    if (group) {
        group->holds = 1;
        group->group = dispatch_group_create();
        if (!group->group) {
            free(group->object.label);
            free(group);
            errno = ENOMEM;
            return NULL;
        }
    }
    return group;
}

/* A group that is still held, if only by a member, can be used. */
static void check(weir_group_t group) {
    if (WEIR_UNLIKELY(
            atomic_load_explicit(&group->holds, memory_order_relaxed) == 0)) {
        weir__object_check(&group->object);
    }
}

static void hold(weir_group_t group) {
    check(group);
    atomic_fetch_add_explicit(&group->holds, 1, memory_order_relaxed);
}

static void let_go(weir_group_t group) {
    if (atomic_fetch_sub_explicit(&group->holds, 1, memory_order_acq_rel) ==
        1) {
        dispatch_release(group->group);
        weir__object_bury(&group->object);
    }
}

weir_group_t weir_group_retain(weir_group_t group) {
    weir__object_retain(&group->object);
    return group;
}

void weir_group_release(weir_group_t group) {
    if (weir__object_release(&group->object)) {
        let_go(group);
    }
}

size_t weir_group_outstanding(weir_group_t group) {
    return atomic_load_explicit(&group->outstanding, memory_order_relaxed);
}

/* Counts in and out; the dispatch_group's own count is kept by the caller. */

static void count_in(weir_group_t group) {
    hold(group);
    size_t before =
        atomic_fetch_add_explicit(&group->outstanding, 1, memory_order_relaxed);
    weir__trace(WEIR_TRACE_ENTER, group, group->object.label, 0, 0, before + 1);
}

static void count_out(weir_group_t group) {
    size_t before =
        atomic_load_explicit(&group->outstanding, memory_order_relaxed);
    do {
        if (before == 0) {
            weir__misuse("the group \"%.100s\" was left more often than it was "
                         "entered; pair each weir_group_leave with one "
                         "weir_group_enter, and use neither for work that "
                         "weir_group_async submits",
                         group->object.label);
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &group->outstanding, &before, before - 1, memory_order_relaxed,
        memory_order_relaxed));
    weir__trace(WEIR_TRACE_LEAVE, group, group->object.label, 0, 0, before - 1);
}

void weir_group_enter(weir_group_t group) {
    count_in(group);
    dispatch_group_enter(group->group);
}

void weir_group_leave(weir_group_t group) {
    count_out(group);
    dispatch_group_leave(group->group);
    let_go(group);
}

static int first_result(weir_group_t group) {
    return atomic_load_explicit(&group->result, memory_order_acquire);
}

static void keep_first(weir_group_t group, int result) {
    int none = 0;
    if (result != 0) {
        atomic_compare_exchange_strong_explicit(&group->result, &none, result,
                                                memory_order_release,
                                                memory_order_relaxed);
    }
}

void weir_group_cancel(weir_group_t group) {
    check(group);
    weir__trace(WEIR_TRACE_CANCEL, group, group->object.label, 0, 0, 0);
    atomic_store_explicit(&group->cancelled, true, memory_order_release);
    if (weir_group_outstanding(group) > 0) {
        keep_first(group, ECANCELED);
    }
}

bool weir_group_cancelled(weir_group_t group) {
    return atomic_load_explicit(&group->cancelled, memory_order_acquire);
}

struct member {
    weir_group_t group;
    void *context;
    int (*work)(void *context);
};

/* libdispatch leaves its group when this returns. */
static void run_member(void *context) {
    struct member member = *(struct member *)context;
    free(context);
    keep_first(member.group, member.work(member.context));
    count_out(member.group);
    let_go(member.group);
}

int weir_group_async_f(weir_group_t group, dispatch_queue_t queue,
                       void *context, int (*work)(void *context)) {
    struct member *member = malloc(sizeof *member);
    if (!member) {
        return ENOMEM;
    }
    *member = (struct member){group, context, work};
    count_in(group);
    weir__holder_forget();
    dispatch_group_async_f(group->group, queue, member, run_member);
    return 0;
}

void weir__group_finish(weir_group_t group, int result) {
    keep_first(group, result);
    weir_group_leave(group);
}

int weir_group_wait(weir_group_t group, dispatch_time_t timeout) {
    check(group);
    if (dispatch_group_wait(group->group, timeout) != 0) {
        return ETIMEDOUT;
    }
    return first_result(group);
}

struct notification {
    weir_group_t group;
    void *context;
    void (*work)(void *context, int result);
};

static void run_notification(void *context) {
    struct notification note = *(struct notification *)context;
    free(context);
    note.work(note.context, first_result(note.group));
    let_go(note.group);
}

int weir_group_notify_f(weir_group_t group, dispatch_queue_t queue,
                        void *context,
                        void (*work)(void *context, int result)) {
    struct notification *note = malloc(sizeof *note);
    if (!note) {
        return ENOMEM;
    }
    hold(group);
    weir__holder_forget();
    *note = (struct notification){group, context, work};
    dispatch_group_notify_f(group->group, queue, note, run_notification);
    return 0;
}

#ifdef __BLOCKS__
typedef int (^work_block_t)(void);
typedef void (^notify_block_t)(int result);

static int call_work(void *context) {
    work_block_t block = (work_block_t)context;
    int result = block();
    Block_release(block);
    return result;
}

static void call_notify(void *context, int result) {
    notify_block_t block = (notify_block_t)context;
    block(result);
    Block_release(block);
}

int weir_group_async(weir_group_t group, dispatch_queue_t queue,
                     int (^work)(void)) {
    work_block_t copy = Block_copy(work);
    if (!copy) {
        return ENOMEM;
    }
    int error = weir_group_async_f(group, queue, (void *)copy, call_work);
    if (error) {
        Block_release(copy);
    }
    return error;
}

int weir_group_notify(weir_group_t group, dispatch_queue_t queue,
                      void (^work)(int result)) {
    notify_block_t copy = Block_copy(work);
    if (!copy) {
        return ENOMEM;
    }
    int error = weir_group_notify_f(group, queue, (void *)copy, call_notify);
    if (error) {
        Block_release(copy);
    }
    return error;
}
#endif
