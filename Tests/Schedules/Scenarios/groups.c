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
static size_t ran, dropped, notified;
static int notified_with;
static int first_failure; /* that was certainly first, or 0 */

static dispatch_queue_t queue(void) { return dispatch_get_global_queue(0, 0); }

static int work(void *result) {
    let_others_run();
    ran++;
    return (int)number_of(result);
}

static void drop(void *context) {
    (void)context;
    dropped++;
}

static void notify(void *context, int result) {
    (void)context;
    notified++;
    notified_with = result;
}

/* ---- leave, error, wait ------------------------------------------------- */

static void submit(void *result) {
    CHECK(weir_group_async_f(group, queue(), result, work) == 0, "submit");
}

static void run_errors(void) {
    group = weir_group_create("group");
    submit(address_of(EIO));
    submit(address_of(ENOSPC));
    submit(NULL);
    CHECK(weir_group_notify_f(group, queue(), NULL, notify) == 0, "notify");
    int result = weir_group_wait(group, FOREVER);
    CHECK(ran == 3, "%zu works ran before the wait ended", ran);
    CHECK(result == EIO || result == ENOSPC, "the wait returned %d", result);
    CHECK(weir_group_wait(group, FOREVER) == result, "the error changed");
    first_failure = result;
    weir_group_release(group);
}

static void end_errors(void) {
    CHECK(notified == 1, "%zu notifications ran", notified);
    CHECK(notified_with == first_failure,
          "the notification got %d, the wait %d", notified_with, first_failure);
}

/* ---- fail --------------------------------------------------------------- */

static void submit_droppable(void *unused) {
    (void)unused;
    CHECK(weir_group_async_drop_f(group, queue(), NULL, work, drop) == 0,
          "submit");
}

static void fail(void *error) { weir_group_fail(group, (int)number_of(error)); }

static void look_twice(void *unused) {
    (void)unused;
    int first = weir_group_error(group);
    int second = weir_group_error(group);
    CHECK(first == 0 || first == second, "the error %d became %d", first,
          second);
}

static void run_fail(void) {
    group = weir_group_create("group");
    weir_group_enter(group);
    submit_droppable(NULL);
    thread_start("submits", submit_droppable, NULL);
    thread_start("fails", fail, address_of(EIO));
    thread_start("fails too", fail, address_of(ENOSPC));
    thread_start("looks", look_twice, NULL);
    threads_join();
    int first = weir_group_error(group);
    CHECK(first == EIO || first == ENOSPC, "the error is %d", first);
    CHECK(weir_group_cancelled(group), "a failed group is not cancelled");
    weir_group_fail(group, ECANCELED);
    weir_group_leave(group);
    int result = weir_group_wait(group, FOREVER);
    CHECK(result == first, "the wait returned %d, not %d", result, first);
    CHECK(ran + dropped == 2, "%zu works ran and %zu were dropped, of 2", ran,
          dropped);
    weir_group_release(group);
}

/* ---- cancel ------------------------------------------------------------- */

static void cancel(void *unused) {
    (void)unused;
    weir_group_cancel(group);
}

static int cancel_and_fail(void *unused) {
    (void)unused;
    weir_group_cancel(group);
    ran++;
    return EIO;
}

static void run_cancel(void) {
    group = weir_group_create("group");
    CHECK(weir_group_async_f(group, queue(), NULL, cancel_and_fail) == 0,
          "submit");
    thread_start("cancels", cancel, NULL);
    submit(NULL);
    threads_join();
    int result = weir_group_wait(group, FOREVER);
    CHECK(ran == 2, "%zu works ran, of 2", ran);
    CHECK(result == EIO || result == ECANCELED, "the wait returned %d", result);
    CHECK(result == ECANCELED || weir_group_error(group) == EIO,
          "the error is %d", weir_group_error(group));
    weir_group_release(group);
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
    (void)unused;
    int result = weir_group_wait(group, in_milliseconds(1));
    CHECK(result == 0 || result == ETIMEDOUT, "the wait returned %d", result);
}

static void leave(void *unused) {
    (void)unused;
    weir_group_leave(group);
}

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

static int lane_work(void *result, void *lane_context) {
    (void)lane_context;
    return work(result);
}

static void cancel_lanes(void *unused) {
    (void)unused;
    weir_lanes_cancel(lanes);
}

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
    (void)unused;
    contexts += number_of(weir_queue_get_context(owner));
    CHECK(weir_queue_set_context(owner, address_of(10)) == 0, "set");
}

static void release_queue(void *unused) {
    (void)unused;
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
    {.name = "group-errors",
     .promise = "a wait and a notification get the first error, after all work",
     .run = run_errors,
     .ended = end_errors},
    {.name = "group-fail",
     .promise = "a fail keeps the first error, and drops work once",
     .run = run_fail},
    {.name = "group-cancel",
     .promise = "a cancel lets all work run, and the first error outranks it",
     .run = run_cancel},
    {.name = "group-release",
     .promise = "outstanding work holds the group, the last leave frees it",
     .run = run_release,
     .ended = end_release},
    {.name = "group-time-out",
     .promise = "a wait with a time-out beside one without, and two leaves",
     .run = run_time_out},
    {.name = "group-lanes",
     .promise = "work on lanes leaves the group once, run or dropped",
     .run = run_lanes},
    {.name = "queue-context",
     .promise = "the finalizer is called once, with the last context",
     .run = run_queue,
     .ended = end_queue},
    {.name = NULL},
};
