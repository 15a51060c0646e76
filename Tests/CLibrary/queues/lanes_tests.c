/* lanes_tests.c: widths, orders and contexts. (Tests/Schedules: the backlog, the last reference.) */
#include "objects.h"
#include <sched.h>
#include <weir/spi.h>

enum { ORDERED = 1000 };

/* Returns how many smaller numbers were missing, at most, when a number came; ORDERED
   if a number is missing in the end. */
static size_t latecomers(const int order[ORDERED]) {
    bool seen[ORDERED] = {false};
    int most = 0, largest = -1;
    for (int place = 0; place < ORDERED; place++) {
        if (seen[order[place]]) {
            return ORDERED;
        }
        seen[order[place]] = true;
        largest = order[place] > largest ? order[place] : largest;
        most = largest - place > most ? largest - place : most;
    }
    return (size_t)most;
}

/* Gives the core away in some jobs: beside a load each time costs milliseconds. */
static void let_others_run(long number) {
    if (number % 16 == 0) {
        sched_yield();
    }
}

/* A job that was taken may begin late, one for each lane. */
static void check_jobs(size_t width, size_t backlog) {
    static int order[ORDERED];
    static _Atomic int count;
    struct meter *running = &(struct meter){0};
    LANES(lanes, "lanes", width, backlog);
    memset(order, 0, sizeof order);
    count = 0;
    for (int number = 0; number < ORDERED; number++) {
        lanes_submit(lanes, ^{
          order[atomic_fetch_add(&count, 1)] = number;
          meter_enter(running);
          let_others_run(number);
          meter_leave(running);
        });
    }
    CHECK(lanes_wait(lanes));
    size_t peak = lanes_stats(lanes).peak, most = (size_t)running->most;
    CHECK(most <= peak && peak <= width, "%zu, %zu", most, peak);
    CHECK(latecomers(order) < width);
}

TEST(jobs_start_in_order_and_never_more_at_once_than_there_are_lanes) {
    EACH(size_t, width, 1, 2, 3, 5, 16, 200) {
        check_row("width %zu", width);
        check_jobs(width, 0);
        check_jobs(width, 3);
    }
}

/* The jobs wait for each other: the test ends only if all run at the same time. */
TEST(the_width_is_reached) {
    EACH(size_t, width, 1, 2, 16, 64) {
        LANES(lanes, "lanes", width, 0);
        struct latch *together = latch_create((long)width);
        for (int job = 0; job < 64; job++) {
            lanes_submit(lanes, ^{
              latch_arrive(together);
              CHECK(latch_wait(together), "width %zu", width);
            });
        }
        CHECK(lanes_wait(lanes) && lanes_stats(lanes).peak == width);
    }
}

TEST(a_width_has_a_bound_and_a_default) {
    cpu_set_t cores;
    size_t width = weir_lanes_default_width();
    REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
    CHECK(width >= 1 && width <= (size_t)CPU_COUNT(&cores), "%zu", width);
    LANES(narrow, "lanes", 0, 0);
    LANES(wide, "lanes", 200, 0);
    ENDED_BY(end_lanes) weir_lanes_t plain = weir_lanes_create(NULL);
    CHECK_EQUAL(lanes_stats(narrow).width, width);
    CHECK(lanes_stats(plain).width == width && lanes_stats(wide).width == 200);
    EACH(size_t, wrong, 201, 202, 255, (size_t)1 << 40, SIZE_MAX - 1) {
        weir_lanes_options_t options = {.width = wrong};
        errno = 0;
        CHECK(weir_lanes_create(&options) == NULL && errno == EINVAL);
    }
}

TEST(a_wait_includes_jobs_submitted_meanwhile_and_times_out) {
    LANES(lanes, "lanes", 2, 0);
    struct meter *ran = &(struct meter){0};
    CHECK_EQUAL(weir_lanes_wait(lanes, DISPATCH_TIME_NOW), 0);
    struct occupation occupation = lanes_occupy(lanes);
    CHECK_EQUAL(weir_lanes_wait(lanes, DISPATCH_TIME_NOW), ETIMEDOUT);
    CHECK_EQUAL(weir_lanes_wait(lanes, in_milliseconds(3)), ETIMEDOUT);
    lanes_submit(lanes, ^{
      for (int job = 0; job < 10; job++) {
          lanes_submit(lanes, ^{
            lanes_submit_many(lanes, 2, ran);
          });
      }
    });
    lanes_vacate(occupation);
    CHECK(lanes_wait(lanes) && lanes_stats(lanes).running == 0);
    CHECK_EQUAL(ran->ever, 20);
}

static _Atomic int notified;

static void notification(void *lanes) {
    weir_lanes_stats_t stats = lanes_stats(lanes);
    CHECK_EQUAL(stats.submitted, stats.finished);
    notified++;
}

