/* changes_tests.c: changes of a file while it is read, and errors of reading. */
#include "processor.h"
#include "refusal.h"
#include "tree.h"
#include <sys/mman.h>

enum { BIG = 2500000 };

/* What another program does to a file while it is read. The last two leave the status
   of a file that only got another mode, or name. */
#define ACTS                                                                   \
    "write write+keep-time append cut empty remove replace chmod name read "   \
    "write+keep-time+chmod write+keep-time+name"

static void act_on(const char *path, const char *act) {
    bool cut = strstr(act, "cut"), append = strstr(act, "append");
    if (strstr(act, "write")) {
        rewrite(path, strstr(act, "keep"));
    }
    if (cut || append || strstr(act, "empty")) {
        CHECK_EQUAL(truncate(path, append ? BIG + 1 : cut ? BIG / 2 : 0), 0);
    }
    if (strstr(act, "name")) {
        make_name("", text("%s.more", path), path);
    }
    if (strstr(act, "replace")) {
        CHECK_EQUAL(rename(make_file("", text("%s.new", path), 0, 0), path), 0);
    }
    CHECK(!strstr(act, "chmod") || chmod(path, 0600) == 0);
    CHECK(!strstr(act, "remove") || unlink(path) == 0);
    if (strstr(act, "read")) {
        size_t size;
        free(contents(path, &size));
    }
}

static const char *renew(const char *root, const char *name) {
    unlink(join(root, name));
    unlink(text("%s/%s.more", root, name));
    return make_file(root, name, 7, BIG);
}

enum first_read {
    PIECE,
    PIECE_OF_SOURCE, /* the file is a descriptor */
    DESCRIPTOR,
    PART,
    PART_OPENED_LATE,
    FIRST_READS
};

static int read_first(weir_file_t *file, enum first_read first) {
    char bytes[100];
    const void *piece;
    size_t length;
    int descriptor = first < DESCRIPTOR ? -1 : weir_file_descriptor(file);
    return first < DESCRIPTOR ? weir_file_read(file, &piece, &length)
           : first == DESCRIPTOR
               ? (read(descriptor, bytes, 1) == 1 ? 0 : EIO)
               : weir_file_read_at(file, 0, bytes, sizeof bytes, &length);
}

static void check_change(const char *root, const char *act,
                         enum first_read first, size_t jobs) {
    enum { FILES = 4 };
    weir_files_source_t sources[FILES] = {{.path = NULL}};
    for (int file = 0; file < FILES; file++) {
        sources[file].path = renew(root, text("f%d", 10 + file));
        if (first == PIECE_OF_SOURCE) {
            sources[file].kind = WEIR_SOURCE_DESCRIPTOR;
            sources[file].descriptor = open(sources[file].path, O_RDONLY);
        }
    }
    PROCESSOR(
        processor, .jobs = jobs, .batch = 2,
        .flags = first == PART_OPENED_LATE ? WEIR_FILES_OPEN_LATE : 0,
        .job = ^(weir_file_t *file) {
          int error = read_first(file, first);
          act_on(weir_file_path(file, NULL), act);
          return error != 0           ? error
                 : first < DESCRIPTOR ? measure(file)
                                      : write_text(file, "1");
        });
    CHECK_EQUAL(process_sources(processor, sources, FILES), 0);
    CHECK(processor->count == FILES && processor->torn == 0);
    /* Another mode or name cannot be told from a write. */
    unsigned changed = strcmp(act, "read") == 0 ? 0 : FILES;
    bool removes = strcmp(act, "remove") == 0 || strcmp(act, "replace") == 0;
    /* A removed descriptor has another status, and is not reported as removed. */
    int error = removes && first != PIECE_OF_SOURCE ? ENOENT : 0;
    foreach (result, processor) {
        const weir_files_source_t *source =
            &sources[result - processor->results];
        CHECK_TEXT(result->path, source->path);
        CHECK(changed == 0 ? is_done(result) && result->size > 0
                           : has_changed(result, error),
              "outcome %d, error %d", result->outcome, result->error);
    }
    CHECK(processor->stats.changed == changed && processor->stats.failed == 0 &&
          processor->stats.files == FILES - changed);
    for (int file = 0; first == PIECE_OF_SOURCE && file < FILES; file++) {
        close(sources[file].descriptor);
    }
}

/* Between two pieces of a file that takes several; or after the job has read some
   bytes by itself, or at an offset, and reads no more. */
TEST(a_change_during_the_read_is_reported) {
    const char *root = tree_create();
    char *rest = text(ACTS), *act;
    while ((act = strsep(&rest, " ")) != NULL) {
        for (enum first_read first = PIECE; first < FIRST_READS; first++) {
            check_row("%s after first read %d", act, first);
            check_change(root, act, first, first == PIECE ? 3 : 1);
        }
        check_change(root, act, PIECE, WEIR_LANES_INLINE);
    }
}

/* They are read in the tick in which they were written. */
TEST(files_that_were_just_written_are_done) {
    static const size_t sizes[] = {0, 1, 5000, (1 << 20) + 5};
    const char *root = tree_create();
    at_widths("0 1 2 3 4", ^(size_t jobs, size_t round) {
      for (int index = 0; index < 4; index++) {
          make_file(root, text("f%d", index), (int)round, sizes[index]);
      }
      PROCESSOR(processor, .jobs = jobs);
      CHECK_EQUAL(process_names(processor, root, "f0 f1 f2 f3"), 0);
      check_summaries(processor);
      foreach (result, processor) {
          CHECK_EQUAL(result->size, sizes[result - processor->results]);
      }
    });
}

