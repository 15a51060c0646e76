/* lanes_control_tests.c: close, cancel and suspend by jobs and drop functions, and the
   reason why fewer jobs run than lanes exist. (lanes_model_tests.c has orders of them,
   Tests/Schedules those of threads.) */
#include "objects.h"
#include "queues/lanes_state.h"
#include <weir/spi.h>

TEST(a_job_controls_its_own_lanes) {
    EACH(size_t, width, 1, 3, WEIR_LANES_INLINE) {
        weir_lanes_t lanes = lanes_make("lanes", width, 0);
        struct meter *ran = &(struct meter){0};
        weir_lanes_suspend(lanes);
        lanes_submit(lanes, ^{
          weir_lanes_suspend(lanes);
          lanes_submit_many(lanes, 5, ran);
          CHECK_EQUAL(weir_lanes_cancel(lanes), 5);
          weir_lanes_resume(lanes);
          weir_lanes_close(lanes);
          CHECK_EQUAL(lanes_try(lanes, ran), ECANCELED);
        });
        weir_lanes_resume(lanes);
        CHECK(lanes_end(lanes) && ran->ever == 0);
    }
}

static void release_context(void *lanes) { weir_lanes_release(lanes); }

static void release_twice(void *lanes) {
    weir_lanes_release(lanes);
    weir_lanes_release(lanes);
}

static void never_run(void *context, void *lane_context) {
    CHECK(false, "%p %p", context, lane_context);
}

TEST(the_drop_function_may_release_the_last_reference) {
    for (int round = 0; round < 200; round++) {
        weir_lanes_t lanes = weir_lanes_create(
            &(weir_lanes_options_t){.width = 1, .dropped = release_context});
        weir_lanes_suspend(lanes);
        for (int job = 0; job < 4; job++) {
            weir_lanes_retain(lanes);
            int error = job < 3 ? weir_lanes_async_f(lanes, lanes, never_run)
                                : weir_lanes_async_drop_f(
                                      lanes, lanes, never_run, release_twice);
            CHECK_EQUAL(error, 0);
        }
        CHECK_EQUAL(weir_lanes_cancel(lanes), 4);
    }
}

static void run_counted(void *ran, void *lane_context) { meter_enter(ran); }
static void ignore_result(void *context, int result) {}

static weir_lanes_request_t ask(weir_lanes_t lanes, struct meter *ran) {
    weir_lanes_request_t request = NULL;
    REQUIRE(weir_lanes_request_f(lanes, ran, run_counted, ignore_result,
                                 &request) == 0);
    return request;
}

TEST(the_memory_of_withdrawn_jobs_is_used_again) {
    LANES(lanes, "lanes", 1, 2);
    struct meter ran = {0};
    weir_lanes_suspend(lanes);
    for (int round = 0; round < 1000; round++) {
        weir_lanes_request_t request = ask(lanes, &ran);
        CHECK_EQUAL(weir_lanes_request_withdraw(request), 0);
        weir_lanes_request_release(request);
    }
    CHECK_EQUAL(lanes->fifo.capacity, 16);
    weir_lanes_resume(lanes);
    CHECK(lanes_wait(lanes) && ran.ever == 0);
}

TEST(a_loop_in_a_job_passes_the_backlog) {
    weir_lanes_t lanes = lanes_make("lanes", 1, 2);
    struct meter *ran = &(struct meter){0};
    lanes_submit(lanes, ^{
      weir_apply(64, 1, NULL, ^(size_t begin, size_t end) {
        /* Time for several threads to come. */
        nanosleep(&(struct timespec){0, 100000}, NULL);
        lanes_submit_many(lanes, (int)(end - begin), ran);
      });
    });
    CHECK(lanes_end(lanes) && ran->ever == 64);
}

#define CHECK_LIMIT(lanes, text)                                               \
    CHECK_TEXT(weir_lanes_limit_text(lanes_stats(lanes).limit), text)

TEST(the_limit_is_the_reason_why_no_more_jobs_run) {
    LANES(lanes, "lanes", 2, 0);
    GATE(gate, "gate", 1);
    CHECK_LIMIT(lanes, "there are no more jobs");
    weir_lanes_suspend(lanes);
    CHECK_LIMIT(lanes, "the lanes are suspended");
    weir_lanes_resume(lanes);
    struct occupation occupation = lanes_occupy(lanes);
    CHECK_LIMIT(lanes, "all lanes are busy");
    lanes_vacate(occupation);
    CHECK(lanes_wait(lanes) && weir_gate_try(gate, 1) == 0);
    for (int job = 0; job < 2; job++) {
        lanes_submit(lanes, ^{
          CHECK_EQUAL(weir_gate_wait(gate, 1, DISPATCH_TIME_FOREVER), 0);
          weir_gate_signal(gate, 1);
        });
    }
    CHECK(EVENTUALLY(lanes_stats(lanes).at_gates == 2));
    CHECK_LIMIT(lanes, "jobs wait for permits");
    CHECK_EQUAL(lanes_stats(lanes).running, 2);
    weir_gate_signal(gate, 1);
    CHECK(lanes_wait(lanes) && lanes_stats(lanes).at_gates == 0);
    CHECK_TEXT(weir_lanes_limit_text((weir_lanes_limit_t)99), "?");
}

/* All lanes together hold 240 threads of one quality of service. The rest of the 255 of
   libdispatch is for other queues, such as the main queue of a program. */
TEST(lanes_hold_a_number_of_threads_together) {
    weir_lanes_t crowd = lanes_make("crowd", 200, 0);
    weir_lanes_t second = lanes_make("second", 200, 0);
    struct latch *go = latch_create(1), *other = latch_create(2);
    struct occupation occupation = lanes_occupy(crowd);
    for (int job = 0; job < 200; job++) {
        lanes_submit(second, ^{
          CHECK(latch_wait(go));
        });
    }
    const size_t rest = WEIR_LANES_THREADS_MAX - 200;
    CHECK(EVENTUALLY(lanes_stats(second).running == rest));
    weir_lanes_stats_t stats = lanes_stats(second);
    CHECK(stats.running == rest && stats.starting > 0 && stats.queued > 0);
    CHECK_EQUAL(stats.limit, WEIR_LANES_LIMIT_THREADS);
    CHECK_EQUAL(stats.threads, WEIR_LANES_THREADS_MAX);
    weir_lanes_options_t options = {
        .label = "apart", .width = 1, .qos = QOS_CLASS_UTILITY};
    weir_lanes_t apart = weir_lanes_create(&options);
    QUEUE(queue, NULL, NULL);
    lanes_submit(apart, ^{
      latch_arrive(other);
    });
    dispatch_async(queue, ^{
      latch_arrive(other);
    });
    CHECK(latch_wait(other) && lanes_stats(second).running == rest);
    /* Each lane that ends makes room for one that waits. */
    latch_arrive(go);
    lanes_vacate(occupation);
    CHECK(lanes_wait(second) && EVENTUALLY(lanes_stats(second).starting == 0));
    CHECK(EVENTUALLY(lanes_stats(second).threads == 0));
    CHECK(lanes_end(crowd) && lanes_end(second) && lanes_end(apart));
}
