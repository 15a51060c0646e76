/* descriptors_tests.c: the budget of descriptors is half of the limit less the open
   descriptors, shrinks to what fits, and grows back. */
#include "descriptors.h"
#include "objects.h"
#include "processor.h"
#include "tree.h"
#include <sched.h>
#include <sys/resource.h>

/* In a process of its own: the budget is computed once. */
static void check_budget(size_t limit, int more) {
    for (int copy = 0; copy < more; copy++) {
        CHECK(dup(0) >= 0);
    }
    limit_descriptors(limit);
    int open = open_descriptors().count, half = (int)limit / 2;
    int expected = half > open ? half - open : 1;
    CHECK(weir_descriptor_limit() == limit && open >= more);
    CHECK_EQUAL(weir_descriptor_budget(), expected);
    CHECK_EQUAL(gate_stats(weir_descriptor_gate()).permits, expected);
    CHECK_EQUAL(open_descriptors().count, open);
}

TEST(the_budget_is_half_of_the_limit_less_the_open_descriptors) {
    static const size_t limits[] = {8, 16, 24, 64, 256, 1024};
    static const int more[] = {0, 3, 30};
    for (int row = 0; row < 18; row++) {
        struct check_process end = check_process(^{
          check_budget(limits[row / 3], more[row % 3]);
        });
        CHECK(end.status == 0, "row %d: %s", row, end.errors);
    }
}

TEST(the_budget_has_a_bound) {
    struct rlimit limits;
    getrlimit(RLIMIT_NOFILE, &limits);
    if (limits.rlim_max <= 2200000) {
        check_skip("the hard limit is too low");
    }
    limit_descriptors(2200000);
    CHECK_EQUAL(weir_descriptor_budget(), 1048576);
}

/* The permits in use when an open failed did not fit; one less does. Simultaneous
   failures count as one. Each success and each request of the budget may let it grow. */
TEST(the_budget_shrinks_to_the_number_that_fits_and_grows_back) {
    weir_gate_t gate = weir_descriptor_gate();
    CHECK_EQUAL(weir_descriptor_set_budget(24), 0);
    CHECK_EQUAL(weir_descriptor_budget(), 24);
    gate_take(gate, 10);
    for (size_t attempt = 1; attempt <= 5; attempt++) {
        errno = ERANGE;
        CHECK(
            weir_descriptor_retry(attempt % 2 == 0 ? EMFILE : ENFILE, attempt));
        CHECK(errno == ERANGE && gate_stats(gate).permits == 9);
    }
    weir_gate_signal(gate, 10);
    CHECK(weir_gate_try(gate, 10) == EINVAL && weir_gate_try(gate, 9) == 0);
    CHECK(weir_descriptor_retry(EMFILE, 1) && gate_stats(gate).permits == 8);
    weir_gate_signal(gate, 9);
    /* With no permit in use, it is not the budget that is too large. */
    CHECK(weir_descriptor_retry(EMFILE, 1) && gate_stats(gate).permits == 8);
    size_t last = 8;
    int growths = 0;
    CHECK(EVENTUALLY(({
        CHECK(!weir_descriptor_retry(0, 1));
        size_t budget = weir_descriptor_budget();
        CHECK(budget >= last, "%zu after %zu", budget, last);
        growths += budget > last;
        (last = budget) == 24;
    })));
    CHECK(growths >= 4, "%d growths", growths);
    CHECK(!weir_descriptor_retry(0, 1) && weir_descriptor_budget() == 24);
}

/* No callback runs with a lock held: a decision may wait for another thread that
   changes the same permits. */
TEST(decisions_are_delivered_without_the_lock) {
    static _Atomic bool decided;
    weir_gate_t gate = weir_descriptor_gate();
    CHECK_EQUAL(weir_descriptor_set_budget(8), 0);
    gate_take(gate, 1);
    int error = weir_gate_request(
        gate, 8,
        ^(int result) {
          CHECK_EQUAL(result, EINVAL);
          thread_join(thread_start(^{
            CHECK_EQUAL(weir_descriptor_set_budget(5), 0);
          }));
          decided = true;
        },
        NULL);
    CHECK(error == 0 && weir_descriptor_set_budget(4) == 0);
    CHECK(decided && gate_stats(gate).permits == 5);
    weir_gate_signal(gate, 1);
}

TEST(only_a_shortage_is_tried_again) {
    static const struct {
        int error;
        size_t attempt;
        bool again;
    } rows[] = {{EINTR, 1, true},      {EINTR, 1000000, true},
                {ENOENT, 1, false},    {EACCES, 1, false},
                {EIO, 1, false},       {ENOMEM, 1, false},
                {EMFILE, 2001, false}, {ENFILE, SIZE_MAX / 2, false}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_row("error %d, attempt %zu", rows[row].error, rows[row].attempt);
        CHECK(weir_descriptor_retry(rows[row].error, rows[row].attempt) ==
              rows[row].again);
    }
    CHECK_EQUAL(weir_descriptor_set_budget(0), EINVAL);
    CHECK_EQUAL(weir_descriptor_set_budget(1048577), EINVAL);
}

/* No descriptor is free while files are processed, until the budget has shrunk: no
   file is lost. */
TEST(the_file_processor_survives_a_shortage) {
    static _Atomic int jobs;
    static _Atomic bool is_short;
    static pthread_t helper;
    const char *root = tree_of_files(300);
    settle_descriptors();
    size_t limit = (size_t)open_descriptors().largest + 24;
    limit_descriptors(limit);
    CHECK_EQUAL(weir_descriptor_set_budget(12), 0);
    PROCESSOR(
        processor, .jobs = 4, .batch = 5, .job = ^(weir_file_t *file) {
          int number = ++jobs;
          if (number == 20) {
              helper = thread_start(^{
                /* The open descriptors stay open, and have the lowest numbers. */
                limit_descriptors(3);
                is_short = true;
                /* Soon: libdispatch traps if it has no descriptor to examine its threads
               by, each second. */
                while (weir_descriptor_budget() == 12) {
                    sched_yield();
                }
                limit_descriptors(limit);
              });
          }
          CHECK(number < 20 || EVENTUALLY(is_short));
          return summarize(file);
        });
    CHECK_EQUAL(process(processor, root), 0);
    thread_join(helper);
    check_all_done(processor, 300);
}
