/* group_tests.c: a group against a plain model, in random orders of what happens to it. */
#include "objects.h"
#include <Block.h>

enum step { ENTER, LEAVE, SUBMIT, NOTIFY, FAIL, CANCEL, RUN, STEPS };

/* What work does beside returning an error: nothing, or it ends the group first. */
enum { CANCELS = 1000, FAILS, MOST = 40 };

static const int results[] = {0,         0,         0,       EIO,  7,
                              ETIMEDOUT, ECANCELED, CANCELS, FAILS};

static struct model {
    size_t entered, pending, ran, dropped, notified, asked;
    int works[MOST], error, told;
    bool cancelled, failed, cut_short;
} model;

static weir_group_t group;
static weir_lanes_t lanes;
static dispatch_queue_t queue, notes;
static struct meter ran, dropped, notified;
static _Atomic int told;

static void model_keep(int error) {
    if (error == ECANCELED && model.cancelled) {
        model.cut_short = true;
    } else if (model.error == 0) {
        model.error = error;
    }
}

static void model_cancel(void) {
    model.cancelled = true;
    model.cut_short |= model.entered + model.pending > 0;
}

static void model_fail(int error) {
    model_keep(error);
    model.failed = true;
    model_cancel();
}

static void model_run(void) {
    for (size_t next = 0, count = model.pending; next < count; next++) {
        bool is_late = model.cancelled;
        int result = model.works[next];
        if (model.failed) {
            model.dropped++;
            model_keep(ECANCELED);
        } else {
            model.ran++;
            result == CANCELS ? model_cancel() : (void)0;
            result == FAILS ? model_fail(EPERM) : (void)0;
            model_keep(is_late ? 0 : result < CANCELS ? result : EIO);
        }
        model.pending--;
    }
}

static int model_result(void) {
    return model.error == 0 && model.cut_short ? ECANCELED : model.error;
}

static int work(void *context) {
    int result = (int)(intptr_t)context;
    meter_enter(&ran);
    if (result == CANCELS) {
        weir_group_cancel(group);
        CHECK(weir_group_cancelled(group));
    } else if (result == FAILS) {
        weir_group_fail(group, EPERM);
    }
    return result < CANCELS ? result : EIO;
}

static int work_on_lane(void *context, void *lane_context) {
    return work(context);
}

static void drop(void *context) { meter_enter(&dropped); }

static void note(void *context, int result) {
    meter_enter(&notified);
    told = result;
}

/* Work waits in a queue or on lanes, which are suspended but for RUN. Work of blocks is
   dropped in silence. */
static int submit(int form, int result) {
    void *context = (void *)(intptr_t)result;
    switch (form) {
    case 0:
        return weir_group_async_drop_f(group, queue, context, work, drop);
    case 1:
        return weir_group_lanes_f(group, lanes, context, work_on_lane);
    case 2:
        return weir_group_async(group, queue, ^{
          return work(context);
        });
    default:
        return weir_group_lanes(group, lanes, ^(void *lane_context) {
          return work(context);
        });
    }
}

static void run(void) {
    dispatch_resume(queue);
    dispatch_sync(queue, ^{
                  });
    dispatch_suspend(queue);
    weir_lanes_resume(lanes);
    CHECK(lanes_wait(lanes));
    weir_lanes_suspend(lanes);
}

static void take(enum step step, int form, int result) {
    int error = result > 0 && result < CANCELS ? result : EPERM;
    switch (step) {
    case ENTER:
        weir_group_enter(group);
        model.entered++;
        break;
    case LEAVE:
        if (model.entered > 0) {
            weir_group_leave(group);
            model.entered--;
        }
        break;
    case SUBMIT:
        CHECK_EQUAL(submit(form, result), 0);
        model.works[model.pending++] = result;
        break;
    case NOTIFY:
        CHECK_EQUAL(form % 2 ? weir_group_notify_f(group, notes, NULL, note)
                             : weir_group_notify(group, notes,
                                                 ^(int end) {
                                                   note(NULL, end);
                                                 }),
                    0);
        model.asked++;
        break;
    case FAIL:
        weir_group_fail(group, error);
        model_fail(error);
        break;
    case CANCEL:
        weir_group_cancel(group);
        model_cancel();
        break;
    default:
        run();
        model_run();
    }
}

static bool agrees(bool counts_drops) {
    size_t outstanding = model.entered + model.pending;
    if (outstanding == 0 && model.asked > 0) {
        model.notified += model.asked;
        model.asked = 0;
        model.told = model_result();
    }
    dispatch_sync(notes, ^{
                  });
    return weir_group_outstanding(group) == outstanding &&
           weir_group_wait(group, DISPATCH_TIME_NOW) ==
               (outstanding > 0 ? ETIMEDOUT : model_result()) &&
           weir_group_error(group) == model.error &&
           weir_group_cancelled(group) == model.cancelled &&
           ran.ever == (long)model.ran &&
           (!counts_drops || dropped.ever == (long)model.dropped) &&
           notified.ever == (long)model.notified && told == model.told;
}

/* The work of a program has one form, so that it runs in the order of its submission. */
static void play(struct check_random *random, int form) {
    static const char letters[] = "elsnfcr";
    char steps[MOST * 8] = "", *end = steps;
    bool right = true;
    group = weir_group_create("model");
    model = (struct model){0};
    ran.ever = dropped.ever = notified.ever = told = 0;
    for (int number = 0; number < 15 && right; number++) {
        enum step step = (enum step)check_below(random, STEPS);
        int result = results[check_below(random, 9)];
        bool is_rare = step == FAIL || step == CANCEL;
        if (number == 14 || (is_rare && check_below(random, 4) > 0)) {
            step = RUN;
        }
        end += sprintf(end, " %c%d", letters[step], result);
        take(step, form, result);
        right = agrees(form < 2);
    }
    while (model.entered > 0) {
        take(LEAVE, form, 0);
    }
    CHECK(right && agrees(form < 2), "form %d, steps%s", form, steps);
    CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_FOREVER), model_result());
    weir_group_release(group);
}

TEST(random_orders_of_events) {
    struct check_random random = check_random("groups");
    QUEUE(serial, "work", NULL);
    QUEUE(noted, "notes", NULL);
    lanes =
        weir_lanes_create(&(weir_lanes_options_t){.width = 1, .dropped = drop});
    queue = serial;
    notes = noted;
    dispatch_suspend(queue);
    weir_lanes_suspend(lanes);
    for (int round = 0; round < 4000; round++) {
        play(&random, round % 4);
    }
    dispatch_resume(queue);
    weir_lanes_resume(lanes);
    weir_lanes_release(lanes);
}

/* Only what is certain to hang is misuse. */
TEST(work_may_wait_with_a_time_out_or_for_another_group) {
    GROUP(own, "group");
    GROUP(other, "other");
    LANES(inlined, "lanes", WEIR_LANES_INLINE, 0);
    weir_group_enter(other);
    CHECK_EQUAL(
        weir_group_lanes(
            own, inlined,
            ^(void *lane_context) {
              CHECK_EQUAL(weir_group_wait(own, DISPATCH_TIME_NOW), ETIMEDOUT);
              CHECK_EQUAL(weir_group_wait(own, in_milliseconds(1)), ETIMEDOUT);
              weir_group_leave(other);
              return weir_group_wait(other, DISPATCH_TIME_FOREVER);
            }),
        0);
    weir_group_enter(own);
    pthread_t thread = thread_start(^{
      weir_group_leave(own);
    });
    CHECK_EQUAL(weir_group_wait(own, DISPATCH_TIME_FOREVER), 0);
    thread_join(thread);
}
