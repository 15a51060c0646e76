/* ahead_tests.c: listings ahead of a walk, for any limits. */
#include "descriptors.h"
#include "objects.h"
#include "refusal.h"
#include "walk/ahead.h"
#include "walk/pace.h"
#include "walked.h"

static const struct ahead_limits many = {64, 16, 4 << 20, 128 << 10, true};

static struct ahead_limits some_limits(struct check_random *random) {
    static const size_t windows[] = {1, 4, 100};
    size_t listing = 600 + check_below(random, 20000);
    return (struct ahead_limits){
        .window = 1 + check_below(random, windows[check_below(random, 3)]),
        .threads = 1 + check_below(random, 16),
        .bytes =
            listing * (1 + check_below(random, 3)) +
            check_below(random, (size_t)1 << (12 + check_below(random, 10))),
        .listing_bytes = listing,
        .is_constant = true};
}

struct plan {
    weir_walk_options_t options;
    /* One of five directories is skipped, chosen by this number, if it is not 0. */
    uint64_t skips;
};

/* Walks with listings ahead, which begin after the root, or, without limits, in one
   thread. */
static struct walked walk_ahead(const char *root, struct plan plan,
                                const struct ahead_limits *limits) {
    __block struct check_random random = {plan.skips};
    plan.options.flags |= limits == NULL ? WEIR_WALK_ONE_THREAD : 0;
    return walk(root, plan.options, ^(weir_walk_t walk, size_t count) {
      if (count == 1 && limits != NULL) {
          weir__ahead_begin(walk, limits);
      }
      if (plan.skips != 0 && check_below(&random, 5) == 0) {
          weir_walk_skip(walk);
      }
    });
}

static struct walked check_ahead(const char *root, struct plan plan,
                                 const struct ahead_limits *limits) {
    struct walked expected = walk_ahead(root, plan, NULL);
    struct walked found = walk_ahead(root, plan, limits);
    CHECK_EQUAL(expected.ahead, 0);
    check_same_walk(found, expected);
    return found;
}

static const struct plan whole;

static void wait_for_listings(void) {
    weir_gate_t gate = weir_descriptor_gate();
    size_t budget = weir_descriptor_budget();
    gate_take(gate, budget);
    weir_gate_signal(gate, budget);
}

static const char *tangle(void) {
    const char *root = tree_of("!a/ !b/ !b/c/ !a/up>.. !a/across>../!b "
                               "!b/c/me>me !b/back>../!a");
    make_link(root, "!b/c/top", root);
    return root;
}

static void check_round(int round) {
    static const weir_walk_filter_t filters[] = {
        {.include = false, .pattern = "*1*"},
        {.include = true, .pattern = "n*"},
        {.include = false, .pattern = "name?\?/"}};
    struct check_random random = check_random(text("walk ahead %d", round));
    const char *root = round % 2 == 0 ? tangle() : tree_create();
    tree_fill(root, &random, 50 + (int)check_below(&random, 800), 0);
    for (int turn = 0; turn < 12; turn++) {
        struct plan plan = {
            .options = {.flags = (unsigned)check_below(&random, 4),
                        .filters = &filters[check_below(&random, 3)],
                        .filter_count = check_below(&random, 2),
                        .max_depth = check_below(&random, 3) > 0
                                         ? 0
                                         : 1 + check_below(&random, 4)},
            .skips = check_below(&random, 2) * check_next(&random)};
        struct ahead_limits limits = some_limits(&random);
        check_row("round %d turn %d: flags %u, depth %zu", round, turn,
                  plan.options.flags, plan.options.max_depth);
        check_ahead(root, plan, &limits);
    }
}

/* A third of the rounds, chosen by the seed. */
TEST(any_limits_give_the_entries_of_one_thread) {
    for (int round = (int)check_setting("WEIR_TEST_SEED", 1) % 3; round < 12;
         round += 3) {
        check_round(round);
    }
}

/* Below the first level every open fails. */
TEST(errors_are_in_their_place) {
#ifdef WEIR_POSIX
    check_skip("it makes openat2 fail");
#endif
    const char *root = tree_create();
    for (int number = 0; number < 150; number++) {
        make_text(root, text("%d/%d/f", number % 3, number), "");
    }
    REQUIRE(refuse_calls(SYS_openat2, EACCES) == 0);
    struct walked found = check_ahead(root, whole, &many);
    size_t refused = 0;
    for (size_t index = 0; index < found.count; index++) {
        const weir_walk_entry_t *entry = &found.entries[index];
        refused += entry->depth == 2 && entry->error == EACCES &&
                   entry->type == WEIR_ENTRY_DIRECTORY;
    }
    CHECK_EQUAL(refused, 150);
}

/* The listing is older than its place, and its links lead nowhere. */
TEST(a_replaced_directory_is_not_followed) {
    const char *root = tree_create(), *elsewhere = tree_of("sub/ sub/secret");
    for (int number = 100; number < 200; number++) {
        make_text(root, text("d%d/sub/f", number), "");
    }
    struct walked walked = walk(
        root, (weir_walk_options_t){.flags = 0},
        ^(weir_walk_t walk, size_t count) {
          if (count == 1) {
              weir__ahead_begin(walk, &many);
          }
          for (int number = 101; count == 2 && number < 200; number++) {
              char *name = text("d%d", number);
              rename(join(root, name), join(root, text("moved%d", number)));
              make_link(root, name, elsewhere);
          }
        });
    CHECK(walked.count >= 102, "%zu", walked.count);
    CHECK(strstr(describe_walk(walked, root), "secret") == NULL);
}

/* Returns the most bytes of the heap that a walk had in use. The walk waits until its
   listings ahead have taken half of their memory, and, so far, all of it. */
