/* open_late_tests.c: WEIR_FILES_OPEN_LATE opens a file when its job first needs it;
   weir_file_stat_path asks for the status of an unopened file. */
#include "processor.h"
#include "tree.h"
#include <sys/inotify.h>

static int watch_opens(const char *root) {
    int watch = inotify_init1(IN_NONBLOCK);
    REQUIRE(watch >= 0 && inotify_add_watch(watch, root, IN_OPEN) >= 0);
    return watch;
}

/* Returns the names of the files, without directories, opened so far: "f1 f2 ". */
static const char *opened(int watch) {
    char events[1 << 16] __attribute__((aligned(8)));
    char *names = text("%s", "");
    ssize_t size;
    while ((size = read(watch, events, sizeof events)) > 0) {
        const struct inotify_event *event;
        for (char *at = events; at < events + size;
             at += sizeof *event + event->len) {
            event = (const struct inotify_event *)at;
            if (!(event->mask & IN_ISDIR)) {
                names = text("%s%s ", names, event->len > 0 ? event->name : "");
            }
        }
    }
    return names;
}

/* The names lead to no files, which a job that makes no call does not notice. */
TEST(a_job_without_a_call_has_nothing_opened) {
    enum { NOTHING = 200 };
    at_widths("64", ^(size_t jobs, size_t batch) {
      const char *root = tree_create();
      weir_files_item_t items[NOTHING];
      for (int index = 0; index < NOTHING; index++) {
          items[index] =
              item_of(WEIR_ITEM_FILE, text("%s/nothing %d", root, index));
      }
      PROCESSOR(
          processor, .jobs = jobs, .batch = batch,
          .flags = WEIR_FILES_OPEN_LATE, .job = ^(weir_file_t *file) {
            CHECK(weir_file_note(file, NULL) == NULL);
            return write_text(file, weir_file_path(file, NULL));
          });
      int watch = watch_opens(root);
      CHECK_EQUAL(process_items(processor, items, NOTHING), 0);
      check_all_done(processor, NOTHING);
      foreach (result, processor) {
          CHECK(result->size == 0 && result->bytes == 0);
          CHECK_TEXT(result->path, items[result - processor->results].path);
          CHECK_TEXT(result->output, result->path);
      }
      weir_files_stats_t stats = processor->stats;
      CHECK(stats.unread == NOTHING && stats.files == NOTHING &&
            stats.opened == 0);
      /* In a walk, only the directory itself is opened. */
      const char *paths[] = {root, make_file(root, "there", 1, 1)};
      opened(watch);
      CHECK_EQUAL(process_paths(processor, paths, 2), 0);
      CHECK_TEXT(outcomes(processor, root), "there done, there named done");
      CHECK_TEXT(opened(watch), "");
      CHECK(processor->stats.unread == 2 && processor->stats.opened == 0);
      close(watch);
    });
}

static const char *seen(const struct stat *status) {
    return text("%o %ju %ju %jd %jd.%ld %ld\n", status->st_mode,
                (uintmax_t)status->st_dev, (uintmax_t)status->st_ino,
                (intmax_t)status->st_size, (intmax_t)status->st_mtim.tv_sec,
                status->st_mtim.tv_nsec, status->st_ctim.tv_nsec);
}

static void check_status(const char *root, size_t jobs, unsigned flags) {
    PROCESSOR(
        processor, .jobs = jobs, .flags = flags | WEIR_FILES_OPEN_LATE,
        .job = ^(weir_file_t *file) {
          struct stat status;
          int error = weir_file_stat_path(file, &status);
          return error != 0 ? error : write_text(file, seen(&status));
        });
    int watch = watch_opens(root);
    CHECK_EQUAL(process(processor, root), 0);
    CHECK_TEXT(opened(watch), "");
    size_t done = 0, deep = 0;
    foreach (result, processor) {
        done += is_done(result);
        deep += is_done(result) && result->path_length > PATH_MAX;
        if (is_done(result) && result->path_length < PATH_MAX) {
            struct stat status = status_of(result->path);
            CHECK_TEXT(result->output, seen(&status));
            CHECK_EQUAL(result->size, status.st_size);
        }
    }
    CHECK(done > 60 && deep >= 5, "%zu, %zu", done, deep);
    CHECK(processor->stats.unread == done && processor->stats.opened == 0);
    close(watch);
}

