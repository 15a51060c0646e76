/* readers_tests.c: the decision on the number of readers; the storage is simulated. */
#include "files/readers/plan.h"
#include "processor.h"
#include "tree.h"

struct search {
    struct readers_plan plan;
    uint64_t readers;
    int count;
    uint64_t history[3000];
};

static struct search search;

static void begin(uint64_t least, uint64_t most) {
    weir__readers_plan_begin(&search.plan, least, most);
    search.readers = least;
    search.count = 0;
}

static void advance(struct readers_interval interval) {
    if (interval.readers == 0) {
        interval.readers = search.readers;
    }
    search.readers = weir__readers_plan_next(&search.plan, &interval);
    search.history[search.count++] = search.readers;
}

/* Each file made its reader wait, and the cores were idle half of the time. */
static struct readers_interval waiting(uint64_t files) {
    return (struct readers_interval){.nanoseconds = 16000000,
                                     .cpu = 16000000,
                                     .cores = 2,
                                     .waits = files,
                                     .files = files,
                                     .is_full = true};
}

/* The cores were busy, as in a warm cache. */
static struct readers_interval warm(uint64_t files) {
    struct readers_interval interval = waiting(files);
    interval.cpu = 30000000;
    interval.waits = files / 20;
    return interval;
}

static void check_history(int since, uint64_t least, uint64_t most) {
    for (int index = since; index < search.count; index++) {
        CHECK(search.history[index] >= least && search.history[index] <= most,
              "%ju after %d intervals", (uintmax_t)search.history[index],
              index);
    }
}

/* Checks that a number of intervals leave 8 readers, of 64 at most. */
static void check_eight(int intervals, struct readers_interval (^next)(void)) {
    begin(8, 64);
    for (int turn = 0; turn < intervals; turn++) {
        advance(next());
    }
    check_history(0, 8, 8);
}

TEST(readers_that_do_not_wait_get_no_more) {
    __block struct check_random random = check_random("warm");
    check_eight(2000, ^{
      return warm(check_below(&random, 8000) + 1);
    });
    /* Other processes take the cores: this one uses little time, but its readers do
       not sleep. */
    check_eight(2000, ^{
      struct readers_interval interval = warm(check_below(&random, 1000) + 100);
      interval.cpu = check_below(&random, 20) * 1000000;
      return interval;
    });
    check_eight(500, ^{
      struct readers_interval interval = waiting(40);
      interval.is_full = false;
      return interval;
    });
}

/* From any number, in as many intervals as doublings, and one more. */
TEST(waiting_readers_reach_the_limit_soon) {
    static const int rows[][3] = {
        {1, 64, 7}, {8, 64, 4}, {16, 64, 3}, {4, 200, 7}, {12, 17, 2}};
    for (int row = 0; row < 5; row++) {
        begin((uint64_t)rows[row][0], (uint64_t)rows[row][1]);
        for (int turn = 0; turn < rows[row][2]; turn++) {
            uint64_t before = search.readers;
            advance(waiting(40));
            CHECK(search.readers >= before);
        }
        CHECK_EQUAL(search.readers, rows[row][1]);
    }
}

TEST(readers_that_no_longer_wait_are_taken_away) {
    begin(8, 64);
    for (int turn = 0; turn < 200; turn++) {
        advance(waiting(10 * search.readers));
    }
    check_history(4, 64, 64);
    for (int turn = 0; turn < 16; turn++) {
        advance(warm(5000));
    }
    CHECK_EQUAL(search.readers, 8);
    CHECK_EQUAL(search.plan.reason, WEIR_READERS_CORES);
    for (int turn = 0; turn < 4; turn++) {
        advance(waiting(40));
    }
    CHECK_EQUAL(search.readers, 64);
    CHECK_EQUAL(search.plan.reason, WEIR_READERS_WAITING);
}

/* The system may have fewer threads than were asked for. */
TEST(a_smaller_number_is_accepted) {
    begin(8, 64);
    for (int turn = 0; turn < 100; turn++) {
        struct readers_interval interval = waiting(40);
        interval.readers = search.readers < 11 ? search.readers : 11;
        advance(interval);
    }
    check_history(10, 0, 11);
}

/* Rotating disks have one reader, and `--jobs` fixes the number. */
TEST(the_number_is_always_within_its_limits) {
    struct check_random random = check_random("limits");
    for (int turn = 0; turn < 200; turn++) {
        uint64_t least = check_below(&random, 20) + 1;
        uint64_t most = least + turn % 4 * check_below(&random, 60);
        begin(least, most);
        for (int index = 0; index < 300; index++) {
            advance((struct readers_interval){
                .nanoseconds = check_below(&random, 40000000) + 1,
                .cpu = check_below(&random, 60000000),
                .cores = 2,
                .waits = check_below(&random, 100),
                .files = check_below(&random, 100),
                .is_full = check_below(&random, 2) == 1});
        }
        check_history(0, least, most);
    }
}

TEST(a_fixed_number_of_lanes_stays) {
    const char *root = tree_of_files(150);
    for (size_t jobs = 1; jobs <= 3; jobs += 2) {
        lanes_created = 0;
        PROCESSOR(processor, .jobs = jobs, .files.lane_create = count_lane,
                  .call = slow);
        CHECK_EQUAL(process(processor, root), 0);
        weir_files_stats_t stats = statistics(processor);
        CHECK((size_t)processor->working.most <= jobs && lanes_created == jobs);
        CHECK(stats.lanes == jobs && stats.readers == jobs);
        CHECK_EQUAL(stats.readers_reason, WEIR_READERS_AS_GIVEN);
    }
}

TEST(few_descriptors_leave_the_first_number_of_lanes) {
    PROCESSOR(processor, .jobs = 4, .files.jobs_max = 64,
              .files.descriptors = 1, .call = slow);
    CHECK_EQUAL(process(processor, tree_of_files(300)), 0);
    CHECK_EQUAL(statistics(processor).lanes, 4);
}
