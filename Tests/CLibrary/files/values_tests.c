/* values_tests.c: the values of jobs, and `begun`. (Tests/Schedules has runs that end early.) */
#include "processor.h"
#include "tree.h"

enum { FILES = 100, VALUES = 2 * FILES };

static _Atomic int made[VALUES + 1], done[VALUES + 1], dropped[VALUES + 1];
static _Atomic int begun;
static weir_files_t cancelled;

/* Sets two values for a file that holds n: 2 n + 1 and 2 n + 2. Fails if n ends in 3. */
static int set_values(weir_file_t *file) {
    size_t size;
    const void *bytes;
    int error = weir_file_read(file, &bytes, &size);
    size_t number = error == 0 && size == 1 ? *(const unsigned char *)bytes : 0;
    for (size_t value = number * 2 + 1; value <= number * 2 + 2; value++) {
        weir_file_set_value(file, (void *)value);
        made[value]++;
    }
    return number % 10 == 3 ? EIO : error;
}

static void count_done(void *user, void *lane, void *value) {
    done[(size_t)value]++;
}

static void count_dropped(void *user, void *value) { dropped[(size_t)value]++; }

static void cancel_begun(void *user) {
    begun++;
    weir_files_cancel(cancelled);
}

/* The files hold their numbers. Every value is dropped once, and every second one delivered, in
   order. */
static void check_values(const char *root, size_t jobs, size_t batch_size) {
    memset(made, 0, sizeof made);
    memset(done, 0, sizeof done);
    memset(dropped, 0, sizeof dropped);
    __block size_t delivered = 0;
    PROCESSOR(
        processor, .jobs = jobs, .batch = batch_size, .files.done = count_done,
        .files.value_drop = count_dropped, .call = set_values,
        .deliver = ^(const weir_files_batch_t *batch) {
          for (size_t index = 0; index <= batch->count; index++) {
              size_t value = (size_t)weir_files_batch_value(batch, index);
              delivered += index < batch->count;
              CHECK_EQUAL(value, index < batch->count ? delivered * 2 : 0);
          }
          return 0;
        });
    CHECK(process(processor, root) == 0 && delivered == FILES);
    for (size_t value = 1; value <= VALUES; value++) {
        CHECK(dropped[value] == made[value], "%zu: %d", value, dropped[value]);
    }
}

/* A second value drops the first one. A failed file keeps its value, which may explain
   the error. */
TEST(every_value_is_delivered_and_dropped_once) {
    const char *root = tree_create();
    for (int number = 0; number < FILES; number++) {
        make_file(root, text("f%d", 100 + number), number, 1);
    }
    at_widths("1 7", ^(size_t jobs, size_t batch) {
      check_values(root, jobs, batch);
      for (int value = 1; value <= VALUES; value++) {
          CHECK_EQUAL(made[value], 1);
          CHECK_EQUAL(done[value], value % 2 == 0 && value % 20 != 8);
      }
    });
}

TEST(a_cancel_in_begun_opens_nothing) {
    const char *root = tree_of("a");
    PROCESSOR(
        processor, .files.begun = cancel_begun, .job = ^(weir_file_t *file) {
          CHECK(file == NULL, "a job was called");
          return 0;
        });
    cancelled = processor->files;
    for (int round = 1; round <= 3; round++) {
        CHECK_EQUAL(process(processor, root), ECANCELED);
        CHECK(begun == round && processor->count == 0);
    }
    CHECK_EQUAL(processor->stats.opened, 0);
}