static void notify_twice(weir_lanes_t lanes) {
    weir_lanes_notify_f(lanes, global(), lanes, notification);
    weir_lanes_notify(lanes, global(), ^{
      notification(lanes);
    });
}

TEST(notifications_come_when_no_job_is_left) {
    weir_lanes_t lanes = lanes_make("lanes", 2, 0);
    notify_twice(lanes);
    CHECK(EVENTUALLY(notified == 2));
    struct occupation occupation = lanes_occupy(lanes);
    notify_twice(lanes);
    CHECK_EQUAL(notified, 2);
    lanes_vacate(occupation);
    CHECK(EVENTUALLY(notified == 4) && lanes_end(lanes));
}

static struct lane_log contexts;

static weir_lanes_t make_logged(size_t width, size_t null_from) {
    weir_lanes_options_t options = lane_log_options(&contexts, null_from);
    options.width = width;
    weir_lanes_t lanes = weir_lanes_create(&options);
    REQUIRE(lanes != NULL);
    check_row("width %zd", (ssize_t)width);
    return lanes;
}

static void use_alone(void *user, void *lane_context) {
    struct lane_context *context = lane_context;
    long mark = context->value;
    context->value = mark + 1;
    let_others_run(mark / 2);
    CHECK_EQUAL(context->value, mark + 1);
    context->value = mark + 2;
}

TEST(each_lane_has_one_context) {
    EACH(size_t, width, 1, 2, 7, WEIR_LANES_INLINE) {
        weir_lanes_t lanes = make_logged(width, SIZE_MAX);
        size_t count = width == WEIR_LANES_INLINE ? 1 : width;
        __block size_t lane = 0;
        __block long uses = 0;
        CHECK(lane_log_has(&contexts, count));
        for (int job = 0; job < 500; job++) {
            CHECK_EQUAL(weir_lanes_async_f(lanes, NULL, use_alone), 0);
        }
        CHECK(lanes_wait(lanes) && lane_log_destroyed(&contexts, 0));
        int error = weir_lanes_each_b(lanes, ^(void *context) {
          CHECK(context == &contexts.contexts[lane++]);
          uses += ((struct lane_context *)context)->value / 2;
        });
        CHECK(error == 0 && uses == 500 && lane == count);
        weir_lanes_release(lanes);
        CHECK(EVENTUALLY(lane_log_destroyed(&contexts, 1)));
        CHECK_EQUAL(contexts.created, count);
    }
}

TEST(a_null_context_is_a_context_like_any_other) {
    EACH(size_t, width, 3, WEIR_LANES_INLINE) {
        weir_lanes_t lanes = make_logged(width, 0);
        struct meter *ran = &(struct meter){0};
        for (int job = 0; job < 20; job++) {
            int error = weir_lanes_async(lanes, ^(void *context) {
              CHECK(context == NULL);
              meter_enter(ran);
            });
            CHECK_EQUAL(error, 0);
        }
        CHECK(lanes_end(lanes) && ran->ever == 20);
        CHECK(EVENTUALLY(contexts.nulls_destroyed == (width == 3 ? 3 : 1)));
    }
}

TEST(an_inline_job_runs_on_the_caller_before_the_submit_returns) {
    LANES(lanes, "lanes", WEIR_LANES_INLINE, 1);
    pthread_t caller = pthread_self();
    static int ran;
    CHECK_EQUAL(lanes_stats(lanes).width, 1);
    for (int number = 1; number <= 50; number++) {
        lanes_submit(lanes, ^{
          ran += pthread_equal(pthread_self(), caller) != 0;
        });
        CHECK_EQUAL(ran, number);
    }
    CHECK_EQUAL(weir_lanes_wait(lanes, DISPATCH_TIME_NOW), 0);
    CHECK_EQUAL(lanes_stats(lanes).peak, 1);
}

/* Submits a node of a binary tree; its children are 2 * node and 2 * node + 1. */
static void submit_node(weir_lanes_t lanes, int node, struct meter *visited) {
    lanes_submit(lanes, ^{
      meter_enter(visited);
      CHECK_EQUAL(node, visited->ever);
      for (int child = 2 * node; child < 64 && child / 2 == node; child++) {
          submit_node(lanes, child, visited);
      }
      meter_leave(visited);
    });
}

TEST(a_job_submitted_by_an_inline_job_runs_after_it) {
    LANES(lanes, "lanes", WEIR_LANES_INLINE, 0);
    struct meter visited = {0};
    submit_node(lanes, 1, &visited);
    CHECK(visited.ever == 63 && visited.most == 1);
}

static void submit_chain(weir_lanes_t lanes, int *left) {
    lanes_submit(lanes, ^{
      --*left > 0 ? submit_chain(lanes, left) : (void)0;
    });
}

TEST(a_long_chain_of_inline_jobs_needs_no_stack) {
    LANES(lanes, "lanes", WEIR_LANES_INLINE, 0);
    int left = 100000;
    submit_chain(lanes, &left);
    CHECK_EQUAL(left, 0);
}
