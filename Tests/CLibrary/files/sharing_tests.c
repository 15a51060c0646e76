/* sharing_tests.c: a lane without work takes files of another lane's batch, whatever that
   one waits for. The jobs meet: each waits until as many are inside as there may be. */
#include "processor.h"
#include "tree.h"
#include <sys/resource.h>

enum { FILES = 48 };

static struct {
    long size;
    _Atomic long arrived;
    _Atomic bool is_late;
    struct latch *rounds[FILES];
} meeting;

/* Begins a meeting of jobs, a number at a time, which divides that of the files. */
static void begin_meeting(long size) {
    meeting.size = size;
    meeting.arrived = 0;
    for (int round = 0; round < FILES; round++) {
        meeting.rounds[round] = latch_create(size);
    }
}

static int meet(weir_file_t *file) {
    struct latch *round = meeting.rounds[meeting.arrived++ / meeting.size];
    latch_arrive(round);
    if (!meeting.is_late && !latch_wait(round)) {
        meeting.is_late = true;
    }
    return meeting.is_late ? ETIMEDOUT : summarize(file);
}

static void check_met(const struct processor *processor, int error) {
    CHECK_EQUAL(error, 0);
    check_all_done(processor, FILES);
    check_summaries(processor);
    CHECK_EQUAL(processor->working.most, meeting.size);
    CHECK_EQUAL(processor->delivering.most, 1);
}

static void check_directory(const char *root, size_t jobs, unsigned flags) {
    PROCESSOR(plain, .jobs = 1);
    PROCESSOR(processor, .jobs = jobs, .flags = flags, .call = meet);
    check_row("%zu jobs, flags %u", jobs, flags);
    begin_meeting((long)jobs);
    check_met(processor, process(processor, root));
    CHECK_EQUAL(process(plain, root), 0);
    if (!(flags & WEIR_FILES_UNORDERED)) {
        check_same_results(processor, plain);
    }
}

TEST(lanes_share_the_files_of_a_directory) {
    const char *root = tree_of_files(FILES);
    EACH(size_t, jobs, 1, 2, 3, 8, 16) {
        check_directory(root, jobs, 0);
        check_directory(root, jobs, WEIR_FILES_OPEN_LATE);
        check_directory(root, jobs, WEIR_FILES_UNORDERED);
    }
}

TEST(lanes_share_separate_sources) {
    const char *root = tree_of_files(FILES);
    struct paths files = find(root, "-type f");
    PROCESSOR(processor, .jobs = 8, .call = meet);
    begin_meeting(8);
    check_met(processor, process_paths(processor, (const char **)files.paths,
                                       files.count));
}

/* The feed gets the end of the items only when all jobs have met. */
TEST(lanes_share_items_while_the_feed_waits) {
    const char *root = tree_of_files(FILES);
    struct paths files = find(root, "-type f");
    __block size_t fed = 0;
    bool (^next)(weir_files_item_t *) = ^(weir_files_item_t *item) {
      bool is_more = fed < FILES;
      CHECK(is_more || latch_wait(meeting.rounds[FILES / 8 - 1]));
      *item = item_of(WEIR_ITEM_FILE, is_more ? files.paths[fed++] : "");
      item->note = item->path;
      item->note_length = item->path_length;
      return is_more;
    };
    struct feed feed = {.next = next};
    weir_files_source_t source = feed_source(&feed);
    PROCESSOR(processor, .jobs = 8, .batch = FILES, .call = meet);
    begin_meeting(8);
    check_met(processor, process_sources(processor, &source, 1));
    feed_end(&feed);
    foreach (result, processor) {
        CHECK_BYTES(result->note, result->note_length, result->path,
                    result->path_length);
    }
}

/* Each batch and part takes two descriptors, and a slot of its device. */
TEST(descriptors_and_device_slots_limit_the_lanes_that_share) {
    static const struct {
        size_t descriptors;
        unsigned readers;
        long together;
    } rows[] = {{1, 0, 1}, {2, 0, 1}, {3, 0, 1},  {4, 0, 2}, {6, 0, 3},
                {8, 0, 4}, {0, 1, 1}, {13, 0, 6}, {0, 2, 2}, {0, 6, 6}};
    const char *root = tree_of_files(FILES);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_row("row %zu", row);
        const weir_files_source_t source = {.path = root,
                                            .readers = rows[row].readers};
        PROCESSOR(processor, .jobs = 8,
                  .files.descriptors = rows[row].descriptors, .call = meet);
        begin_meeting(rows[row].together);
        check_met(processor, process_sources(processor, &source, 1));
        CHECK(rows[row].readers > 0 ||
              statistics(processor).descriptors_peak <= rows[row].descriptors);
    }
}

/* The one reader of the first device waits until the files of the second one are done. */
TEST(a_device_without_a_free_slot_does_not_hold_another_one) {
    const char *slow_root = tree_of_files(FILES);
    weir_files_source_t sources[] = {
        {.path = slow_root, .readers = 1, .device = 1},
        {.path = tree_of_files(FILES), .readers = 6, .device = 2}};
    struct latch *first = latch_create(FILES);
    PROCESSOR(
        processor, .jobs = 8, .job = ^(weir_file_t *file) {
          if (strncmp(weir_file_path(file, NULL), slow_root,
                      strlen(slow_root)) == 0) {
              return latch_wait(first) ? 0 : ETIMEDOUT;
          }
          int error = meet(file);
          latch_arrive(first);
          return error;
        });
    begin_meeting(6);
    CHECK_EQUAL(process_sources(processor, sources, 2), 0);
    check_all_done(processor, 2 * FILES);
    CHECK_EQUAL(processor->working.most, 7);
}

TEST(a_pause_holds_lanes_that_share) {
    static struct processor *running;
    const char *root = tree_of_files(FILES);
    PROCESSOR(
        processor, .jobs = 4, .job = ^(weir_file_t *file) {
          if (meeting.arrived == 7) {
              weir_files_pause(running->files);
          }
          return meet(file);
        });
    running = processor;
    begin_meeting(4);
    pthread_t thread = thread_start(^{
      CHECK_EQUAL(process(processor, root), 0);
    });
    CHECK(EVENTUALLY(meeting.arrived == 8 && processor->working.now == 0));
    usleep(20000); /* so that one job too many may begin */
    CHECK_EQUAL(meeting.arrived, 8);
    weir_files_resume(processor->files);
    thread_join(thread);
    check_met(processor, 0);
}

/* A read may sleep once in a while, but not in all of many runs. */
TEST(a_lane_alone_does_not_wait_for_the_work_of_others) {
    const char *path = make_file(tree_create(), "f", 1, 1000);
    PROCESSOR(processor, .jobs = WEIR_LANES_INLINE);
    long least = LONG_MAX;
    for (int run = 0; run < 20; run++) {
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        CHECK_EQUAL(process(processor, path), 0);
        getrusage(RUSAGE_SELF, &after);
        long sleeps = after.ru_nvcsw - before.ru_nvcsw;
        least = sleeps < least ? sleeps : least;
    }
    CHECK_EQUAL(least, 0);
}
