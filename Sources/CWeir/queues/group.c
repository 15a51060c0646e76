/*
 * group.c: groups of work that belongs together, on queues or on lanes.
 *
 * DESIGN. A dispatch_group does the waiting. Weir adds a label, a count (so
 * that a leave without an enter is reported before libdispatch traps in
 * silence) and the first result that is not 0. All outstanding work holds the
 * group, so that it is never freed in use. These holds are apart from the
 * references of the users, so that a release too many is seen meanwhile.
 *
 * Cancelling removes no work from a queue: libdispatch cannot take work back,
 * and work that never ran could not free its context. Lanes can drop a job; it
 * then leaves the group with ECANCELED. A failed group drops work when its turn
 * comes: instead of the work, its drop function runs.
 *
 * What members did is before a wait or a notification by the dispatch_group
 * alone, so the count of outstanding work needs no order. The error and the
 * flags are read by others while work runs, and release what led to them.
 *
 * A thread has a stack of the work that runs on it, so that a wait for a group
 * in its own work is a sentence and no hang. The error of the work and the end
 * by a cancel are kept apart, since a job that cancels the group usually
 * returns the reason. Effects of the cancel are no errors: ECANCELED after it,
 * and what work returns that began after it.
 */
#include "queues/lanes_state.h"
#include "trace/point.h"

#include <stdio.h>

#include <weir/spi.h>

struct weir_group_s {
    struct weir__object object;
    struct weir__listed listed;
    _Atomic size_t holds; /* one of all users together, one of each member */
    _Atomic size_t outstanding;
    _Atomic uint64_t left; /* the leaves while the program is inspected */
    _Atomic size_t notifications; /* that have not run */
    _Atomic int error; /* the first one, of work, of a leave or of a fail */
    _Atomic bool cancelled;
    _Atomic bool was_cut_short; /* by a cancel, while work was outstanding */
    _Atomic bool failed;        /* work that has not begun is dropped */
    dispatch_group_t group;
};

static void describe_group(const struct weir__object *object,
                           struct weir__inspection *inspection) {
    weir_group_t group = (weir_group_t)(uintptr_t)object; /* its first member */
    size_t notifications = load_relaxed(&group->notifications);
    weir__inspection_name(inspection, "group", object->label);
    weir__inspection_print(inspection, ": %zu outstanding",
                           weir_group_outstanding(group));
    if (notifications > 0) {
        weir__inspection_print(inspection, ", notifications: %zu",
                               notifications);
    }
    weir__inspection_print(inspection, "%s\n",
                           weir_group_cancelled(group) ? ", cancelled" : "");
    weir__inspection_blocked(inspection, object);
}

struct weir_spi_wait_s {
    struct weir__blocked blocked;
    char name[48]; /* of the task */
};

weir_spi_wait_t weir_spi_group_wait_begin(weir_group_t group,
                                          const weir_caller_t *caller) {
    weir_spi_wait_t wait = calloc(1, sizeof *wait);
    if (wait) {
        snprintf(wait->name, sizeof wait->name, "%s",
                 caller->name ? caller->name : "");
        const struct weir__caller task = {
            .task = caller->task, .name = *wait->name ? wait->name : NULL};
        weir__blocked_begin(&wait->blocked, &group->object, WEIR_FOR_END,
                            &task);
    }
    return wait;
}

void weir_spi_group_wait_end(weir_spi_wait_t wait) {
    if (wait) {
        weir__blocked_end(&wait->blocked);
        free(wait);
    }
}

static uint64_t progress_of(const struct weir__object *object) {
    weir_group_t group = (weir_group_t)(uintptr_t)object; /* its first member */
    return weir_group_outstanding(group) > 0 ? 1 + load_relaxed(&group->left)
                                             : 0;
}

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
        group->listed.describe = describe_group;
        group->listed.progress = progress_of;
        weir__list(&group->listed, &group->object);
    }
    return group;
}

/* A group with any hold, if only that of a member, can be used. */
static void check_group(weir_group_t group) {
    if (WEIR_UNLIKELY(load_relaxed(&group->holds) == 0)) {
        weir__object_check(&group->object);
    }
}

static void add_hold(weir_group_t group) {
    check_group(group);
    add_relaxed(&group->holds, 1);
}

static void drop_hold(weir_group_t group) {
    if (weir__drop_hold(&group->holds)) {
        weir__unlist(&group->listed);
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
        drop_hold(group);
    }
}

