/* devices_tests.c: no device has more readers than its limit, and files are read in
   the order of their inodes on request. */
#include "processor.h"
#include "tree.h"

/* Makes files in three directories, with names in another order than their inodes. */
static const char *shuffled_tree(struct check_random *random, int files) {
    const char *root = tree_of("d0/ d1/ d2/");
    int *numbers = calloc((size_t)files, sizeof *numbers);
    for (int index = 0; index < files; index++) {
        int other = (int)check_below(random, (size_t)index + 1);
        numbers[index] = numbers[other];
        numbers[other] = index;
    }
    for (int index = 0; index < files; index++) {
        int number = numbers[index];
        make_file(root, text("d%d/f%d", number % 3, 100000 + number),
                  number & 0xFF, (size_t)number % 50);
    }
    free(numbers);
    return root;
}

static int process_source(struct processor *processor, const char *root,
                          unsigned readers, unsigned flags) {
    const weir_files_source_t source = {
        .path = root, .readers = readers, .flags = flags};
    return process_sources(processor, &source, 1);
}

static void check_results(const struct processor *processor, const char *root) {
    PROCESSOR(plain, .jobs = 1);
    CHECK_EQUAL(process(plain, root), 0);
    check_same_results(processor, plain);
    CHECK_EQUAL(processor->torn, 0);
}

/* Sources of one device share its readers, others go on, and the order is that of the
   sources. */
static void check_device(unsigned readers, size_t batch) {
    enum { SOURCES = 4 };
    static struct meter reading[2];
    static const char *roots[SOURCES];
    struct check_random random = check_random("readers");
    struct latch *together = latch_create(readers > 1 && batch == 1 ? 2 : 1);
    weir_files_source_t sources[SOURCES] = {{.path = NULL}};
    memset(reading, 0, sizeof reading);
    for (size_t index = 0; index < SOURCES; index++) {
        roots[index] = shuffled_tree(&random, 40);
        sources[index] = (weir_files_source_t){
            .path = roots[index], .readers = readers, .device = index % 2};
    }
    PROCESSOR(
        processor, .jobs = 8, .batch = batch, .job = ^(weir_file_t *file) {
          size_t length, index = 0;
          const char *path = weir_file_path(file, &length);
          while (strncmp(path, roots[index], strlen(roots[index])) != 0) {
              index++;
          }
          meter_enter(&reading[index % 2]);
          if (index % 2 == 0) {
              latch_arrive(together);
              CHECK(latch_wait(together));
          }
          usleep(100); /* so that one reader too many may come */
          int error = summarize(file);
          meter_leave(&reading[index % 2]);
          return error;
        });
    PROCESSOR(plain, .jobs = 1);
    CHECK_EQUAL(process_sources(processor, sources, SOURCES), 0);
    CHECK_EQUAL(process_paths(plain, roots, SOURCES), 0);
    check_same_results(processor, plain);
    CHECK_EQUAL(processor->torn, 0);
    for (int device = 0; device < 2; device++) {
        CHECK(reading[device].most <= (long)readers);
        CHECK_EQUAL(reading[device].ever, 80);
    }
}

TEST(a_device_has_no_more_readers_than_its_limit) {
    for (unsigned readers = 1; readers <= 3; readers += 2) {
        check_row("%u readers", readers);
        check_device(readers, 1);
        check_device(readers, 64);
    }
}

enum { FILES = 1200 };

static ino_t inodes[FILES];
static _Atomic size_t inode_count;

static int summarize_and_note(weir_file_t *file) {
    size_t index = inode_count++;
    REQUIRE(index < FILES);
    inodes[index] = weir_file_status(file)->st_ino;
    return summarize(file);
}

static int compare_inodes(const void *left, const void *right) {
    ino_t one = *(const ino_t *)left, other = *(const ino_t *)right;
    return (one > other) - (one < other);
}

static void check_batches(const struct processor *processor, size_t most) {
    size_t largest = 0, begin = 0, end;
    for (; begin < processor->count; begin = end) {
        ino_t sorted[FILES];
        for (end = begin;
             end < processor->count &&
             processor->results[end].batch == processor->results[begin].batch;
             end++) {
            sorted[end - begin] =
                status_of(processor->results[end].path).st_ino;
        }
        size_t size = end - begin;
        qsort(sorted, size, sizeof *sorted, compare_inodes);
        CHECK(memcmp(sorted, inodes + begin, size * sizeof *sorted) == 0);
        CHECK(size <= most);
        largest = size > largest ? size : largest;
    }
    CHECK(largest > most / 2);
}

TEST(files_are_read_in_the_order_of_inodes) {
    static const size_t rows[][2] = {
        {1, 0}, {2, 0}, {2, 7}, {WEIR_LANES_INLINE, 7}};
    struct check_random random = check_random("inodes");
    const char *root = shuffled_tree(&random, FILES);
    for (int row = 0; row < 4; row++) {
        size_t jobs = rows[row][0], batch = rows[row][1];
        check_row("%zd jobs, batches of %zu", (ssize_t)jobs, batch);
        inode_count = 0;
        PROCESSOR(processor, .jobs = jobs, .batch = batch,
                  .call = summarize_and_note);
        CHECK_EQUAL(process_source(processor, root, 1, WEIR_SOURCE_BY_INODE),
                    0);
        CHECK_EQUAL(inode_count, FILES);
        check_results(processor, root);
        check_batches(processor, batch == 0 ? 1024 : batch);
    }
}

/* A batch is delivered after 64 MiB. */
TEST(large_files_do_not_wait_for_each_other) {
    static const size_t ends[] = {5, 11, 17, 20};
    const char *root = tree_create();
    for (int number = 0; number < 20; number++) {
        char *path = make_file(root, text("f%d", 100 + number), 1, 5);
        REQUIRE(number % 2 > 0 || truncate(path, 24 << 20) == 0);
    }
    struct paths files = find(root, "-type f");
    at_widths("0", ^(size_t jobs, size_t number) {
      PROCESSOR(processor, .jobs = jobs, .call = measure);
      CHECK_EQUAL(process_source(processor, root, 1, WEIR_SOURCE_BY_INODE), 0);
      check_all_done(processor, 20);
      check_paths(processor, files.paths, files.count);
      for (size_t batch = 0, index = 0; index < processor->count; index++) {
          batch += index == ends[batch];
          CHECK_EQUAL(processor->results[index].batch, batch);
      }
    });
}
