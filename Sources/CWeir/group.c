/*
 * group.c: work that belongs together.
 *
 * DESIGN. A dispatch_group does the waiting; around it stand a label, a count
 * (so that a leave without an enter can be told before libdispatch traps
 * without a word) and the first result that is not 0. Everything outstanding
 * holds a reference, so that a group is never freed in use, which is the other
 * silent trap.
 */
#include "group.h"

struct weir_group_s {
    _Atomic size_t references;
    _Atomic size_t outstanding;
    _Atomic int result;
    dispatch_group_t group;
    char *label;
};

weir_group_t weir_group_create(const char *label) {
    weir_group_t group = calloc(1, sizeof *group);
    if (group) {
        group->label = weir__label(label);
        group->group = dispatch_group_create();
        group->references = 1;
        if (group->label && group->group) {
            return group;
        }
        if (group->group) {
            dispatch_release(group->group);
        }
        free(group->label);
        free(group);
    }
    errno = ENOMEM;
    return NULL;
}

weir_group_t weir_group_retain(weir_group_t group) {
    weir__retain(&group->references, "the group", group->label);
    return group;
}

void weir_group_release(weir_group_t group) {
    if (weir__release(&group->references, "the group", group->label)) {
        dispatch_release(group->group);
        free(group->label);
        free(group);
    }
}

size_t weir_group_outstanding(weir_group_t group) {
    return atomic_load_explicit(&group->outstanding, memory_order_relaxed);
}

/* Counts in and out; the dispatch_group's own count is kept by the caller. */

static void count_in(weir_group_t group) {
    weir_group_retain(group);
    atomic_fetch_add_explicit(&group->outstanding, 1, memory_order_relaxed);
}

static void count_out(weir_group_t group) {
    size_t before =
        atomic_load_explicit(&group->outstanding, memory_order_relaxed);
    do {
        if (before == 0) {
            weir__misuse("the group \"%s\" was left more often than it was "
                         "entered; pair each weir_group_leave with one "
                         "weir_group_enter, and use neither for work that "
                         "weir_group_async submits",
                         group->label);
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &group->outstanding, &before, before - 1, memory_order_relaxed,
        memory_order_relaxed));
}

void weir_group_enter(weir_group_t group) {
    count_in(group);
    dispatch_group_enter(group->group);
}

void weir_group_leave(weir_group_t group) {
    count_out(group);
    dispatch_group_leave(group->group);
    weir_group_release(group);
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
    weir_group_release(member.group);
}

int weir_group_async_f(weir_group_t group, dispatch_queue_t queue,
                       void *context, int (*work)(void *context)) {
    struct member *member = malloc(sizeof *member);
    if (!member) {
        return ENOMEM;
    }
    *member = (struct member){group, context, work};
    count_in(group);
    dispatch_group_async_f(group->group, queue, member, run_member);
    return 0;
}

void weir__group_finish(weir_group_t group, int result) {
    keep_first(group, result);
    weir_group_leave(group);
}

int weir_group_wait(weir_group_t group, dispatch_time_t timeout) {
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
    weir_group_release(note.group);
}

int weir_group_notify_f(weir_group_t group, dispatch_queue_t queue,
                        void *context,
                        void (*work)(void *context, int result)) {
    struct notification *note = malloc(sizeof *note);
    if (!note) {
        return ENOMEM;
    }
    *note = (struct notification){weir_group_retain(group), context, work};
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
