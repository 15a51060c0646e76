/*
 * groups.c: groups of work, and queues that own a context.
 *
 * Promises of weir/group.h and weir/queue.h: a wait returns when nothing is
 * outstanding, with the first error; a fail drops work that has not begun, once,
 * and keeps the first error; a cancel is no error; notifications run once, with
 * the result; outstanding work keeps the group alive; a finalizer is called once.
 */
#include "scenarios.h"

static weir_group_t group;
static weir_lanes_t lanes;
static size_t submitted, ran, dropped, asked, notified;
static int notified_with;
static bool has_failed;

static dispatch_queue_t queue(void) { return dispatch_get_global_queue(0, 0); }

static int work(void *result) {
    let_others_run();
    ran++;
    return (int)number_of(result);
}

static void drop(void *context) { dropped++; }

static void notify(void *context, int result) {
    CHECK(notified == 0 || notified_with == result,
          "the results %d and %d were notified", notified_with, result);
    notified++;
    notified_with = result;
}

/* ---- many --------------------------------------------------------------- */

static int cancel_and_fail(void *unused) {
    weir_group_cancel(group);
    ran++;
    return EIO;
}

static void submit(void *context, int (*function)(void *context)) {
    submitted++;
    CHECK(weir_group_async_drop_f(group, queue(), context, function, drop) == 0,
          "submit");
}

static void look(void) {
    int first = weir_group_error(group);
    int second = weir_group_error(group);
    CHECK(first == 0 || first == second, "the error %d became %d", first,
          second);
    CHECK(weir_group_wait(group, in_milliseconds(1)) == ETIMEDOUT,
          "a wait ended before the last leave");
}

static void act(void *unused) {
    static const int errors[] = {EIO, ENOSPC, 0};
    for (unsigned left = 1 + schedule_pick(3, "actions"); left > 0; left--) {
        switch (schedule_pick(7, "action")) {
        case 0:
        case 1:
            weir_group_fail(group, errors[schedule_pick(2, "error")]);
            has_failed = true;
            break;
        case 2:
            weir_group_cancel(group);
            break;
        case 3:
            asked++;
            CHECK(weir_group_notify_f(group, queue(), NULL, notify) == 0,
                  "notify");
            break;
        case 4:
            look();
            break;
        case 5:
            submit(NULL, cancel_and_fail);
            break;
        default:
            submit(address_of((size_t)errors[schedule_pick(3, "error")]), work);
        }
    }
}

static void run_many(void) {
    group = weir_group_create("group");
    weir_group_enter(group);
    threads_run();
    int first = weir_group_error(group);
    CHECK(first != 0 || !has_failed, "a failure was not kept");
    CHECK(!has_failed || weir_group_cancelled(group),
          "a failed group is not cancelled");
    weir_group_leave(group);
    int result = weir_group_wait(group, FOREVER);
    int error = weir_group_error(group);
    CHECK(ran + dropped == submitted,
          "%zu works ran and %zu were dropped, of %zu", ran, dropped,
          submitted);
    CHECK(dropped == 0 || has_failed, "a cancel dropped %zu works", dropped);
    CHECK(first == 0 || result == first, "the error %d became %d", first,
          result);
    CHECK(result == error || (error == 0 && result == ECANCELED &&
                              weir_group_cancelled(group)),
          "the wait returned %d, the error is %d", result, error);
    CHECK(weir_group_wait(group, FOREVER) == result, "the result changed");
    CHECK(weir_group_notify_f(group, queue(), NULL, notify) == 0, "notify");
    asked++;
    weir_group_release(group);
}

static void end_many(void) {
    CHECK(notified == asked, "%zu notifications ran, of %zu", notified, asked);
}

/* ---- the end ------------------------------------------------------------ */

static int release_group(void *result) {
    weir_group_release(group);
    ran++;
    return (int)number_of(result);
}

