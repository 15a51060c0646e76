/* delivery_tests.c: deliveries, output, and what a job sees. (runs_model_tests.c has the order
   of the files.) */
#include "processor.h"
#include "tree.h"

TEST(without_an_order_a_slow_file_holds_up_no_other) {
    const char *root = tree_of("a b");
    struct latch *delivered = latch_create(1);
    PROCESSOR(
        processor, .jobs = 2, .batch = 1, .flags = WEIR_FILES_UNORDERED,
        .job =
            ^(weir_file_t *file) {
              return path_ends(file, "/a") && !latch_wait(delivered) ? ETIMEDOUT
                                                                     : 0;
            },
        .deliver =
            ^(const weir_files_batch_t *batch) {
              latch_arrive(delivered);
              return 0;
            });
    CHECK_EQUAL(process(processor, root), 0);
    CHECK_TEXT(outcomes(processor, root), "b done, a done");
}

static _Atomic int lanes_made[4], lanes_destroyed[4];

static void *make_lane(void *user, size_t lane) {
    lanes_made[lane]++;
    return &lanes_destroyed[lane];
}

static void destroy_lane(void *lane) { ++*(_Atomic int *)lane; }

static void run_twice(size_t jobs) {
    PROCESSOR(processor, .jobs = jobs, .files.lane_create = make_lane,
              .files.lane_destroy = destroy_lane);
    for (int run = 0; run < 2; run++) {
        CHECK_EQUAL(process(processor, tree_of_files(9)), 0);
        CHECK(processor->count == 9 && lanes_destroyed[2] == 0);
    }
}

TEST(each_lane_has_one_context_for_all_runs) {
    run_twice(WEIR_LANES_INLINE);
    CHECK(lanes_made[0] == 1 && lanes_made[1] == 0);
    run_twice(3);
    for (int lane = 0; lane < 4; lane++) {
        int lanes = lane == 0 ? 2 : lane < 3;
        CHECK_EQUAL(lanes_made[lane], lanes);
        CHECK(EVENTUALLY(lanes_destroyed[lane] == lanes));
    }
}

TEST(one_run_at_a_time) {
    const char *path = make_file(tree_create(), "f", 0, 0);
    __block _Atomic int answer = 0;
    __block weir_files_t itself = NULL;
    PROCESSOR(
        processor, .job = ^(weir_file_t *file) {
          answer = weir_files_run(itself, &(weir_files_source_t){0}, 0);
          return 0;
        });
    itself = processor->files;
    CHECK_EQUAL(process(processor, path), 0);
    CHECK(answer == EBUSY && processor->count == 1);
    CHECK_EQUAL(process(processor, path), 0);
}

static int no_job(void *user, void *lane, weir_file_t *file) { return 0; }

TEST(invalid_options_and_sources_are_refused) {
    static const weir_files_options_t rows[] = {
        {.jobs = 1},
        {.job = no_job, .jobs = 201},
        {.job = no_job, .jobs_max = 201}};
    for (int row = 0; row < 3; row++) {
        errno = 0;
        CHECK(weir_files_create(&rows[row]) == NULL && errno == EINVAL);
    }
    PROCESSOR(processor, .jobs = 8, .files.jobs_max = 2); /* no limit below */
    weir_files_source_t source = {.kind = 9, .path = "x"};
    CHECK_EQUAL(process_sources(processor, &source, 1), EINVAL);
    CHECK_EQUAL(process(processor, "/dev/null"), 0);
}

TEST(a_job_sees_its_file) {
    enum { SIZE = 3000000 };
    const char *path = make_varied_file(tree_create(), "big", SIZE);
    __block size_t done = 0;
    size_t size;
    char *bytes = contents(path, &size), *seen = malloc(SIZE);
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *file) {
          const void *piece;
          size_t length;
          CHECK_EQUAL(lseek(weir_file_descriptor(file), 0, SEEK_CUR), 0);
          CHECK_TEXT(weir_file_path(file, &length), path);
          CHECK_EQUAL(length, strlen(path));
          CHECK_EQUAL(weir_file_status(file)->st_size, SIZE);
          while (weir_file_read(file, &piece, &length) == 0 && length > 0) {
              CHECK(length <= 1 << 20 && length <= SIZE - done);
              memcpy(seen + done, piece, length);
              done += length;
          }
          CHECK_EQUAL(weir_file_read(file, &piece, &length), 0);
          return length == 0 ? 0 : EIO;
        });
    CHECK_EQUAL(process(processor, path), 0);
    check_all_done(processor, 1);
    CHECK_BYTES(seen, done, bytes, size);
    CHECK_EQUAL(processor->results[0].bytes, SIZE);
    CHECK_EQUAL(processor->stats.bytes, SIZE);
    free(bytes);
    free(seen);
}

TEST(output_is_reserved_and_committed_in_pieces) {
    const char *root = tree_of_files(20);
    PROCESSOR(
        processor, .batch = 6, .job = ^(weir_file_t *file) {
          size_t length;
          const char *path = weir_file_path(file, &length);
          EACH(size_t, size, 0, 1, 10, 5000, 3) {
              char *room = weir_file_reserve(file, size + 100);
              if (room == NULL) {
                  return ENOMEM;
              }
              memset(room, path[length - 1], size);
              weir_file_commit(file, size);
          }
          return 0;
        });
    CHECK_EQUAL(process(processor, root), 0);
    check_all_done(processor, 20);
    CHECK_EQUAL(processor->torn, 0);
    foreach (result, processor) {
        char last[] = {result->path[result->path_length - 1], 0};
        CHECK_EQUAL(result->output_length, 5014);
        CHECK_EQUAL(strspn(result->output, last), 5014);
    }
}

TEST(an_impossible_size_of_output_is_refused) {
    const char *path = make_file(tree_create(), "f", 0, 0);
    PROCESSOR(
        processor, .job = ^(weir_file_t *file) {
          int error = write_text(file, "123");
          EACH(size_t, size, INT64_MAX, INT64_MAX - 2, -1, -50) {
              CHECK(weir_file_reserve(file, size) == NULL);
          }
          return error;
        });
    CHECK(process(processor, path) == 0 && processor->count == 1);
    CHECK_TEXT(output_of(processor), "123");
}

TEST(a_descriptor_is_read_from_its_offset_and_not_closed) {
    int ends[2];
    char *bytes = calloc(1, 500000);
    REQUIRE(pipe(ends) == 0);
    int reading = ends[0], writing = ends[1];
    pthread_t writer = thread_start(^{
      CHECK_EQUAL(write(writing, bytes, 500000), 500000);
      close(writing);
    });
    PROCESSOR(processor);
    CHECK_EQUAL(process_descriptor(processor, reading, "the pipe"), 0);
    thread_join(writer);
    CHECK_TEXT(outcomes(processor, ""), "the pipe named done 500000");
    CHECK_TEXT(output_of(processor), summary_of(bytes, 500000));
    CHECK_EQUAL(processor->results[0].type, WEIR_ENTRY_FIFO);
    CHECK(fcntl(reading, F_GETFD) >= 0);
    free(bytes);
    CHECK_EQUAL(process_descriptor(processor, -1, "none"), 0);
    CHECK_TEXT(outcomes(processor, ""), "none named failed EBADF");
    int file = open(make_content(tree_create(), "f", "1234", 4), O_RDONLY);
    lseek(file, 3, SEEK_SET);
    CHECK_EQUAL(process_descriptor(processor, file, "f"), 0);
    CHECK_TEXT(output_of(processor), summary_of("4", 1));
}