TEST(the_status_of_the_path_is_that_of_the_system) {
    const char *root = tree_at_random("look", 200, 300);
    make_chain(root, text("%0200d", 0), 30);
    for (int flags = 0; flags <= WEIR_FILES_FOLLOW; flags++) {
        check_status(root, WEIR_LANES_INLINE, (unsigned)flags);
        check_status(root, 2, (unsigned)flags);
    }
}

/* The job decides about a path that has no status. */
TEST(a_failed_stat_reports_why_and_decides_nothing) {
    const char *root = tree_of("file loop>loop");
    PROCESSOR(
        processor, .jobs = 1, .flags = WEIR_FILES_OPEN_LATE,
        .job = ^(weir_file_t *file) {
          struct stat status;
          int error = weir_file_stat_path(file, &status);
          return write_text(file, text("%s ", strerrorname_np(error)));
        });
    CHECK_EQUAL(
        process_named_items(processor, root, "missing file/below  loop file/"),
        0);
    check_all_done(processor, 5);
    CHECK_TEXT(output_of(processor), "ENOENT ENOTDIR ENOENT ELOOP ENOTDIR ");
    CHECK_EQUAL(processor->stats.unread, 5);
}

/* The outcome is that of an open, though the job returns 0. */
TEST(a_file_whose_status_is_not_readable_is_not_opened) {
    const char *root =
        tree_of("f10:1 f11:1 f12:1 f13:1 f14:1 f15:1 f16:1 f17:1 f18:1 f19:1 "
                "g_swapped:1 h_excluded:1 z_fifo| z_socket= z_directory/");
    const char *excluded = join(root, "h_excluded");
    const char *swapped = join(root, "g_swapped");
    struct stat status = status_of(excluded);
    __block int jobs = 0;
    PROCESSOR(
        processor, .jobs = 1, .flags = WEIR_FILES_OPEN_LATE, .exclude = &status,
        .job = ^(weir_file_t *file) {
          if (path_ends(file, "f10")) {
              unlink(swapped);
              make_link(root, "g_swapped", excluded);
          }
          struct stat first, again;
          size_t size;
          CHECK_EQUAL(weir_file_stat_path(file, &first), 0);
          CHECK_EQUAL(weir_file_stat_path(file, &again), 0);
          CHECK(first.st_mode == again.st_mode && first.st_mode != 0);
          bool plain = S_ISREG(first.st_mode) && !path_ends(file, "excluded");
          CHECK_EQUAL(read_away(file, &size) == 0, plain);
          jobs++;
          return write_text(file, "1");
        });
    int watch = watch_opens(root);
    /* A walk delivers special files without a job. */
    CHECK_ITEMS(
        processor, root, "@. z_fifo z_socket z_directory",
        "f10 done 1, f11 done 1, f12 done 1, f13 done 1, f14 done 1, "
        "f15 done 1, f16 done 1, f17 done 1, f18 done 1, f19 done 1, "
        "g_swapped failed ELOOP, z_fifo special fifo, "
        "z_socket special socket, z_fifo named special fifo, "
        "z_socket named special socket, z_directory named failed EISDIR");
    CHECK_TEXT(opened(watch), "f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 ");
    CHECK(processor->stats.excluded == 1 && processor->stats.opened == 10);
    CHECK_EQUAL(jobs, 15);
    close(watch);
}

/* The path may lead to another file when it is opened. After a failed open there is
   no descriptor, and the status that the path had before is not that of a file. */
TEST(a_file_is_classified_again_when_opened) {
    for (int gone = 0; gone < 2; gone++) {
        const char *root = tree_of("plain:3"), *plain = join(root, "plain");
        PROCESSOR(
            processor, .jobs = 1, .flags = WEIR_FILES_OPEN_LATE,
            .job = ^(weir_file_t *file) {
              static const struct stat zero;
              struct stat status;
              CHECK_EQUAL(weir_file_stat_path(file, &status), 0);
              CHECK_EQUAL(status.st_size, 3);
              unlink(plain);
              if (!gone) {
                  make_directory(root, "plain");
                  CHECK_EQUAL(summarize(file), EISDIR);
                  return 0;
              }
              CHECK_EQUAL(weir_file_descriptor(file), -1);
              CHECK_BYTES(weir_file_status(file), sizeof zero, &zero,
                          sizeof zero);
              CHECK_EQUAL(weir_file_stat_path(file, &status), ENOENT);
              return 0;
            });
        CHECK_ITEMS(processor, root, "plain",
                    gone ? "plain named failed ENOENT"
                         : "plain named failed EISDIR");
        CHECK(gone || processor->results->type == WEIR_ENTRY_DIRECTORY);
    }
}
