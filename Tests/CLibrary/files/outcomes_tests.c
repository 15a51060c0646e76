/* outcomes_tests.c: files and links that are replaced after they were found, deep links, and
   literal names of pipes and devices. (runs_model_tests.c has the other outcomes.) */
#include "processor.h"
#include "tree.h"

/* With inline lanes the order is known: the job of the first file replaces the
   others. */
TEST(a_file_replaced_between_walk_and_open_is_classified_again) {
    const char *root = tree_of("0:1 1gone:1 2fifo:1 3link:1 4dir:1 5:1");
    PROCESSOR(
        processor, .jobs = WEIR_LANES_INLINE, .job = ^(weir_file_t *file) {
          if (path_ends(file, "/0")) {
              unlink(join(root, "1gone"));
              unlink(join(root, "2fifo"));
              unlink(join(root, "3link"));
              unlink(join(root, "4dir"));
              make_fifo(root, "2fifo");
              make_link(root, "3link", "5");
              make_directory(root, "4dir");
          }
          return 0;
        });
    CHECK_RUN(processor, root, NULL,
              "0 done, 1gone failed ENOENT, 2fifo special fifo, "
              "3link failed ELOOP, 4dir failed EISDIR, 5 done");
    CHECK(processor->stats.failed == 3 && processor->stats.files == 2);
}

static weir_selection_t replace_link(void *user, size_t source,
                                     const weir_walk_entry_t *found) {
    if (found->type == WEIR_ENTRY_SYMLINK) {
        CHECK(unlink(found->path) == 0);
        make_text("", found->path, "abc");
    }
    return WEIR_SELECT_TAKE;
}

TEST(a_link_that_a_file_replaces_is_gone) {
    const char *root = tree_of("link>nowhere deep/ deep/link>nowhere");
    PROCESSOR(processor, .flags = WEIR_FILES_WHOLE_TREE,
              .files.select = replace_link);
    CHECK_EQUAL(process(processor, root), 0);
    size_t links = 0;
    foreach (result, processor) {
        if (result->type == WEIR_ENTRY_SYMLINK) {
            CHECK_EQUAL(result->outcome, WEIR_FILE_FAILED);
            CHECK_EQUAL(result->error, ENOENT);
            links++;
        }
    }
    CHECK_EQUAL(links, 2);
}

/* The path is longer than the limit of the system, and the target of any bytes. */
TEST(links_are_read_at_any_depth) {
    const char *root = tree_create(), *name = text("%0250d", 0);
    const char *deepest = make_chain(root, name, 20);
    char target[PATH_MAX] = "";
    CHECK(strlen(deepest) > PATH_MAX);
    for (int index = 0; index < PATH_MAX - 1; index++) {
        target[index] = (char)(1 + index % 255);
    }
    int directory = open_chain(root, name, 20);
    CHECK_EQUAL(symlinkat(target, directory, "link"), 0);
    close(directory);
    PROCESSOR(processor, .flags = WEIR_FILES_WHOLE_TREE);
    REQUIRE(process(processor, root) == 0 && processor->stats.links == 1);
    const struct result *link = processor->results;
    while (link->outcome != WEIR_FILE_LINK) {
        link++;
    }
    CHECK_TEXT(link->path, join(deepest, "link"));
    CHECK_TEXT(link->output, target);
}

TEST(literal_names_of_one_pipe_are_read_in_turn) {
    const char *plain = join(tree_of("plain:1"), "plain");
    at_widths("1", ^(size_t jobs, size_t number) {
      static char bytes[40000];
      int *ends = (int[2]){-1, -1};
      REQUIRE(pipe(ends) == 0);
      CHECK_EQUAL(write(ends[1], bytes, sizeof bytes), sizeof bytes);
      close(ends[1]);
      const char *link = text("/dev/fd/%d", ends[0]);
      weir_files_item_t items[] = {
          item_of(WEIR_ITEM_FILE, plain), item_of(WEIR_ITEM_PATH, link),
          item_of(WEIR_ITEM_DESCRIPTOR, "-"), item_of(WEIR_ITEM_FILE, link),
          item_of(WEIR_ITEM_PATH, plain)};
      items[2].descriptor = ends[0];
      PROCESSOR(processor, .jobs = jobs, .batch = number,
                .flags = WEIR_FILES_LITERAL);
      CHECK_EQUAL(process_items(processor, items, 5), 0);
      CHECK_TEXT(outcomes(processor, parent(plain)),
                 text("plain named done 1, %s named done 40000, - named done, "
                      "%s named done, plain named done 1",
                      link, link));
      close(ends[0]);
    });
}

/* The jobs of the device find no other one in progress, and all those of the files
   before it ended. */
TEST(a_literal_file_that_is_not_regular_is_read_alone) {
    const char *plain = join(tree_of("plain:1"), "plain"), *paths[105];
    for (int index = 0; index < 105; index++) {
        paths[index] = index % 21 == 20 ? "/dev/null" : plain;
    }
    __block _Atomic int jobs = 0, present = 0, alone = 0;
    PROCESSOR(
        processor, .jobs = 4, .batch = 1, .flags = WEIR_FILES_LITERAL,
        .job = ^(weir_file_t *file) {
          int before = jobs++, beside = present++;
          if (path_ends(file, "null")) {
              CHECK(before % 21 == 20 && beside == 0, "%d, %d", before, beside);
              alone++;
          } else {
              CHECK(before % 21 != 20);
          }
          usleep(200); /* time for others, which must not come */
          CHECK(!path_ends(file, "null") || present == 1);
          present--;
          return 0;
        });
    CHECK_EQUAL(process_paths(processor, paths, 105), 0);
    CHECK(jobs == 105 && alone == 5);
}