/* They are a few milliseconds old. */
TEST(unchanged_files_are_read_once) {
#ifdef WEIR_POSIX
    check_skip("times of an unknown file system prove nothing");
#endif
    const char *root = tree_of_files(600);
    struct timespec future[] = {{4000000000, 0}, {4000000000, 0}};
    CHECK_EQUAL(utimensat(AT_FDCWD, join(root, "f1000"), future, 0), 0);
    let_files_age();
    PROCESSOR(processor);
    size_t before = bytes_read_by_process();
    CHECK_EQUAL(process(processor, root), 0);
    size_t read = bytes_read_by_process() - before;
    CHECK(read >= 600 && read < 1000, "%zu", read);
    check_all_done(processor, 600);
    CHECK(processor->stats.bytes == 600 && processor->stats.opened == 600 &&
          processor->stats.bytes_expected == 600);
}

/* Their sizes say nothing, and they differ from one read to the next. The sources for
   POSIX read the first file twice: it is one that stays the same. */
TEST(files_of_proc_are_done) {
    static const char *const all[] = {
        "/proc/version",
        "/proc/self/status",
        "/proc/sys/kernel/random/uuid",
        "/proc/uptime",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/proc/self/stat"};
    int count = 0;
    PROCESSOR(processor, .jobs = 1);
    for (int index = 0; index < 6; index++) {
        if (access(all[index], R_OK) == 0) {
            CHECK_EQUAL(process(processor, all[index]), 0);
            check_all_done(processor, 1);
            CHECK(processor->results->output_length > 0);
            count++;
        }
    }
    CHECK(count >= 4);
    CHECK_EQUAL(process(processor, "/proc/sys/kernel/random"), 0);
    CHECK(processor->stats.changed == 0 && processor->stats.files > 0);
}

TEST(files_without_a_name_are_done) {
    const char *path = make_content(tree_create(), "f", "123", 3);
    int file = open(path, O_RDWR);
    const char *line = summary_of("123", 3);
    unlink(path);
    PROCESSOR(processor, .jobs = 1);
    CHECK_EQUAL(process(processor, text("/proc/self/fd/%d", file)), 0);
    CHECK(is_done(processor->results));
    CHECK_TEXT(output_of(processor), line);
    CHECK_EQUAL(process_descriptor(processor, file, "f"), 0);
    CHECK_TEXT(outcomes(processor, ""), "f named done 3");
    CHECK_TEXT(output_of(processor), line);
}

TEST(nothing_is_read_from_an_item_that_is_no_file) {
    const char *root = tree_of("fifo|");
    const char *path = join(root, "fifo");
    int reading = open(path, O_RDONLY | O_NONBLOCK);
    int writing = open(path, O_WRONLY);
    char bytes[10];
    CHECK_EQUAL(write(writing, "12345", 5), 5);
    PROCESSOR(processor, .jobs = 1);
    CHECK_ITEMS(processor, root, "fifo . 0",
                "fifo named special fifo, . named failed EISDIR, "
                "0 named failed ENOENT");
    CHECK_EQUAL(read(reading, bytes, sizeof bytes), 5);
}

/* The memory of this process is a file with holes: reading fails there. */
TEST(an_error_in_the_middle_fails_the_file) {
    const size_t length = 3 << 20;
    char *memory = mmap(NULL, length * 2, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANON, -1, 0);
    munmap(memory + length, length);
    int file = open("/proc/self/mem", O_RDONLY);
    lseek(file, (off_t)memory, SEEK_SET);
    __block int pieces = 0;
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *opened) {
          const void *piece;
          size_t size;
          int error;
          while ((error = weir_file_read(opened, &piece, &size)) == 0 &&
                 size > 0) {
              pieces++;
              CHECK_EQUAL(weir_file_write(opened, piece, size), 0);
          }
          return error;
        });
    CHECK_EQUAL(process_descriptor(processor, file, "memory"), 0);
    CHECK(has_failed(processor->results, EIO) && pieces == 3);
    CHECK(processor->stats.failed == 1 && processor->stats.files == 0);
    CHECK_EQUAL(process(processor, "/proc/self/mem"), 0);
    CHECK(has_failed(processor->results, EIO));
    munmap(memory, length);
}

/* A file without a known type is read first where its descriptor stays. If the
   descriptor cannot be moved then, the next bytes would be the wrong ones. */
TEST(a_seek_that_fails_is_an_error_and_no_other_content) {
    const char *path = make_file(tree_create(), "f", 7, BIG);
    let_files_age();
    REQUIRE(refuse_calls(SYS_lseek, EIO) == 0);
    for (int lends = 0; lends < 2; lends++) {
        PROCESSOR(
            processor, .jobs = 1, .job = ^(weir_file_t *file) {
              int error = read_first(file, PIECE);
              CHECK(!lends || error != 0 || weir_file_descriptor(file) < 0);
              return error != 0 ? error : measure(file);
            });
        CHECK_EQUAL(process_named_items(processor, "", path), 0);
        CHECK(processor->count == 1 && has_failed(processor->results, EIO));
    }
}

/* A stat that fails does not show that a file without names was removed. */
TEST(a_stat_that_fails_is_an_error_and_no_removal) {
    const char *path = make_file(tree_create(), "f", 7, BIG);
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *file) {
          int error = summarize(file);
          unlink(path);
          /* Of the calls of stat, only those by a path have no flags. */
          CHECK_EQUAL(refuse_calls_with(SYS_newfstatat, 3, 0, EIO), 0);
          return error;
        });
    CHECK_EQUAL(process(processor, path), 0);
    CHECK(processor->count == 1 && has_failed(processor->results, EIO));
}
