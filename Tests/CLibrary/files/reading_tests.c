/* reading_tests.c: parts of files, leases, descriptors that do not block, and busy files. */
#include "processor.h"
#include "tree.h"
#include <signal.h>

enum { MOST = 2300000, FILES = 45 };

static char content[MOST];
static char *paths[FILES];
static size_t sizes[FILES], bytes_read[FILES];

static size_t check_part(weir_file_t *file, size_t size, size_t offset,
                         size_t length) {
    char *part = malloc(length + 1);
    size_t got = 0;
    size_t there = offset >= size ? 0 : size - offset;
    (void)weir_file_descriptor(file);
    CHECK_EQUAL(weir_file_read_at(file, offset, part, length, &got), 0);
    CHECK_EQUAL(got, there < length ? there : length);
    CHECK(got == 0 || memcmp(part, content + offset, got) == 0,
          "%zu bytes at %zu of %zu", length, offset, size);
    free(part);
    return got;
}

static size_t check_piece(weir_file_t *file, size_t done) {
    const void *piece;
    size_t length = 0;
    CHECK_EQUAL(weir_file_read(file, &piece, &length), 0);
    CHECK(length == 0 || memcmp(piece, content + done, length) == 0,
          "a piece of %zu bytes at %zu", length, done);
    return length;
}

/* Reads parts and pieces in any order; neither disturbs the other. */
static int read_parts(weir_file_t *file) {
    size_t length, index = 0, done = 0, parts = 0;
    const char *path = weir_file_path(file, &length);
    while (strcmp(paths[index], path) != 0) {
        index++;
    }
    struct check_random random = check_random(text("part %zu", index));
    for (int turn = 0; turn < 8; turn++) {
        if (check_below(&random, 3) == 0) {
            done += check_piece(file, done);
        } else {
            size_t offset = check_below(&random, sizes[index] + 10);
            size_t most = check_below(&random, 3) == 0 ? MOST : 5000;
            parts += check_part(file, sizes[index], offset,
                                check_below(&random, most));
        }
    }
    for (length = 1; length > 0; done += length) {
        length = check_piece(file, done);
    }
    CHECK_EQUAL(done, sizes[index]);
    bytes_read[index] = done + parts;
    return 0;
}

TEST(parts_are_the_content_at_their_offset) {
    static const size_t first[] = {0, 1, 4096, 300000, MOST};
    struct check_random random = check_random("parts");
    const char *root = tree_create();
    for (size_t index = 0; index < MOST; index++) {
        content[index] = (char)check_next(&random);
    }
    for (size_t index = 0; index < FILES; index++) {
        sizes[index] =
            index < 5 ? first[index] : check_below(&random, MOST / 20);
        paths[index] =
            make_content(root, text("f%zu", index), content, sizes[index]);
    }
    let_files_age();
    for (int row = 0; row < 4; row++) {
        size_t total = 0;
        PROCESSOR(processor, .jobs = row < 2 ? WEIR_LANES_INLINE : 3,
                  .flags = row % 2 == 0 ? 0 : WEIR_FILES_OPEN_LATE,
                  .call = read_parts);
        check_row("row %d", row);
        CHECK_EQUAL(process_paths(processor, (const char *const *)paths, FILES),
                    0);
        check_all_done(processor, FILES);
        for (size_t index = 0; index < processor->count; index++) {
            CHECK_EQUAL(processor->results[index].bytes, bytes_read[index]);
            total += bytes_read[index];
        }
        CHECK_EQUAL(statistics(processor).bytes, total);
    }
}

TEST(a_file_that_cannot_be_read_reports_an_error) {
    const char *root = tree_of("excluded:2 fifo|");
    struct stat excluded = status_of(join(root, "excluded"));
    for (int late = 0; late < 2; late++) {
        __block int expected = 0;
        int ends[2];
        PROCESSOR(
            processor, .jobs = 1, .flags = late ? WEIR_FILES_OPEN_LATE : 0,
            .exclude = &excluded, .job = ^(weir_file_t *file) {
              char part[3];
              size_t got = 0;
              (void)weir_file_descriptor(file);
              int error = weir_file_read_at(file, 1, part, sizeof part, &got);
              CHECK(got == 0 &&
                    (expected == 0 ? error != 0 : error == expected));
              return expected == 0 ? 0 : summarize(file);
            });
        CHECK_ITEMS(processor, root, "fifo missing . excluded",
                    "fifo named special fifo, missing named failed ENOENT, "
                    ". named failed EISDIR");
        CHECK(statistics(processor).excluded == 1 &&
              statistics(processor).bytes == 0);
        /* A pipe has no offsets. */
        expected = ESPIPE;
        REQUIRE(pipe(ends) == 0 && write(ends[1], "hello", 5) == 5);
        close(ends[1]);
        CHECK_EQUAL(process_descriptor(processor, ends[0], "pipe"), 0);
        CHECK_TEXT(output_of(processor), summary_of("hello", 5));
        close(ends[0]);
    }
}

/* File servers hold leases for their clients. An open that must not block fails at
   once, and the kernel calls the lease back. */
TEST(a_lease_is_waited_for) {
    const char *root = tree_of("leased:3");
    int holder = open(join(root, "leased"), O_RDWR | O_CLOEXEC);
    signal(SIGIO, SIG_IGN); /* the kernel calls the lease back with it */
    REQUIRE(fcntl(holder, F_SETLEASE, F_WRLCK) == 0);
    PROCESSOR(processor, .jobs = 2);
    pthread_t owner = thread_start(^{
      CHECK(EVENTUALLY(fcntl(holder, F_GETLEASE) != F_WRLCK));
      CHECK_EQUAL(processor->delivering.ever, 0);
      CHECK_EQUAL(fcntl(holder, F_SETLEASE, F_UNLCK), 0);
    });
    CHECK_RUN(processor, root, NULL, "leased done 3");
    thread_join(owner);
    close(holder);
}

