/* stop_tests.c: runs that are cancelled, or ended by their delivery or by admit. */
#include "files/processor/processor.h"
#include "objects.h"
#include "processor.h"
#include "tree.h"

static struct processor *running;

static void cancel(void) { weir_files_cancel(running->files); }
static int job_count(void) { return (int)running->working.ever; }

static pthread_t start(struct processor *processor, const char *root,
                       int error) {
    return thread_start(^{
      CHECK_EQUAL(process(processor, root), error);
    });
}

static void check_cancel(const char *root, struct paths files, size_t jobs,
                         size_t batch, int stop) {
    PROCESSOR(
        processor, .jobs = jobs, .batch = batch, .job = ^(weir_file_t *file) {
          if (job_count() >= stop) {
              cancel();
          }
          return 0;
        });
    running = processor;
    CHECK_EQUAL(process(processor, root), ECANCELED);
    check_paths(processor, files.paths, processor->count);
    CHECK(job_count() < stop + (int)(jobs < 16 ? jobs : 16) + 1);
    CHECK(jobs == 2 || jobs == 16 ||
          (processor->count == (size_t)stop && job_count() == stop));
}

TEST(a_cancelled_run_delivers_a_beginning) {
    static const int stops[] = {1, 2, 37, 150};
    const char *root = tree_of_files(200);
    struct paths files = find(root, "-type f");
    at_widths("1 5 64", ^(size_t jobs, size_t batch) {
      for (int row = 0; row < 4; row++) {
          check_cancel(root, files, jobs, batch, stops[row]);
      }
    });
}

/* The first job waits until others are done. Then it cancels, so that between them
   there are files that no lane has read; or the delivery refuses its result. If the
   other lane has taken the second file of the batch, there is no gap: once more. */
static void check_gap(size_t batch, int error, unsigned flags) {
    struct latch *others = latch_create(4);
    __block _Atomic bool is_filled = false;
    const char *root = tree_of_files(40);
    PROCESSOR(
        processor, .jobs = 2, .batch = batch, .flags = flags,
        .job =
            ^(weir_file_t *file) {
              bool first = path_ends(file, "/f1000");
              if (path_ends(file, "/f1001")) {
                  is_filled = true;
              }
              if (!first) {
                  latch_arrive(others);
              } else if (!latch_wait(others)) {
                  return ETIMEDOUT;
              } else if (error == ECANCELED) {
                  cancel();
              }
              return 0;
            },
        .deliver =
            ^(const weir_files_batch_t *results) {
              return error == ECANCELED ? 0 : error;
            });
    running = processor;
    CHECK_EQUAL(process(processor, root), error);
    if (batch > 1 && is_filled) {
        check_gap(batch, error, flags);
    } else if (flags == 0) {
        CHECK_TEXT(outcomes(processor, root), "f1000 done");
        CHECK_EQUAL(processor->delivering.ever, 1);
    } else {
        CHECK_EQUAL(processor->count, job_count());
        CHECK(processor->count > 4);
        check_all_done(processor, processor->count);
    }
}

TEST(nothing_is_delivered_after_a_gap) { check_gap(2, ECANCELED, 0); }

TEST(what_has_ended_is_delivered_after_a_gap_if_it_is_asked_for) {
    check_gap(2, ECANCELED, WEIR_FILES_WITH_GAPS);
}

TEST(nothing_is_delivered_after_an_error) { check_gap(1, ENOSPC, 0); }

/* How a job reads: by weir_file_read, by weir_file_read_at, or without regard to
   errors. */
enum reading { PIECES, PARTS, CARELESS };

/* Reads the file b, which has no end, and cancels the run in the middle. */
static int read_for_long(weir_file_t *file, enum reading reading,
                         _Atomic int *reads) {
    const void *piece;
    char part[10];
    size_t length;
    if (!path_ends(file, "/b")) {
        return summarize(file);
    }
    int error = write_text(file, "output");
    if (reading == PARTS) {
        (void)weir_file_descriptor(file);
    }
    for (; error == 0 && *reads < 20; *reads += error == 0) {
        if (*reads == 2) {
            cancel();
        }
        error = reading == PARTS
                    ? weir_file_read_at(file, 0, part, sizeof part, &length)
                    : weir_file_read(file, &piece, &length);
    }
    return reading == CARELESS ? 0 : error;
}

TEST(a_file_that_takes_long_is_given_up) {
    const char *root = tree_of("a:1 b c:1");
    REQUIRE(truncate(join(root, "b"), (off_t)1 << 40) == 0);
    at_widths("0 1 2", ^(size_t jobs, size_t reading) {
      static _Atomic int reads;
      reads = 0;
      PROCESSOR(
          processor, .jobs = jobs, .batch = 64, .job = ^(weir_file_t *file) {
            return read_for_long(file, (enum reading)reading, &reads);
          });
      running = processor;
      weir__files_set_grace(processor->files, 0);
      CHECK(process(processor, root) == ECANCELED && reads == 2);
      CHECK_TEXT(outcomes(processor, root), "a done 1");
      CHECK(processor->torn == 0 && statistics(processor).failed == 0);
      CHECK_EQUAL(statistics(processor).changed, 0);
    });
}

