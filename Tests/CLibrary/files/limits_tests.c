/* limits_tests.c: the limits of open descriptors. */
#include "descriptors.h"
#include "objects.h"
#include "processor.h"
#include "tree.h"

static size_t in_use(void) { return gate_stats(weir_descriptor_gate()).in_use; }

/* The most descriptors that a job has seen open below the root, without the two of the
   walk. */
static _Atomic int most_open;
static const char *counted_root;

static int count_and_summarize(weir_file_t *file) {
    struct open_below open = open_below(counted_root);
    int count = open.lanes + (open.walk > 2 ? open.walk - 2 : 0), most;
    do {
        most = most_open;
    } while (most < count &&
             !atomic_compare_exchange_weak(&most_open, &most, count));
    return summarize(file);
}

TEST(no_more_descriptors_are_open_than_allowed) {
    counted_root = tree_create();
    for (int number = 0; number < 120; number++) {
        make_text(counted_root, text("%d/%d", number % 3, number), "abc");
    }
    EACH(size_t, limit, 1, 2, 3, 5) {
        check_row("%zu descriptors", limit);
        most_open = 0;
        PROCESSOR(processor, .jobs = 4, .batch = 10, .files.descriptors = limit,
                  .call = count_and_summarize);
        CHECK_EQUAL(process(processor, counted_root), 0);
        check_all_done(processor, 120);
        CHECK(most_open >= 1 && most_open <= (int)limit, "%d", most_open);
        CHECK(statistics(processor).descriptors_peak <= limit);
        /* A listing ahead may end after the run. */
        CHECK(EVENTUALLY(in_use() == 0));
        struct open_below open = open_below(counted_root);
        CHECK(open.lanes == 0 && open.walk == 0);
    }
}

/* The limit is relative to the descriptors that are open in the beginning, since their
   number depends on the way the tests are run. */
static void check_small_limit(int more) {
    settle_descriptors();
    size_t limit = (size_t)(open_descriptors().largest + 1 + more);
    counted_root = tree_at_random("small limit", 200, 100);
    struct paths files = find(counted_root, "-type f");
    limit_descriptors(limit);
    size_t budget = weir_descriptor_budget();
    PROCESSOR(processor, .jobs = 16, .batch = 4, .call = count_and_summarize);
    CHECK_EQUAL(process(processor, counted_root), 0);
    check_paths(processor, files.paths, files.count);
    check_all_done(processor, files.count);
    CHECK(most_open <= (int)budget);
    CHECK(statistics(processor).descriptors_peak <= budget);
    limit_descriptors(256); /* for the removal of the tree */
}

TEST(a_limit_of_4_more_descriptors_is_enough) { check_small_limit(4); }
TEST(a_limit_of_12_more_descriptors_is_enough) { check_small_limit(12); }

TEST(a_removed_file_needs_no_more_descriptors_than_another) {
    const char *root = tree_create();
    make_text(root, "a/b/c", "abc");
    int first = take_descriptors(2);
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *file) {
          return unlink(weir_file_path(file, NULL)) ? errno : summarize(file);
        });
    CHECK_EQUAL(process(processor, root), 0);
    close_range((unsigned)first, ~0u, 0);
    CHECK_EQUAL(processor->count, 1);
    CHECK_EQUAL(processor->results[0].outcome, WEIR_FILE_CHANGED);
    CHECK_EQUAL(processor->results[0].error, ENOENT);
}

TEST(a_job_that_holds_a_permit_can_cancel_its_run) {
    weir_gate_t budget = weir_descriptor_gate();
    const char *root = tree_of("a");
    weir_lanes_t lanes = weir_lanes_create(&(weir_lanes_options_t){.width = 1});
    CHECK_EQUAL(weir_descriptor_set_budget(4), 0);
    gate_take(budget, 3);
    PROCESSOR(processor, .jobs = 1);
    CHECK_EQUAL(weir_lanes_async(lanes,
                                 ^(void *lane) {
                                   gate_take(budget, 1);
                                   CHECK_EQUAL(process(processor, root),
                                               ECANCELED);
                                   weir_gate_signal(budget, 1);
                                 }),
                0);
    CHECK(EVENTUALLY(gate_stats(budget).waiting == 1));
    weir_files_cancel(processor->files);
    CHECK_EQUAL(weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER), 0);
    weir_gate_signal(budget, 3);
    weir_lanes_release(lanes);
}
