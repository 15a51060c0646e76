/* lanes_width_tests.c: the width of lanes changes while they work (lanes_width.c). */
#include "objects.h"
#include "queues/lanes_state.h"

static struct lane_log contexts;

static weir_lanes_t make(size_t width, size_t most, size_t null_from) {
    weir_lanes_options_t options = lane_log_options(&contexts, null_from);
    options.width = width;
    weir_lanes_t lanes = weir__lanes_create_variable(&options, most);
    REQUIRE(lanes != NULL);
    CHECK(lanes_stats(lanes).width == width && lane_log_has(&contexts, width));
    return lanes;
}

static void finish(weir_lanes_t lanes) {
    CHECK(lanes_end(lanes) && EVENTUALLY(lane_log_destroyed(&contexts, 1)));
}

TEST(lanes_are_made_as_they_are_needed) {
    static const struct {
        size_t asked, width, contexts;
    } rows[] = {{5, 5, 5}, {1, 1, 5}, {99, 10, 10}};
    weir_lanes_t lanes = make(2, 10, SIZE_MAX);
    for (int row = 0; row < 3; row++) {
        CHECK_EQUAL(weir__lanes_set_width(lanes, rows[row].asked),
                    rows[row].width);
        CHECK(contexts.created == rows[row].contexts &&
              lane_log_has(&contexts, rows[row].contexts));
    }
    finish(lanes);
}

TEST(a_greater_width_starts_queued_jobs) {
    weir_lanes_t lanes = make(2, 12, SIZE_MAX);
    struct meter *working = &(struct meter){0};
    struct latch *begun = latch_create(2), *all = latch_create(12);
    struct latch *go = latch_create(1);
    for (int job = 0; job < 12; job++) {
        lanes_submit(lanes, ^{
          meter_enter(working);
          latch_arrive(begun);
          latch_arrive(all);
          CHECK(latch_wait(go));
        });
    }
    CHECK(latch_wait(begun) && working->ever == 2);
    CHECK_EQUAL(weir__lanes_set_width(lanes, 12), 12);
    CHECK(latch_wait(all) && working->ever == 12);
    latch_arrive(go);
    finish(lanes);
}

static size_t at_work(weir_lanes_t lanes) {
    pthread_mutex_lock(&lanes->lock);
    size_t count = lanes->stats.running + lanes->stats.starting;
    pthread_mutex_unlock(&lanes->lock);
    return count;
}

TEST(a_smaller_width_holds_for_the_jobs_that_follow) {
    weir_lanes_t lanes = make(2, 8, SIZE_MAX);
    CHECK_EQUAL(weir__lanes_set_width(lanes, 8), 8);
    struct occupation occupation = lanes_occupy(lanes);
    CHECK_EQUAL(weir__lanes_set_width(lanes, 3), 3);
    struct meter *ran = &(struct meter){0};
    struct latch *go = latch_create(1);
    void (^job)(void) = ^{
      CHECK(latch_wait(go));
      meter_enter(ran);
    };
    for (int number = 0; number < 8; number++) {
        lanes_submit(lanes, job);
    }
    lanes_vacate(occupation);
    CHECK(EVENTUALLY(at_work(lanes) == 3));
    lanes_submit(lanes, job);
    CHECK_EQUAL(at_work(lanes), 3);
    latch_arrive(go);
    finish(lanes);
    CHECK_EQUAL(ran->ever, 9);
}

TEST(a_lane_without_context_is_not_added) {
    weir_lanes_t lanes = make(2, 8, 5);
    struct meter *done = &(struct meter){0};
    for (int time = 0; time < 2; time++) {
        CHECK_EQUAL(weir__lanes_set_width(lanes, 8), 5);
        CHECK_EQUAL(lanes_stats(lanes).width, 5);
    }
    lanes_submit_many(lanes, 500, done);
    CHECK(lanes_wait(lanes) && done->ever == 500);
    CHECK(lanes_stats(lanes).peak <= 5);
    finish(lanes);
    CHECK_EQUAL(contexts.nulls_destroyed, 0);
}