static size_t peak_of_walk(const char *root,
                           const struct ahead_limits *limits) {
    weir_walk_t walk = weir_walk_create(root, 0);
    weir_walk_entry_t entry;
    size_t before = heap_bytes_in_use(), peak = before;
    for (int count = 1; weir_walk_next(walk, &entry); count++) {
        if (count == 1 && limits != NULL) {
            weir__ahead_begin(walk, limits);
        } else if (count == 2 && limits != NULL) {
            CHECK(EVENTUALLY(heap_bytes_in_use() > before + limits->bytes / 2));
            wait_for_listings();
        }
        size_t now = heap_bytes_in_use();
        peak = now > peak ? now : peak;
    }
    CHECK(limits == NULL || weir_walk_listed_ahead(walk) > 10);
    weir_walk_destroy(walk);
    return peak - before;
}

TEST(memory_is_bounded) {
    enum { DIRECTORIES = 70, FILES = 35, SIZE = 200 };
    const struct ahead_limits limits = {DIRECTORIES, 4, 100000, 10000, true};
    const char *root = tree_create();
    if (heap_bytes_in_use() == 0) {
        check_skip("a sanitizer does not count the bytes in use");
    }
    for (int number = 0; number < DIRECTORIES * FILES; number++) {
        make_text(root, text("d%d/%0*d", number / FILES, SIZE, number), "");
    }
    peak_of_walk(root, &limits); /* libdispatch begins */
    size_t plain = peak_of_walk(root, NULL);
    size_t peak = peak_of_walk(root, &limits);
    /* Of each of the 4 threads: the buffer of its reads (32 KiB), and the listing that it
       reads, twice while it grows (16 KiB each). */
    size_t most = plain + limits.bytes + (size_t)4 * (64 << 10);
    CHECK(peak <= most, "%zu bytes, %zu without", peak, plain);
    /* All listings together would have been more. */
    CHECK(DIRECTORIES * FILES * SIZE > most);
}

TEST(nothing_is_left_after_an_early_end) {
    struct check_random random = check_random("early end");
    const char *root = tree_at_random("early end", 1000, 0);
    settle_descriptors();
    walk_ahead(root, whole, &many);
    wait_for_listings();
    int before = open_descriptors().count;
    for (int length = 1; length < 100; length++) {
        struct ahead_limits limits = some_limits(&random);
        weir_walk_t walk = weir_walk_create(root, 0);
        weir_walk_entry_t entry;
        for (int count = 1; count <= length && weir_walk_next(walk, &entry);
             count++) {
            if (count == 1) {
                weir__ahead_begin(walk, &limits);
            }
        }
        weir_walk_destroy(walk);
    }
    wait_for_listings();
    /* libdispatch opens one for a moment every second. */
    CHECK(EVENTUALLY(open_descriptors().count == before));
    CHECK_EQUAL(gate_stats(weir_descriptor_gate()).in_use, 0);
}

/* As on a dead server. The process that holds the calls can list nothing, not even to
   remove the tree. */
TEST(a_stop_does_not_wait_for_a_listing) {
    const char *root = tree_create();
    for (int number = 0; number < 500; number++) {
        make_directory(root, text("d%d", number));
    }
    struct check_process end = check_process(^{
      static _Atomic int stop;
      struct ahead_limits limits = many;
      limits.window = 16;
      weir_walk_t walk = weir_walk_create(root, 0);
      weir_walk_entry_t entry;
      weir__walk_attach(walk, &stop, NULL);
      int count = 0;
      while (weir_walk_next(walk, &entry)) {
          count++;
          if (count == 1) {
              weir__ahead_begin(walk, &limits);
          } else if (count == 20) {
              REQUIRE(hold_calls(SYS_getdents64) == 0);
              stop = ECANCELED;
          }
      }
      /* The window had been listed or is held; the rest was not begun. */
      CHECK(count >= 20 && count <= 40, "%d", count);
      weir_walk_destroy(walk);
    });
    CHECK(end.status == 0, "%s", end.errors);
}

TEST(a_small_budget_is_not_exceeded) {
    const char *root = tree_at_random("small budget", 400, 0);
    EACH(size_t, budget, 1, 2, 3, 5) {
        check_row("budget %zu", budget);
        CHECK_EQUAL(weir_descriptor_set_budget(budget), 0);
        struct walked found = check_ahead(root, whole, &many);
        CHECK_EQUAL(found.ahead > 0, budget > 1);
        wait_for_listings();
        /* The most so far: the budgets grow. wait_for_listings takes all. */
        CHECK(gate_stats(weir_descriptor_gate()).peak <= budget, "%zu",
              gate_stats(weir_descriptor_gate()).peak);
    }
}

/* The walk gives each listing a moment to begin. */
TEST(without_threads_the_walk_lists_itself) {
    const char *root = tree_at_random("no threads", 50, 0);
    while_threads_are_taken(^{
      CHECK_EQUAL(check_ahead(root, whole, &many).ahead, 0);
    });
}

static uint64_t processor_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The sleeps are the waits that are measured; nothing depends on their length. */
TEST(a_listing_has_waited_as_long_as_it_was_not_running) {
    const uint64_t busy = 20000000;
    struct pace_sample sample;
    weir__pace_begin(&sample, true);
    usleep(1);
    uint64_t begun = processor_nanoseconds();
    while (processor_nanoseconds() < begun + busy) {
    }
    weir__pace_end(&sample);
    CHECK(sample.waited + busy / 4 * 3 < sample.time, "%ju of %ju",
          (uintmax_t)sample.waited, (uintmax_t)sample.time);
    weir__pace_begin(&sample, true);
    usleep(20000);
    weir__pace_end(&sample);
    CHECK(sample.waited > sample.time / 2, "%ju of %ju",
          (uintmax_t)sample.waited, (uintmax_t)sample.time);
}