size_t weir_group_outstanding(weir_group_t group) {
    return load_relaxed(&group->outstanding);
}

void weir_group_enter(weir_group_t group) {
    add_hold(group);
    size_t before = add_relaxed(&group->outstanding, 1);
    weir__trace(WEIR_TRACE_ENTER, group, 0, 0, before + 1);
    dispatch_group_enter(group->group);
}

void weir_group_leave(weir_group_t group) {
    size_t before = load_relaxed(&group->outstanding);
    do {
        if (before == 0) {
            weir__misuse("the group \"%.100s\" was left more often than it was "
                         "entered; pair each leave with one enter, and use "
                         "neither for work that was submitted to the group",
                         group->object.label);
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &group->outstanding, &before, before - 1, memory_order_relaxed,
        memory_order_relaxed));
    if (WEIR_UNLIKELY(load_relaxed(&weir__is_inspected))) {
        add_relaxed(&group->left, 1);
    }
    weir__trace(WEIR_TRACE_LEAVE, group, 0, 0, before - 1);
    dispatch_group_leave(group->group);
    drop_hold(group);
}

static bool is_set(const _Atomic bool *flag) {
    return atomic_load_explicit(flag, memory_order_acquire);
}

static void set(_Atomic bool *flag) {
    atomic_store_explicit(flag, true, memory_order_release);
}

int weir_group_error(weir_group_t group) {
    check_group(group);
    return atomic_load_explicit(&group->error, memory_order_acquire);
}

static int result_of(weir_group_t group) {
    int error = atomic_load_explicit(&group->error, memory_order_acquire);
    return error == 0 && is_set(&group->was_cut_short) ? ECANCELED : error;
}

static void keep_first(weir_group_t group, int error) {
    int none = 0;
    if (error == ECANCELED && is_set(&group->cancelled)) {
        set(&group->was_cut_short);
    } else if (error != 0) {
        atomic_compare_exchange_strong_explicit(&group->error, &none, error,
                                                memory_order_release,
                                                memory_order_relaxed);
    }
}

void weir_group_cancel(weir_group_t group) {
    check_group(group);
    weir__trace(WEIR_TRACE_CANCEL, group, 0, 0, 0);
    set(&group->cancelled);
    if (weir_group_outstanding(group) > 0) {
        set(&group->was_cut_short);
    }
}

void weir_group_fail(weir_group_t group, int error) {
    check_group(group);
    if (error != 0) {
        keep_first(group, error);
        set(&group->failed);
        weir_group_cancel(group);
    }
}

bool weir_group_cancelled(weir_group_t group) {
    return is_set(&group->cancelled);
}

/* ---- work -------------------------------------------------------------- */

/* The groups whose work runs on this thread, as far as there is room. */
static _Thread_local struct {
    weir_group_t groups[8];
    size_t count;
} running;

#define RUNNING_MAX (sizeof running.groups / sizeof *running.groups)

void weir_spi_group_work_begin(weir_group_t group) {
    if (running.count < RUNNING_MAX) {
        running.groups[running.count] = group;
    }
    running.count++;
}

void weir_spi_group_work_end(void) { running.count--; }

static bool is_own_work(weir_group_t group) {
    for (size_t i = 0; i < running.count && i < RUNNING_MAX; i++) {
        if (running.groups[i] == group) {
            return true;
        }
    }
    return false;
}

/* Work on a queue, or on lanes. */
struct member {
    weir_group_t group;
    void *context;
    void (*dropped)(void *context); /* or NULL */
    int (*work)(void *context);
    int (*lane_work)(void *context, void *lane_context);
};

/* Takes the member out of its memory. */
static struct member begin_member(void *context) {
    struct member member = *(struct member *)context;
    free(context);
    weir_spi_group_work_begin(member.group);
    return member;
}

static void end_member(weir_group_t group, int result) {
    weir_spi_group_work_end();
    keep_first(group, result);
    weir_group_leave(group);
}

static void drop_member(void *context) {
    struct member member = begin_member(context);
    if (member.dropped) {
        member.dropped(member.context);
    }
    end_member(member.group, ECANCELED);
}

static void run_lane_member(void *context, void *lane_context) {
    if (is_set(&((struct member *)context)->group->failed)) {
        drop_member(context);
        return;
    }
    struct member member = begin_member(context);
    bool is_late = weir_group_cancelled(member.group);
    int result = member.work ? member.work(member.context)
                             : member.lane_work(member.context, lane_context);
    end_member(member.group, is_late ? 0 : result);
}

