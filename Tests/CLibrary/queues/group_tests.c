/* group_tests.c: a group counts its outstanding work, keeps the first error, and
   calls its notifications when nothing is outstanding. */
#include "objects.h"
#include <Block.h>

static weir_group_t group;
static struct meter ran, dropped;

static int run_block(void *block) {
    int (^work)(void) = (int (^)(void))block;
    int result = work();
    Block_release(work);
    return result;
}

static int run_on_lane(void *block, void *lane_context) {
    return run_block(block);
}

static void drop_block(void *block) {
    meter_enter(&dropped);
    Block_release(block);
}

static void *copy_of(int (^work)(void)) { return (void *)Block_copy(work); }

static void submit(bool as_block, dispatch_queue_t queue, int (^work)(void)) {
    CHECK_EQUAL(
        as_block ? weir_group_async(group, queue, work)
                 : weir_group_async_f(group, queue, copy_of(work), run_block),
        0);
}

static void submit_result(bool as_block, dispatch_queue_t queue, int result) {
    submit(as_block, queue, ^{
      return result;
    });
}

static void run_notification(void *block, int result) {
    void (^work)(int) = (void (^)(int))block;
    work(result);
    Block_release(work);
}

static void notify(bool as_block, void (^work)(int result)) {
    CHECK_EQUAL(as_block ? weir_group_notify(group, global(), work)
                         : weir_group_notify_f(group, global(),
                                               (void *)Block_copy(work),
                                               run_notification),
                0);
}

static int wait_for_group(void) {
    return weir_group_wait(group, DISPATCH_TIME_FOREVER);
}

static void check_end_of_group(int result, int error) {
    CHECK(wait_for_group() == result && weir_group_error(group) == error);
    CHECK_EQUAL(weir_group_outstanding(group), 0);
}

TEST(enters_and_leaves_are_counted) {
    struct check_random random = check_random("enters and leaves");
    size_t outstanding = 0;
    group = weir_group_create("count");
    for (int step = 0; step < 1000; step++) {
        if (outstanding > 0 && check_below(&random, 2) == 0) {
            weir_group_leave(group);
            outstanding--;
        } else {
            weir_group_enter(group);
            outstanding++;
        }
        CHECK_EQUAL(weir_group_outstanding(group), outstanding);
        CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_NOW),
                    outstanding == 0 ? 0 : ETIMEDOUT);
    }
    for (; outstanding > 0; outstanding--) {
        weir_group_leave(group);
    }
    check_end_of_group(0, 0);
    weir_group_release(group);
}

/* On a serial queue the first result is known. A wait has the ECANCELED and ETIMEDOUT of
   work, too. */
TEST(the_first_result_that_is_not_zero_is_kept) {
    static const int results[] = {0, 0, 0, 0, EIO, 7, ETIMEDOUT, ECANCELED};
    struct check_random random = check_random("first result");
    QUEUE(queue, "serial", NULL);
    for (int round = 0; round < 200; round++) {
        int first = 0;
        group = weir_group_create(NULL);
        for (int number = 0; number < 8; number++) {
            int result = results[check_below(&random, 8)];
            first = first == 0 ? result : first;
            submit_result(round % 2, queue, result);
        }
        check_end_of_group(first, first);
        submit_result(round % 2, queue, 99);
        CHECK_EQUAL(wait_for_group(), first == 0 ? 99 : first);
        weir_group_release(group);
    }
}

/* Only what is certain to hang is misuse. */
TEST(work_may_wait_with_a_time_out_or_for_another_group) {
    GROUP(group, "group");
    GROUP(other, "other");
    LANES(lanes, "lanes", WEIR_LANES_INLINE, 0);
    weir_group_enter(other);
    CHECK_EQUAL(weir_group_lanes(
                    group, lanes,
                    ^(void *lane_context) {
                      CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_NOW),
                                  ETIMEDOUT);
                      CHECK_EQUAL(weir_group_wait(group, in_milliseconds(1)),
                                  ETIMEDOUT);
                      weir_group_leave(other);
                      return weir_group_wait(other, DISPATCH_TIME_FOREVER);
                    }),
                0);
    weir_group_enter(group);
    pthread_t thread = thread_start(^{
      weir_group_leave(group);
    });
    CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_FOREVER), 0);
    thread_join(thread);
}