static int times_begun;

static void cancel_begun(void *user) {
    times_begun++;
    cancel();
}

TEST(a_cancel_in_begun_opens_nothing) {
    PROCESSOR(
        processor, .files.begun = cancel_begun, .job = ^(weir_file_t *file) {
          CHECK(file == NULL, "a job was called");
          return 0;
        });
    running = processor;
    for (int round = 1; round <= 3; round++) {
        CHECK_EQUAL(process(processor, tree_of("a")), ECANCELED);
        CHECK(times_begun == round && processor->count == 0);
    }
    CHECK_EQUAL(processor->stats.opened, 0);
}

/* Until the grace is over, an open file is read to its end. */
TEST(an_open_file_may_end_after_a_cancel) {
    const char *root = tree_of("f:5242880");
    let_files_age();
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *file) {
          const void *piece;
          size_t length, rest;
          int error = weir_file_read(file, &piece, &length);
          cancel();
          int next = read_away(file, &rest);
          return error == 0 && length + rest == 5242880 ? next : EIO;
        });
    running = processor;
    weir__files_set_grace(processor->files, (uint64_t)1 << 60);
    CHECK_EQUAL(process(processor, root), ECANCELED);
    CHECK_TEXT(outcomes(processor, root), "f done 5242880");
}

/* The delivery takes all permits, and refuses when the next batch waits for one. */
TEST(an_error_of_the_delivery_ends_the_wait_for_descriptors) {
    weir_gate_t budget = weir_descriptor_gate();
    struct latch *taken = latch_create(1);
    __block int asked = 0;
    CHECK_EQUAL(weir_descriptor_set_budget(2), 0);
    PROCESSOR(
        processor, .jobs = 1, .batch = 1,
        .deliver =
            ^(const weir_files_batch_t *results) {
              if (weir_gate_try(budget, 2) != 0) {
                  return EAGAIN;
              }
              latch_arrive(taken);
              return EVENTUALLY(gate_stats(budget).waiting == 1) ? ENOSPC
                                                                 : ETIMEDOUT;
            },
        .admit =
            ^{
              return ++asked == 1 || latch_wait(taken) ? 0 : ETIMEDOUT;
            });
    thread_join(start(processor, tree_of_files(9), ENOSPC));
    CHECK(gate_stats(budget).in_use == 2 && gate_stats(budget).waiting == 0);
    weir_gate_signal(budget, 2);
}

/* `admit` may wait for every descriptor of the budget. */
TEST(descriptors_are_released_while_admit_waits) {
    weir_gate_t gate = weir_descriptor_gate();
    const char *root = tree_of_files(50);
    at_widths("1 4", ^(size_t jobs, size_t budget) {
      CHECK_EQUAL(weir_descriptor_set_budget(budget), 0);
      PROCESSOR(
          processor, .jobs = jobs, .batch = 1, .admit = ^{
            gate_take(gate, budget);
            weir_gate_signal(gate, budget);
            return 0;
          });
      CHECK(process(processor, root) == 0 && processor->count == 50);
      CHECK_EQUAL(gate_stats(gate).in_use, 0);
    });
}

/* Starts a run over 200 files, whose fiftieth job pauses it, and waits for the end of
   the jobs that run. */
static pthread_t start_and_pause(struct processor *processor, const char *root,
                                 int error) {
    running = processor;
    pthread_t runner = start(processor, root, error);
    CHECK(EVENTUALLY(job_count() >= 50 && processor->working.now == 0));
    return runner;
}

static int (^pause_once(void))(weir_file_t *) {
    static _Atomic bool paused;
    paused = false;
    /* Two lanes may pass the fiftieth at once. */
    return ^(weir_file_t *file) {
      if (job_count() >= 50 && !atomic_exchange(&paused, true)) {
          weir_files_pause(running->files);
      }
      return summarize(file);
    };
}

/* Open files are finished, and no other is opened while another processor reads a
   whole tree. */
TEST(nothing_is_opened_during_a_pause) {
    const char *root = tree_of_files(200);
    const char *other = tree_at_random("pause", 60, 100);
    at_widths("1 64", ^(size_t jobs, size_t batch) {
      int most = 50 + (int)(jobs == WEIR_LANES_INLINE ? 1 : jobs);
      PROCESSOR(processor, .jobs = jobs, .batch = batch, .job = pause_once());
      pthread_t runner = start_and_pause(processor, root, 0);
      for (int turn = 0; turn < 3; turn++) {
          PROCESSOR(another, .jobs = 2);
          CHECK(process(another, other) == 0 && job_count() <= most);
          CHECK(statistics(processor).opened <= (uint64_t)most);
      }
      weir_files_pause(processor->files); /* does not add up */
      weir_files_resume(processor->files);
      thread_join(runner);
      CHECK_EQUAL(processor->count, 200);
      check_summaries(processor);
    });
}
