/* linux_mapped_tests.c: a large file in the page cache is mapped; one that is cut
   short, or cannot be read, under the mapping fails or has changed, and nobody dies. */
#include "processor.h"
#include "refusal.h"
#include "tree.h"
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <weir/spi.h>

enum { BLOCK = 2 << 20, BIG = (14 << 20) + 12345 };

static bool is_mapped(const void *piece, const char *path) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char *line = NULL;
    size_t size = 0;
    bool is_found = false;
    while (!is_found && getline(&line, &size, maps) > 0) {
        uintptr_t begin = 0, end = 0, address = (uintptr_t)piece;
        is_found = sscanf(line, "%lx-%lx", &begin, &end) == 2 &&
                   begin <= address && address < end && strstr(line, path);
    }
    free(line);
    fclose(maps);
    return is_found;
}

/* Reads up to the first piece that is mapped; or to the end, without one. */
static int read_to_mapped(weir_file_t *file, const unsigned char **piece,
                          size_t *length) {
    const void *bytes;
    int error;
    do {
        error = weir_file_read(file, &bytes, length);
    } while (error == 0 && *length > 0 &&
             !is_mapped(bytes, weir_file_path(file, NULL)));
    *piece = bytes;
    return error;
}

static void touch(const void *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        ((const volatile char *)bytes)[i];
    }
}

/* Runs over a file, whose job is called with the first mapped piece, or without one. Returns
   the result. */
static struct result run_mapped(const char *path, unsigned flags,
                                int (^job)(weir_file_t *file,
                                           const unsigned char *piece,
                                           size_t length)) {
    PROCESSOR(
        processor, .jobs = 1, .flags = flags, .job = ^(weir_file_t *file) {
          const unsigned char *piece;
          size_t length;
          int error = read_to_mapped(file, &piece, &length);
          return error ? error : job(file, piece, length);
        });
    CHECK_EQUAL(process(processor, path), 0);
    REQUIRE(processor->count == 1);
    return *processor->results;
}

#define JOB ^(weir_file_t * file, const unsigned char *piece, size_t length)

static const char *mapped_file(void) {
    const char *path = make_varied_file(tree_create(), "f", BIG);
    let_files_age();
    CHECK_EQUAL(weir_files_handle_bus_errors(), 0);
    CHECK_EQUAL(weir_files_handle_bus_errors(), 0);
    /* A file system whose pages cannot be asked for has nothing to be tested. */
    run_mapped(
        path, WEIR_FILES_MAPPED, JOB {
            if (length == 0) {
                check_skip("this system maps no files here");
            }
            return 0;
        });
    return path;
}

TEST(mapped_files_have_their_contents) {
    const char *path = mapped_file();
    const char *root = parent(path);
    make_varied_file(root, "g", 3 * BLOCK - 1);
    make_varied_file(root, "h", 2 * BLOCK);
    make_varied_file(root, "i", BLOCK);
    make_varied_file(root, "j", 4 * BLOCK);
    at_widths("0 5", ^(size_t jobs, size_t more) {
      PROCESSOR(processor, .jobs = jobs + more, .flags = WEIR_FILES_MAPPED);
      CHECK_EQUAL(process(processor, root), 0);
      check_summaries(processor);
      CHECK_EQUAL(processor->stats.bytes, BIG + 10 * BLOCK - 1);
    });
}

TEST(nothing_is_mapped_without_the_option_or_the_handler) {
    const char *path = make_varied_file(tree_create(), "f", BIG);
    let_files_age();
    for (int step = 0; step < 3; step++) {
        if (step == 1) {
            CHECK_EQUAL(weir_files_handle_bus_errors(), 0);
        }
        static const unsigned flags[] = {
            WEIR_FILES_MAPPED, 0, WEIR_FILES_MAPPED | WEIR_FILES_LITERAL};
        struct result result = run_mapped(
            path, flags[step], JOB { return length == 0 ? 0 : EEXIST; });
        CHECK(is_done(&result));
    }
}

/* The descriptor stands after the pieces, also if these were mapped. */
TEST(the_descriptor_stands_after_mapped_pieces) {
    const char *path = mapped_file();
    size_t size;
    char *content = contents(path, &size);
    struct result result = run_mapped(
        path, WEIR_FILES_MAPPED, JOB {
            const void *next;
            size_t more;
            off_t place = lseek(weir_file_descriptor(file), 0, SEEK_CUR);
            CHECK(length > 0 && place >= (off_t)length);
            CHECK(memcmp(content + place - length, piece, length) == 0);
            int error = weir_file_read(file, &next, &more);
            CHECK(error == 0 && memcmp(content + place, next, more) == 0);
            CHECK(more > 0 && !is_mapped(next, path));
            return error;
        });
    CHECK(is_done(&result));
    free(content);
}

/* ---- files that are cut short ------------------------------------------ */

enum after_cut { READS_ON, RETURNS, FAILS, AFTER_CUTS };