TEST(a_notification_comes_with_the_result) {
    static struct meter notified;
    for (int row = 0; row < 4; row++) {
        int expected = row < 2 ? 0 : 5;
        group = weir_group_create("notify");
        weir_group_enter(group);
        submit_result(row % 2, global(), expected);
        for (int number = 0; number < 3; number++) {
            notify(row % 2, ^(int result) {
              CHECK(result == expected && weir_group_outstanding(group) == 0);
              meter_enter(&notified);
            });
        }
        CHECK_EQUAL(weir_group_wait(group, in_milliseconds(2)), ETIMEDOUT);
        CHECK_EQUAL(notified.ever, 3 * row);
        weir_group_leave(group);
        CHECK(EVENTUALLY(notified.ever == 3 * row + 3));
        weir_group_release(group);
    }
}

/* Work sees the cancel and may stop. The result is ECANCELED unless another came
   first, and later results do not change it. */
TEST(a_cancelled_group) {
    for (int first = 0; first <= 5; first += 5) {
        group = weir_group_create("cancelled");
        CHECK(!weir_group_cancelled(group));
        weir_group_enter(group);
        if (first != 0) {
            submit_result(false, global(), first);
            CHECK(EVENTUALLY(weir_group_outstanding(group) == 1));
        }
        weir_group_cancel(group);
        submit(false, global(), ^{
          CHECK(weir_group_cancelled(group));
          meter_enter(&ran);
          return 7;
        });
        weir_group_leave(group);
        check_end_of_group(first == 0 ? ECANCELED : first, first);
        weir_group_cancel(group);
        weir_group_release(group);
    }
    CHECK_EQUAL(ran.ever, 2);
    group = weir_group_create("done");
    submit_result(false, global(), 0);
    CHECK_EQUAL(wait_for_group(), 0);
    weir_group_cancel(group);
    CHECK(wait_for_group() == 0 && weir_group_cancelled(group));
    weir_group_release(group);
}

TEST(the_reason_of_a_cancel_is_kept) {
    QUEUE(queue, "two at once", DISPATCH_QUEUE_CONCURRENT);
    for (int form = 0; form < 2; form++) {
        struct latch *begun = latch_create(2);
        group = weir_group_create("reason");
        submit(form, queue, ^{
          latch_arrive(begun);
          CHECK(EVENTUALLY(weir_group_cancelled(group)));
          return ECANCELED;
        });
        submit(form, queue, ^{
          latch_arrive(begun);
          latch_wait(begun);
          weir_group_cancel(group);
          CHECK(EVENTUALLY(weir_group_outstanding(group) == 1));
          return EIO;
        });
        check_end_of_group(EIO, EIO);
        weir_group_release(group);
    }
}

TEST(a_failed_group_drops_the_rest) {
    QUEUE(queue, "serial", NULL);
    group = weir_group_create("failed");
    dispatch_suspend(queue);
    for (int number = 0; number < 21; number++) {
        void *work = copy_of(^{
          meter_enter(&ran);
          weir_group_fail(group, EIO);
          weir_group_fail(group, EPERM);
          return 0;
        });
        CHECK_EQUAL(
            weir_group_async_drop_f(group, queue, work, run_block, drop_block),
            0);
    }
    int (^late)(void) = ^{
      meter_enter(&ran);
      return 0;
    };
    submit(true, queue, late);
    dispatch_resume(queue);
    check_end_of_group(EIO, EIO);
    submit(true, queue, late);
    check_end_of_group(EIO, EIO);
    CHECK(weir_group_cancelled(group) && ran.ever == 1 && dropped.ever == 20);
    weir_group_release(group);
}

static void submit_to(weir_lanes_t lanes, int jobs, int failing, bool fails) {
    for (int number = 0; number < jobs; number++) {
        void *work = copy_of(^{
          meter_enter(&ran);
          if (number == failing && fails) {
              weir_group_fail(group, EIO);
              return EPERM;
          }
          return number == failing ? EIO : 0;
        });
        CHECK_EQUAL(weir_group_lanes_f(group, lanes, work, run_on_lane), 0);
    }
}

TEST(a_failed_group_drops_jobs_on_lanes) {
    weir_lanes_t lanes = weir_lanes_create(
        &(weir_lanes_options_t){.width = 1, .dropped = drop_block});
    group = weir_group_create("failed");
    weir_lanes_suspend(lanes);
    submit_to(lanes, 10, 3, true);
    weir_lanes_resume(lanes);
    check_end_of_group(EIO, EIO);
    CHECK(ran.ever == 4 && dropped.ever == 6);
    weir_group_release(group);
    weir_lanes_release(lanes);
}

TEST(work_on_lanes_is_part_of_the_group) {
    LANES(lanes, "lanes", 3, 2);
    group = weir_group_create("on lanes");
    submit_to(lanes, 100, 50, false);
    check_end_of_group(EIO, EIO);
    CHECK(ran.ever == 100 && lanes_stats(lanes).submitted == 100);
    CHECK(lanes_stats(lanes).queued_peak <= 2);
    weir_group_release(group);
}
