/* waits_readers_tests.c: the number of lanes follows the storage, and a walk lists
   ahead only on slow storage. The storage is simulated by jobs that sleep: they wait,
   and the cores are idle. A busy machine is slow storage, too, so these tests want an
   idle one. */
#include "processor.h"
#include "walked.h"

#include <sys/resource.h>

/* The lanes of a later run are those of the run before. */
TEST(a_run_begins_with_the_first_number) {
    static struct meter at_first;
    const char *many = tree_of_files(3000), *few = tree_of_files(5);
    PROCESSOR(
        processor, .jobs = 2, .files.jobs_max = 8, .batch = 1,
        .files.lane_create = count_lane, .job = ^(weir_file_t *file) {
          size_t length;
          bool first =
              strncmp(weir_file_path(file, &length), few, strlen(few)) == 0;
          if (first) {
              meter_enter(&at_first);
          }
          int error = slow(file);
          if (first) {
              meter_leave(&at_first);
          }
          return error;
        });
    for (int turn = 0; turn < 2; turn++) {
        CHECK_EQUAL(process(processor, many), 0);
        CHECK(statistics(processor).lanes == 8 && process(processor, few) == 0);
        CHECK_EQUAL(statistics(processor).lanes, 2);
        CHECK_EQUAL(statistics(processor).readers, 2);
    }
    CHECK(at_first.most <= 2 && lanes_created <= 8);
}

/* Three quarters of the descriptors, with two for each lane. */
TEST(descriptors_limit_the_lanes) {
    PROCESSOR(processor, .jobs = 2, .files.jobs_max = 64,
              .files.descriptors = 16, .call = slow);
    CHECK_EQUAL(process(processor, tree_of_files(1500)), 0);
    check_all_done(processor, 1500);
    CHECK_EQUAL(statistics(processor).lanes, 6);
    CHECK(statistics(processor).descriptors_peak <= 16);
}

/* 512 MiB of addresses have no room for 64 stacks of 8 MiB. */
TEST(threads_limit_the_lanes) {
    PROCESSOR(processor, .jobs = 2, .files.jobs_max = 64, .call = slow);
    if (heap_bytes_in_use() == 0) {
        check_skip("the memory of a sanitizer has no limit");
    }
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)512 << 20, RLIM_INFINITY});
    CHECK_EQUAL(process(processor, tree_of_files(1500)), 0);
    check_all_done(processor, 1500);
    CHECK(statistics(processor).lanes < 64);
}

static weir_files_stats_t stats_of_run(const char *root, unsigned readers,
                                       struct processor_options options) {
    const weir_files_source_t source = {.path = root, .readers = readers};
    options.batch = 1;
    SCOPED *processor = processor_create(options);
    CHECK_EQUAL(process_sources(processor, &source, 1), 0);
    return statistics(processor);
}

/* For lanes, device slots, permits and the delivery. */
TEST(waits_are_counted) {
    int (^wait)(weir_file_t *) = ^(weir_file_t *file) {
      return usleep(200);
    };
    int (^admit)(void) = ^{
      return usleep(200);
    };
    const char *root = tree_of_files(200);
#define STATS(readers, ...)                                                    \
    stats_of_run(root, readers, (struct processor_options){__VA_ARGS__})
    weir_files_stats_t stats = STATS(0, .jobs = 1, .job = wait);
    CHECK(stats.waited_lanes > stats.feeding_time / 2);
    CHECK(stats.waited_readers == 0 && stats.waited_permits == 0);
    stats = STATS(1, .jobs = 4, .job = wait);
    CHECK(stats.waited_readers > stats.feeding_time / 2);
    stats = STATS(0, .jobs = 4, .files.descriptors = 1, .job = wait);
    CHECK(stats.waited_permits > stats.feeding_time / 2);
    PROCESSOR(delivery, .jobs = 4, .batch = 1, .admit = admit);
    CHECK_EQUAL(process(delivery, root), 0);
    stats = statistics(delivery);
    CHECK(stats.waited_delivery > stats.feeding_time / 2);
    CHECK_EQUAL(process(delivery, join(root, "f1000")), 0);
    stats = statistics(delivery);
    CHECK(stats.waited_delivery < stats.feeding_time);
}

/* Listings in memory never wait. Another process may have the pages evicted or a lock:
   not five times. */
TEST(a_tree_in_memory_is_walked_by_one_thread) {
    const char *root = tree_at_random("one thread", 3000, 0);
    int turns = 0;
    walk(root, (weir_walk_options_t){.flags = 0}, NULL);
    while (turns < 5 &&
           walk(root, (weir_walk_options_t){.flags = 0}, NULL).ahead > 0) {
        turns++;
    }
    CHECK(turns < 5);
}