static void check_cut(const char *path, off_t size, bool is_restored,
                      enum after_cut after, int error_of_pread) {
    struct result result = run_mapped(
        path, WEIR_FILES_MAPPED, JOB {
            size_t rest;
            CHECK(length > 0 && truncate(path, size) == 0);
            touch(piece, length);
            CHECK(!is_restored || truncate(path, BIG) == 0);
            CHECK(!error_of_pread ||
                  refuse_calls_with(SYS_pread64, 2, 1, error_of_pread) == 0);
            return after == RETURNS ? 0
                   : after == FAILS ? EDOM
                                    : read_away(file, &rest);
        });
    CHECK(error_of_pread ? has_failed(&result, error_of_pread)
                         : has_changed(&result, 0),
          "outcome %d, error %d", result.outcome, result.error);
}

TEST(a_mapped_file_that_is_cut_short_has_changed) {
    const char *path = mapped_file();
    EACH(off_t, size, 0, 1, BLOCK + 4096) {
        for (int is_restored = 0; is_restored < 2; is_restored++) {
            for (enum after_cut after = READS_ON; after < AFTER_CUTS; after++) {
                check_row("cut to %jd, restored %d, then %d", (intmax_t)size,
                          is_restored, after);
                unlink(path);
                make_varied_file("", path, BIG);
                let_files_age();
                check_cut(path, size, is_restored, after, 0);
            }
        }
    }
}

TEST(a_mapped_byte_that_cannot_be_read_is_the_error_of_a_read) {
    check_cut(mapped_file(), 0, false, READS_ON, EIO);
}

TEST(a_hole_in_a_mapped_file_is_a_change) {
    const char *path = mapped_file();
    struct result result = run_mapped(
        path, WEIR_FILES_MAPPED, JOB {
            int descriptor = open(path, O_WRONLY);
            if (fallocate(descriptor,
                          FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                          BIG) != 0) {
                rewrite(path, false);
            }
            close(descriptor);
            touch(piece, length);
            return measure(file);
        });
    CHECK(has_changed(&result, 0));
}

/* Threads that help a job have windows of their own. */
TEST(a_view_of_a_file_that_is_cut_short_has_changed) {
    const char *path = mapped_file();
    size_t size;
    char *content = contents(path, &size);
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        PROCESSOR(
            processor, .jobs = 1, .flags = WEIR_FILES_MAPPED,
            .job = ^(weir_file_t *file) {
              CHECK(weir_file_descriptor(file) >= 0);
              weir_spi_view_t view = weir_spi_view_create(file, 100000);
              uint64_t offset = 0;
              size_t length = 1, mapped = 0;
              while (length > 0) {
                  const void *bytes;
                  size_t most = offset < 5000 ? 5000 : 2 * BLOCK;
                  CHECK_EQUAL(
                      weir_spi_view_read(view, offset, most, &bytes, &length),
                      0);
                  CHECK(memcmp(bytes, content + offset, length) == 0);
                  if (is_mapped(bytes, path)) {
                      mapped += length;
                      if (is_cut) {
                          CHECK_EQUAL(truncate(path, 100), 0);
                          touch(bytes, length);
                      }
                  }
                  offset += length;
              }
              CHECK(mapped > 0 && (is_cut || offset == size));
              weir_spi_view_end(view);
              return 0;
            });
        CHECK_EQUAL(process(processor, path), 0);
        CHECK(is_cut ? has_changed(processor->results, 0)
                     : is_done(processor->results));
    }
    free(content);
}

/* Another thread changes the file at any moment: a file that is done has one of its
   contents. `make test-mapped` for many races. */
TEST_WITHIN(3600, a_race_with_a_change_gives_no_wrong_content) {
    const char *path = mapped_file();
    struct check_random random = check_random("mapped races");
    long done = 0, races = check_setting("WEIR_TEST_MAPPED_RACES", 12);
    for (long race = 0; race < races; race++) {
        unlink(path);
        make_varied_file("", path, BIG / 2);
        let_files_age();
        size_t act = check_below(&random, 4),
               at = check_below(&random, BIG / 2);
        long pause = (long)check_below(&random, 12000000);
        check_row("race %ld, act %zu at %zu after %ld ns", race, act, at,
                  pause);
        size_t size, size_after;
        char *before = contents(path, &size);
        const char *expected = summary_of(before, size);
        const char *expected_between =
            act == 1 ? summary_of(before, at) : expected;
        PROCESSOR(processor, .jobs = 1, .flags = WEIR_FILES_MAPPED);
        pthread_t other = thread_start(^{
          nanosleep(&(struct timespec){0, pause}, NULL);
          int descriptor = open(path, O_WRONLY);
          if (act < 2) {
              CHECK(ftruncate(descriptor, (off_t)at) == 0);
          }
          if (act == 1) {
              CHECK(ftruncate(descriptor, BIG / 2) == 0);
          }
          if (act == 2) {
              fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)at, BLOCK);
          }
          if (act == 3) {
              CHECK(pwrite(descriptor, "12345", 5, (off_t)at) == 5);
          }
          close(descriptor);
        });
        CHECK_EQUAL(process(processor, path), 0);
        thread_join(other);
        char *after = contents(path, &size_after);
        const char *expected_after = summary_of(after, size_after);
        const struct result *result = processor->results;
        if (is_done(result)) {
            done++;
            CHECK(strcmp(result->output, expected) == 0 ||
                  strcmp(result->output, expected_between) == 0 ||
                  strcmp(result->output, expected_after) == 0);
        } else {
            CHECK(has_changed(result, 0), "outcome %d, error %d",
                  result->outcome, result->error);
        }
        free(before);
        free(after);
    }
    CHECK(races < 1000 || (done > 0 && done < races), "%ld done", done);
}

