/* outcomes_tests.c: the type of a file decides its outcome, whether it is named or
   found by a walk, and with WEIR_FILES_LITERAL as open(2) and read(2) would. */
#include "processor.h"
#include "tree.h"

TEST(the_type_of_a_named_file_decides_its_outcome) {
    const char *root = tree_of("plain:3 fifo| socket= dangling>nowhere "
                               "loop>loop good>plain tofifo>fifo");
    PROCESSOR(processor);
    CHECK_RUN(processor, root,
              "fifo socket /dev/null missing dangling loop "
              "good plain plain/below tofifo",
              "fifo named special fifo, socket named special socket, "
              "/dev/null named special character device, "
              "missing named failed ENOENT, dangling named failed ENOENT, "
              "loop named failed ELOOP, good named done 3, plain named done 3, "
              "plain/below named failed ENOTDIR, tofifo named special fifo");
    CHECK_RUN(processor, root, "", " named failed ENOENT");
}

TEST(the_type_of_a_file_in_a_walk_decides_its_outcome) {
    const char *root = tree_of("a:1 b| c>a d:1 e= f:1 g>nowhere");
    at_widths("1", ^(size_t jobs, size_t batch) {
      PROCESSOR(plain, .jobs = jobs, .batch = batch);
      CHECK_RUN(plain, root, NULL,
                "a done 1, b special fifo, d done 1, "
                "e special socket, f done 1");
      CHECK(plain->stats.links == 2 && plain->stats.special == 2);
      PROCESSOR(following, .jobs = jobs, .batch = batch,
                .flags = WEIR_FILES_FOLLOW);
      CHECK_RUN(
          following, root, NULL,
          "a done 1, b special fifo, c done 1, d done 1, e special socket, "
          "f done 1, g failed ENOENT");
      CHECK(following->stats.links == 0 && following->stats.failed == 1);
    });
}

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

TEST(unreadable_directories_are_delivered_in_their_place) {
    const char *root = tree_of("a b/ b/up>.. c");
    at_widths("1", ^(size_t jobs, size_t batch) {
      PROCESSOR(processor, .jobs = jobs, .batch = batch,
                .flags = WEIR_FILES_FOLLOW);
      CHECK_RUN(processor, root, NULL, "a done, b/up failed ELOOP, c done");
      CHECK_EQUAL(processor->results[1].type, WEIR_ENTRY_DIRECTORY);
    });
}

TEST(excluded_files_are_skipped) {
    const char *root = tree_of("a:2 b:2 c:2 d:2");
    at_widths("2", ^(size_t jobs, size_t batch) {
      const struct stat excluded[] = {status_of(join(root, "b")),
                                      status_of(join(root, "d"))};
      PROCESSOR(processor, .jobs = jobs, .batch = batch,
                .files.exclude = excluded, .files.exclude_count = 2);
      CHECK_RUN(processor, root, NULL, "a done 2, c done 2");
      CHECK(processor->stats.excluded == 2 && processor->stats.files == 2);
    });
}

TEST(a_literal_name_is_treated_as_open_does) {
    const char *root = tree_of("d/ plain:3 fifo| socket= link>plain");
    struct stat excluded = status_of(join(root, "plain"));
    at_widths("1", ^(size_t jobs, size_t batch) {
      pthread_t writer = thread_start(^{
        int fifo = open(join(root, "fifo"), O_WRONLY);
        CHECK_EQUAL(write(fifo, "abcd", 4), 4);
        close(fifo);
      });
      PROCESSOR(processor, .jobs = jobs, .batch = batch,
                .flags = WEIR_FILES_LITERAL, .exclude = &excluded);
      CHECK_RUN(processor, root,
                "d plain fifo socket /dev/null missing link "
                "plain/below",
                "d named failed EISDIR, plain named done 3, fifo named done 4, "
                "socket named failed ENXIO, /dev/null named done, "
                "missing named failed ENOENT, link named done 3, "
                "plain/below named failed ENOTDIR");
      thread_join(writer);
      CHECK(processor->stats.directories == 0);
      CHECK(processor->stats.excluded == 0);
      CHECK_RUN(processor, root, "", " named failed ENOENT");
    });
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