/* The job of a descriptor that does not block begins before there is something to
   read. Then a block is called, and without an expected error the pipe ends. */
static void check_pipe(size_t jobs, int error, const char *expected,
                       void (^then)(struct processor *processor, int end)) {
    struct latch *begun = latch_create(1);
    int ends[2];
    REQUIRE(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    const int end = ends[1];
    PROCESSOR(
        processor, .jobs = jobs, .job = ^(weir_file_t *file) {
          latch_arrive(begun);
          return summarize(file);
        });
    pthread_t writer = thread_start(^{
      CHECK(latch_wait(begun));
      then(processor, end);
      if (error == 0) {
          close(end);
      }
    });
    CHECK_EQUAL(process_descriptor(processor, ends[0], "pipe"), error);
    thread_join(writer);
    CHECK_TEXT(output_of(processor), expected);
    CHECK_EQUAL(processor->count, error == 0);
    CHECK_EQUAL(statistics(processor).failed, 0);
    close(ends[0]);
    if (error != 0) {
        close(end);
    }
}

TEST(a_descriptor_that_does_not_block_is_read_to_its_end) {
    for (int row = 0; row < 2; row++) {
        check_pipe(row == 0 ? WEIR_LANES_INLINE : 2, 0, summary_of("abcd", 4),
                   ^(struct processor *processor, int end) {
                     CHECK(write(end, "ab", 2) == 2);
                     CHECK(write(end, "cd", 2) == 2);
                   });
    }
}

TEST(a_cancel_ends_the_wait_for_a_descriptor) {
    check_pipe(2, ECANCELED, "", ^(struct processor *processor, int end) {
      weir_files_cancel(processor->files);
    });
}

TEST(the_size_is_that_of_the_last_status) {
    const char *root = tree_of("f:3145728");
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *file) {
          const void *piece;
          size_t length, rest;
          int error = weir_file_read(file, &piece, &length);
          int end = open(join(root, "f"), O_WRONLY | O_APPEND | O_CLOEXEC);
          CHECK_EQUAL(write(end, "more", 4), 4);
          close(end);
          return error != 0 ? error : read_away(file, &rest);
        });
    CHECK_EQUAL(process(processor, root), 0);
    CHECK_EQUAL(processor->results[0].outcome, WEIR_FILE_CHANGED);
    CHECK_EQUAL(processor->results[0].size, 3145728 + 4);
}

struct reports {
    size_t count, lanes[4];
    bool known;
};

static void report(void *context, const weir_files_busy_t *busy) {
    struct reports *reports = context;
    const char *name = strrchr(busy->path, '/');
    CHECK_EQUAL(strlen(busy->path), busy->path_length);
    reports->known = reports->known && (strcmp(name, "/f1100") == 0 ||
                                        strcmp(name, "/f1400") == 0);
    REQUIRE(reports->count < 4);
    reports->lanes[reports->count++] = busy->lane;
}

static struct reports busy(struct processor *processor, uint64_t least) {
    struct reports reports = {.known = true};
    size_t count = weir_files_busy(processor->files, least, &reports, report);
    CHECK_EQUAL(count, reports.count);
    return reports;
}

static void check_busy(const char *root, unsigned flags) {
    struct latch *latch = latch_create(1);
    static struct meter hanging;
    /* In one large batch the second file waits for the first. */
    size_t expected = flags == 0 ? 2 : 1;
    PROCESSOR(
        processor, .jobs = 2, .job = ^(weir_file_t *file) {
          if (path_ends(file, "/f1100") || path_ends(file, "/f1400")) {
              meter_enter(&hanging);
              latch_wait(latch);
              meter_leave(&hanging);
          }
          return summarize(file);
        });
    CHECK_EQUAL(busy(processor, 0).count, 0);
    pthread_t runner = thread_start(^{
      const weir_files_source_t source = {.path = root, .flags = flags};
      CHECK_EQUAL(process_sources(processor, &source, 1), 0);
    });
    CHECK(EVENTUALLY(hanging.now == (long)expected));
    CHECK(EVENTUALLY(busy(processor, 20000000).count == expected));
    struct reports reports = busy(processor, 0);
    CHECK(reports.known && reports.count == expected);
    CHECK(expected == 1 || reports.lanes[0] != reports.lanes[1]);
    CHECK_EQUAL(busy(processor, 1000000000000).count, 0);
    latch_arrive(latch);
    thread_join(runner);
    CHECK_EQUAL(busy(processor, 0).count, 0);
    check_all_done(processor, 600);
}

TEST(lanes_that_hang_are_reported) {
    const char *root = tree_of_files(600);
    check_busy(root, 0);
    check_busy(root, WEIR_SOURCE_BY_INODE);
}

TEST(a_paused_lane_is_not_reported) {
    const char *root = tree_of_files(50);
    PROCESSOR(processor, .jobs = 2);
    weir_files_pause(processor->files);
    pthread_t runner = thread_start(^{
      CHECK_EQUAL(process(processor, root), 0);
    });
    CHECK(EVENTUALLY(statistics(processor).found == 50));
    CHECK(EVENTUALLY(busy(processor, 0).count == 0));
    weir_files_resume(processor->files);
    thread_join(runner);
}