/* Makes the image of a file system with the file "f", in which this process can mount
   it for itself alone. Ends the test where that is forbidden. */
static char *make_image(const char *root) {
    char *image = join(root, "image");
    const char *make =
        text("mkfs.ext4 -q -O ^has_journal -d '%s' '%s' 24M >'%s/log' 2>&1",
             make_directory(root, "files"), image, root);
    make_varied_file(root, "files/f", BIG / 2);
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        system(make) != 0) {
        check_skip("this process may not mount an image");
    }
    return image;
}

/* Every later call for a file there fails with EIO, but pages in memory stay. */
static int shut_down(int directory) {
    unsigned without_flush = 2;
    return ioctl(directory, _IOR('X', 125, unsigned), &without_flush);
}

/* The storage fails, or is unmounted, at any moment: a file that is done has its
   content, and any other one has the error of the storage. */
TEST_WITHIN(3600, a_race_with_lost_storage_gives_no_wrong_content) {
    const char *root = tree_create();
    const char *image = make_image(root), *place = make_directory(root, "at");
    const char *path = join(place, "f");
    struct check_random random = check_random("storage races");
    long done = 0, races = check_setting("WEIR_TEST_MAPPED_RACES", 6);
    let_files_age();
    CHECK_EQUAL(weir_files_handle_bus_errors(), 0);
    for (long race = 0; race < races; race++) {
        if (system(text("mount -o loop,ro '%s' '%s'", image, place)) != 0) {
            check_skip("this process may not mount an image");
        }
        int directory = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct stat status;
        REQUIRE(fstat(directory, &status) == 0 &&
                status.st_dev != status_of(root).st_dev);
        size_t size;
        char *content = contents(path, &size);
        const char *expected = summary_of(content, size);
        bool is_unmounted = check_below(&random, 2) == 1;
        long pause = (long)check_below(&random, 8000000);
        check_row("race %ld, unmounted %d after %ld ns", race, is_unmounted,
                  pause);
        PROCESSOR(processor, .jobs = 1, .flags = WEIR_FILES_MAPPED);
        pthread_t other = thread_start(^{
          nanosleep(&(struct timespec){0, pause}, NULL);
          CHECK_EQUAL(is_unmounted ? umount2(place, MNT_DETACH)
                                   : shut_down(directory),
                      0);
        });
        int error = process(processor, path);
        thread_join(other);
        const struct result *result = processor->results;
        int lost = is_unmounted ? ENOENT : EIO;
        if (processor->count == 1 && is_done(result)) {
            done++;
            CHECK_TEXT(result->output, expected);
        } else {
            CHECK(error == lost ||
                      (processor->count == 1 && has_failed(result, lost)),
                  "error %d, %zu results", error, processor->count);
        }
        free(content);
        close(directory);
        CHECK(is_unmounted || umount2(place, MNT_DETACH) == 0);
    }
    CHECK(races < 1000 || (done > 0 && done < races), "%ld done", done);
}

/* ---- other bus errors -------------------------------------------------- */

/* Touches a byte after the end of a file. */
static void fail_elsewhere(void) {
    int file = open(make_file(tree_create(), "f", 1, 1), O_RDWR);
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    CHECK_EQUAL(ftruncate(file, 0), 0);
    page[0];
}

static sigjmp_buf place;
static void jump(int number) { siglongjmp(place, number); }
static void jump_informed(int number, siginfo_t *info, void *context) {
    CHECK(info->si_code > 0 && context);
    siglongjmp(place, number);
}

TEST(other_bus_errors_have_the_effect_they_had) {
    const struct sigaction actions[] = {
        {.sa_handler = jump},
        {.sa_sigaction = jump_informed, .sa_flags = SA_SIGINFO},
        {.sa_handler = SIG_DFL}};
    const struct sigaction *action = actions;
    for (int step = 0; step < 3; step++, action++) {
        struct check_process end = check_process(^{
          /* A mask with which the program was started ends here. */
          sigset_t bus;
          sigemptyset(&bus);
          sigaddset(&bus, SIGBUS);
          sigprocmask(SIG_BLOCK, &bus, NULL);
          sigaction(SIGBUS, action, NULL);
          CHECK_EQUAL(weir_files_handle_bus_errors(), 0);
          int number = sigsetjmp(place, 1);
          if (number == 0) {
              fail_elsewhere();
          }
          CHECK_EQUAL(number, SIGBUS);
        });
        CHECK(step < 2
                  ? end.status == 0
                  : WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGBUS,
              "step %d: %#x %s", step, end.status, end.errors);
    }
}
