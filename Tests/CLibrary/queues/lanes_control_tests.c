/* lanes_control_tests.c: close, cancel, suspend and visits while threads are active, and
   the reason why fewer jobs run than lanes exist. (lanes_model_tests.c has every small
   order of them.) */
#include "objects.h"
#include "queues/lanes_state.h"
#include <weir/spi.h>

static int visit_lanes(weir_lanes_t lanes, struct meter *visited) {
    return weir_lanes_each_b(lanes, ^(void *context) {
      meter_enter(visited);
    });
}

TEST(jobs_and_visits_exclude_each_other) {
    weir_lanes_t lanes = lanes_make("lanes", 2, 0);
    struct meter *ran = &(struct meter){0}, *visited = &(struct meter){0};
    struct occupation occupation = lanes_occupy(lanes);
    CHECK(visit_lanes(lanes, visited) == EBUSY && visited->ever == 0);
    weir_lanes_suspend(lanes);
    lanes_submit_many(lanes, 1, ran);
    lanes_vacate(occupation);
    CHECK(EVENTUALLY(lanes_stats(lanes).running == 0));
    CHECK_EQUAL(lanes_stats(lanes).queued, 1);
    CHECK(visit_lanes(lanes, visited) == 0 && visited->ever == 2);
    weir_lanes_resume(lanes);
    CHECK(lanes_wait(lanes) && ran->ever == 1);
    int error = weir_lanes_each_b(lanes, ^(void *context) {
      CHECK_EQUAL(visit_lanes(lanes, visited), EBUSY);
      lanes_submit_many(lanes, 1, ran);
      CHECK(lanes_wait_times_out(lanes));
    });
    CHECK_EQUAL(error, 0);
    CHECK(lanes_end(lanes) && ran->ever == 3 && visited->ever == 2);
}

TEST(busy_lanes_without_a_backlog_refuse) {
    for (size_t width = 1; width <= 4; width *= 2) {
        LANES(lanes, "lanes", width, WEIR_LANES_NO_BACKLOG);
        struct meter *ran = &(struct meter){0};
        struct occupation occupation = lanes_occupy(lanes);
        CHECK_EQUAL(lanes_try(lanes, ran), EAGAIN);
        pthread_t opener = thread_start(^{
          CHECK(EVENTUALLY(lanes_stats(lanes).blocked == 1));
          lanes_vacate(occupation);
        });
        lanes_submit_many(lanes, 1, ran);
        CHECK(latch_is_open(occupation.go));
        thread_join(opener);
        CHECK(lanes_wait(lanes) && ran->ever == 1);
        CHECK_EQUAL(lanes_try(lanes, ran), 0);
        CHECK(lanes_wait(lanes) && ran->ever == 2);
        crew_run(4, ^{
          lanes_submit_many(lanes, 500, ran);
        });
        CHECK(lanes_wait(lanes) && ran->ever == 2002);
        weir_lanes_stats_t stats = lanes_stats(lanes);
        CHECK(stats.queued_peak <= width && stats.peak <= width);
    }
}

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

static struct { _Atomic int order[7], count; } required;

static void note_id(void *id, void *lane_context) {
    required.order[atomic_fetch_add(&required.count, 1)] = (int)(intptr_t)id;
}

static void require(weir_lanes_t lanes, intptr_t id) {
    CHECK_EQUAL(weir_lanes_async_must_f(lanes, (void *)id, note_id), 0);
}

/* The job is accepted while others wait or are refused, in its turn, and is not
   dropped. */
TEST(a_required_job_runs_after_close_and_cancel) {
    for (size_t width = 1; width <= 4; width += 3) {
        weir_lanes_t lanes = lanes_make("lanes", width, 2);
        struct meter *ran = &(struct meter){0};
        struct occupation occupation = lanes_occupy(lanes);
        required.count = 0;
        for (intptr_t id = 0; id < 6; id++) {
            if (id == 1 || id == 2) {
                CHECK(weir_lanes_async_f(lanes, (void *)id, note_id) == 0);
            } else {
                require(lanes, id);
            }
        }
        CHECK(lanes_try(lanes, ran) == EAGAIN);
        CHECK_EQUAL(lanes_stats(lanes).queued, 6);
        CHECK(width == 1 || weir_lanes_cancel(lanes) == 2);
        weir_lanes_close(lanes);
        require(lanes, 6);
        CHECK(lanes_try(lanes, ran) == ECANCELED);
        CHECK(lanes_stats(lanes).queued_peak >= 6);
        weir_lanes_release(lanes); /* queued jobs still run */
        lanes_vacate(occupation);
        int jobs = width == 1 ? 7 : 5, sum = 0;
        CHECK(EVENTUALLY(required.count == jobs));
        for (int place = 0; place < jobs; place++) {
            CHECK(width == 4 || required.order[place] == place);
            sum += 1 << required.order[place];
        }
        CHECK_EQUAL(sum, width == 1 ? 0x7F : 0x79);
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

/* A job of the lanes passes the submits that wait; its own request waits like any other. */
TEST(a_job_passes_the_requests_but_its_request_waits) {
    weir_lanes_t lanes = lanes_make("lanes", 1, 1);
    struct latch *begun = latch_create(1), *go = latch_create(1);
    struct meter *ran = &(struct meter){0};
    lanes_submit(lanes, ^{
      latch_arrive(begun);
      CHECK(latch_wait(go));
      lanes_submit_many(lanes, 1, ran);
      weir_lanes_request_release(ask(lanes, ran));
      CHECK_EQUAL(lanes_stats(lanes).blocked, 2);
    });
    CHECK(latch_wait(begun));
    lanes_submit_many(lanes, 1, ran);
    weir_lanes_request_release(ask(lanes, ran));
    latch_arrive(go);
    CHECK(EVENTUALLY(lanes_stats(lanes).finished == 5));
    CHECK(lanes_end(lanes) && ran->ever == 4);
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