static void run_release(void) {
    group = weir_group_create("group");
    weir_group_enter(group);
    CHECK(weir_group_async_f(group, queue(), address_of(EIO), release_group) ==
              0,
          "submit");
    CHECK(weir_group_notify_f(group, queue(), NULL, notify) == 0, "notify");
    weir_group_leave(group); /* its hold keeps the group up to here */
}

static void end_release(void) {
    CHECK(ran == 1 && notified == 1 && notified_with == EIO,
          "%zu works and %zu notifications ran, with %d", ran, notified,
          notified_with);
}

static void wait_briefly(void *unused) {
    int result = weir_group_wait(group, in_milliseconds(1));
    CHECK(result == 0 || result == ETIMEDOUT, "the wait returned %d", result);
}

static void leave(void *unused) { weir_group_leave(group); }

static void run_time_out(void) {
    group = weir_group_create("group");
    weir_group_enter(group);
    weir_group_enter(group);
    thread_start("waits", wait_briefly, NULL);
    thread_start("leaves", leave, NULL);
    thread_start("leaves too", leave, NULL);
    CHECK(weir_group_wait(group, FOREVER) == 0, "wait");
    CHECK(weir_group_outstanding(group) == 0, "outstanding work after a wait");
    threads_join();
    weir_group_release(group);
}

/* ---- on lanes ----------------------------------------------------------- */

static int lane_work(void *result, void *lane_context) { return work(result); }

static void cancel_lanes(void *unused) { weir_lanes_cancel(lanes); }

static void submit_on_lanes(void *result) {
    CHECK(weir_group_lanes_f(group, lanes, result, lane_work) == 0, "submit");
}

static void run_lanes(void) {
    const weir_lanes_options_t options = {.width = 1, .dropped = drop};
    lanes = weir_lanes_create(&options);
    group = weir_group_create("group");
    thread_start("submits", submit_on_lanes, address_of(EIO));
    thread_start("submits too", submit_on_lanes, NULL);
    thread_start("cancels", cancel_lanes, NULL);
    threads_join();
    int result = weir_group_wait(group, FOREVER);
    CHECK(ran + dropped == 2, "%zu works ran and %zu were dropped, of 2", ran,
          dropped);
    CHECK(result == EIO || (result == ECANCELED) == (dropped > 0),
          "the wait returned %d with %zu dropped", result, dropped);
    weir_group_release(group);
    weir_lanes_release(lanes);
}

/* ---- queues ------------------------------------------------------------- */

static dispatch_queue_t owner;
static size_t finalized;
static size_t contexts; /* the sum of what the queue has seen */

static void finalize(void *context) {
    finalized++;
    contexts += number_of(context);
}

static void use_queue(void *unused) {
    contexts += number_of(weir_queue_get_context(owner));
    CHECK(weir_queue_set_context(owner, address_of(10)) == 0, "set");
}

static void release_queue(void *unused) {
    dispatch_async_f(owner, NULL, use_queue);
    dispatch_release(owner);
}

static void run_queue(void) {
    owner = weir_queue_create("owner", DISPATCH_QUEUE_SERIAL, NULL, finalize);
    dispatch_retain(owner);
    thread_start("a", release_queue, NULL);
    thread_start("b", release_queue, NULL);
    threads_join();
}

static void end_queue(void) {
    CHECK(finalized == 1, "the finalizer was called %zu times", finalized);
    CHECK(contexts == 20, "the contexts were %zu together", contexts);
}

const struct scenario groups_scenarios[] = {
    {"group-many",
     "all work runs, or is dropped after a failure; the first error "
     "is that of each wait and notification, and outranks a cancel",
     run_many, .threads = {{"a", act, 0}, {"b", act, 0}, {"c", act, 0}},
     .ended = end_many},
    {"group-release",
     "outstanding work holds the group, the last leave frees it", run_release,
     end_release},
    {"group-time-out",
     "a wait with a time-out beside one without, and two leaves", run_time_out},
    {"group-lanes", "work on lanes leaves the group once, run or dropped",
     run_lanes},
    {"queue-context", "the finalizer is called once, with the last context",
     run_queue, end_queue},
    {NULL},
};
