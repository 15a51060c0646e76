/* beneath_tests.c: a directory that becomes a symbolic link during a run leads no
   file out of its tree. */
#include "descriptors.h"
#include "processor.h"
#include "refusal.h"
#include "tree.h"

/* A tree whose directory `d` is exchanged for a link to another tree, with larger
   files of the same names. */
static const char *root, *elsewhere;

enum { FILES = 5 };
static const char *const files[FILES] = {"d/e/f1", "d/e/f2", "d/e/f3", "d/g/f4",
                                         "d/h"};

static void make_trees(void) {
    root = tree_of("d/ d/e/ d/g/ a d/e/f1:1 d/e/f2:1 d/e/f3:1 d/g/f4:1 d/h:1");
    elsewhere =
        tree_of("d/ d/e/ d/g/ d/e/f1:2 d/e/f2:2 d/e/f3:2 d/g/f4:2 d/h:2");
    let_files_age();
}

static struct processor *run_exchange(const char *file, size_t batch,
                                      unsigned flags, bool by_inode) {
    struct processor_options options = {
        .jobs = WEIR_LANES_INLINE, .batch = batch, .flags = flags};
    options.job = ^(weir_file_t *opened) {
      struct stat status;
      int error = 0;
      if (path_ends(opened, join(root, file))) {
          CHECK_EQUAL(rename(join(root, "d"), join(root, "z")), 0);
          make_link(root, "d", join(elsewhere, "d"));
      }
      if (flags & WEIR_FILES_OPEN_LATE) {
          error = weir_file_stat_path(opened, &status);
      }
      return error != 0 ? error : summarize(opened);
    };
    weir_files_source_t source = {.path = root,
                                  .flags = by_inode ? WEIR_SOURCE_BY_INODE : 0};
    struct processor *processor = processor_create(options);
    CHECK_EQUAL(process_sources(processor, &source, 1), 0);
    return processor;
}

/* Returns the only result of a file, or else one that nothing is true of. */
static struct result result_of(const struct processor *processor,
                               const char *file) {
    struct result found = {.outcome = WEIR_FILE_NOTED, .output = ""};
    foreach (result, processor) {
        if (result->type != WEIR_ENTRY_DIRECTORY &&
            strcmp(result->path, join(root, file)) == 0) {
            CHECK(found.path == NULL, "%s is there twice", file);
            found = *result;
        }
    }
    return found;
}

/* Checks that a file was neither read nor taken for one of another tree. Its path has a
   link; if files are opened late, the link may stand for the directory that is opened. */
static bool is_refused(struct result result, unsigned flags) {
    bool has_error =
        has_failed(&result, ELOOP) ||
        (flags & WEIR_FILES_OPEN_LATE && has_failed(&result, ENOTDIR));
    return has_error && result.bytes == 0 && result.size <= 1;
}

/* The directory is exchanged after the walk: every file below it is refused. In the
   order of the inodes some may be read before the exchange. Or it is exchanged when one
   of its files is read, and each file is a batch. The walk may not have read all
   directories by then. */
static void check_exchange(unsigned flags, bool by_inode, bool after_the_walk) {
    make_trees();
    SCOPED *processor = after_the_walk
                            ? run_exchange("a", 64, flags, by_inode)
                            : run_exchange(files[0], 1, flags, false);
    struct result first = result_of(processor, "a");
    CHECK(!after_the_walk ||
          (is_done(&first) && processor->count == 1 + FILES));
    for (int index = 0; index < FILES; index++) {
        struct result result = result_of(processor, files[index]);
        bool read = is_done(&result) && result.size == 1;
        /* A file that is opened late is opened after the exchange. */
        bool early =
            !after_the_walk && index == 0 && !(flags & WEIR_FILES_OPEN_LATE);
        bool unknown = !after_the_walk && index > 2 && result.path == NULL;
        CHECK(early ? read
                    : (after_the_walk && by_inode && read) || unknown ||
                          is_refused(result, flags),
              "%s", files[index]);
    }
}

static void check_exchanges(void) {
    for (int row = 0; row < 8; row++) {
        unsigned flags = row & 4 ? WEIR_FILES_OPEN_LATE : 0;
        check_row("row %d", row);
        check_exchange(flags, row & 1, row & 2);
    }
}

TEST(files_below_a_directory_that_became_a_link_are_refused) {
    check_exchanges();
}

static void check_without_openat2(int error) {
    root = tree_at_random("without openat2", 200, 50);
    make_chain(root, text("%0255d", 0), 20);
    PROCESSOR(before);
    PROCESSOR(after);
    CHECK_EQUAL(process(before, root), 0);
    REQUIRE(refuse_calls(SYS_openat2, error) == 0);
    CHECK_EQUAL(process(after, root), 0);
    check_same_results(after, before);
    check_all_done(after, before->count);
    CHECK_EQUAL(after->stats.bytes, before->stats.bytes);
    check_exchanges();
}

TEST(the_same_holds_if_the_kernel_has_no_openat2) {
    check_without_openat2(ENOSYS);
}

TEST(the_same_holds_if_a_sandbox_forbids_openat2) {
    check_without_openat2(EPERM);
}

/* A directory that a batch has open stays the one that the walk has found. */
TEST(an_open_directory_stays) {
    make_trees();
    SCOPED *processor = run_exchange(files[0], 64, 0, false);
    for (int index = 0; index < FILES; index++) {
        struct result result = result_of(processor, files[index]);
        CHECK(index < 3 ? is_done(&result) && result.bytes == 1
                        : is_refused(result, 0),
              "%s", files[index]);
    }
}

TEST(the_target_of_a_link_is_not_read_elsewhere) {
    make_trees();
    make_link(root, "d/e/f9", "own");
    make_link(elsewhere, "d/e/f9", "foreign");
    SCOPED *processor = run_exchange(files[0], 1, WEIR_FILES_WHOLE_TREE, false);
    CHECK(is_refused(result_of(processor, "d/e/f9"), 0));
}

/* What the user names may lead through links, as may the files of
   WEIR_FILES_FOLLOW. */
TEST(links_of_the_root_are_followed) {
    make_trees();
    const char *names = tree_of("n/");
    make_link(names, "l", root);
    make_link(names, "n/d", join(root, "d"));
    PROCESSOR(processor);
    for (int row = 0; row < 3; row++) {
        static const char *const paths[] = {"l/d", "l//d/", "n/d"};
        CHECK_EQUAL(process_names(processor, names, paths[row]), 0);
        check_all_done(processor, FILES);
        check_summaries(processor);
        CHECK_EQUAL(processor->stats.bytes, FILES);
    }
    PROCESSOR(following, .flags = WEIR_FILES_FOLLOW);
    CHECK_EQUAL(process(following, names), 0);
    check_all_done(following, 1 + 2 * FILES);
}

/* They are enough for one lane and for the walk, one after the other. */
TEST(two_descriptors_are_enough) {
    make_trees();
    int taken = take_descriptors(2);
    SCOPED *one = run_exchange("nowhere", 1, 0, false);
    SCOPED *all = run_exchange("nowhere", 64, 0, false);
    close_range((unsigned)taken, ~0U, 0);
    check_all_done(one, 1 + FILES);
    check_all_done(all, 1 + FILES);
}
