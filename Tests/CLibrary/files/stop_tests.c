/* stop_tests.c: files that take long, `begun`, `admit` and pauses. (Tests/Schedules has runs
   that are cancelled, or ended by their delivery.) */
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