static void run_queue_member(void *context) { run_lane_member(context, NULL); }

/* Enters the group. Returns a copy of the member; NULL if memory is short. */
static struct member *enter_member(struct member wanted) {
    struct member *member = malloc(sizeof *member);
    if (member) {
        *member = wanted;
        weir_group_enter(member->group);
    }
    return member;
}

int weir_group_async_f(weir_group_t group, dispatch_queue_t queue,
                       void *context, int (*work)(void *context)) {
    return weir_group_async_drop_f(group, queue, context, work, NULL);
}

int weir_group_async_drop_f(weir_group_t group, dispatch_queue_t queue,
                            void *context, int (*work)(void *context),
                            void (*dropped)(void *context)) {
    struct member *member =
        enter_member((struct member){group, context, dropped, work, NULL});
    if (!member) {
        return ENOMEM;
    }
    weir__holder_clear();
    dispatch_async_f(queue, member, run_queue_member);
    return 0;
}

static int submit_to_lanes(weir_lanes_t lanes, struct member wanted) {
    struct member *member = enter_member(wanted);
    if (!member) {
        return ENOMEM;
    }
    int error =
        weir_lanes_async_drop_f(lanes, member, run_lane_member, drop_member);
    if (error) {
        free(member);
        weir_group_leave(wanted.group);
    }
    return error;
}

int weir_group_lanes_f(weir_group_t group, weir_lanes_t lanes, void *context,
                       int (*work)(void *context, void *lane_context)) {
    return submit_to_lanes(
        lanes, (struct member){group, context, lanes->dropped, NULL, work});
}

/* ---- waiting ----------------------------------------------------------- */

int weir_group_wait(weir_group_t group, dispatch_time_t timeout) {
    check_group(group);
    if (timeout == DISPATCH_TIME_FOREVER && is_own_work(group)) {
        weir__misuse("the group \"%.100s\" was waited for by its own work, "
                     "which would wait for itself; wait on another thread, or "
                     "ask to be notified",
                     group->object.label);
    }
    int error =
        weir__lanes_wait_for_group(&group->object, group->group, timeout);
    return error ? error : result_of(group);
}

struct notification {
    weir_group_t group;
    void *context;
    void (*work)(void *context, int result);
};

static void run_notification(void *context) {
    struct notification note = *(struct notification *)context;
    free(context);
    subtract_relaxed(&note.group->notifications, 1);
    note.work(note.context, result_of(note.group));
    drop_hold(note.group);
}

int weir_group_notify_f(weir_group_t group, dispatch_queue_t queue,
                        void *context,
                        void (*work)(void *context, int result)) {
    struct notification *note = malloc(sizeof *note);
    if (!note) {
        return ENOMEM;
    }
    add_hold(group);
    add_relaxed(&group->notifications, 1);
    weir__holder_clear();
    *note = (struct notification){group, context, work};
    dispatch_group_notify_f(group->group, queue, note, run_notification);
    return 0;
}

#ifdef __BLOCKS__
static int call_member(void *context) {
    int result = ((int (^)(void))context)();
    Block_release(context);
    return result;
}

static int call_lane_member(void *context, void *lane_context) {
    int result = ((int (^)(void *))context)(lane_context);
    Block_release(context);
    return result;
}

int weir_group_async(weir_group_t group, dispatch_queue_t queue,
                     int (^work)(void)) {
    void *copy = (void *)Block_copy(work);
    int error = copy ? weir_group_async_drop_f(group, queue, copy, call_member,
                                               weir__block_drop)
                     : ENOMEM;
    return weir__block_passed(copy, error);
}

int weir_group_notify(weir_group_t group, dispatch_queue_t queue,
                      void (^work)(int result)) {
    void *copy = (void *)Block_copy(work);
    int error = copy ? weir_group_notify_f(group, queue, copy, weir__block_call)
                     : ENOMEM;
    return weir__block_passed(copy, error);
}

int weir_group_lanes(weir_group_t group, weir_lanes_t lanes,
                     int (^work)(void *lane_context)) {
    void *copy = (void *)Block_copy(work);
    int error = copy ? submit_to_lanes(
                           lanes, (struct member){group, copy, weir__block_drop,
                                                  NULL, call_lane_member})
                     : ENOMEM;
    return weir__block_passed(copy, error);
}
#endif
