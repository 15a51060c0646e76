/* hard_links_tests.c: files with several names. */
#include "processor.h"
#include "tree.h"

/* The names are anywhere in a tree, and any lane may meet one first. */
TEST(every_name_has_its_result_and_every_file_is_read_once) {
    struct check_random random = check_random("links");
    const char *root = tree_create();
    struct named_files made = tree_fill_names(root, &random, 75, 5);
    let_files_age();
    at_widths("1 64", ^(size_t jobs, size_t batch) {
      PROCESSOR(processor, .jobs = jobs, .batch = batch,
                .call = summarize_once);
      /* Nothing is kept from one run to the next. */
      for (int run = 0; run < 2; run++) {
          CHECK_EQUAL(process(processor, root), 0);
          CHECK_EQUAL(processor->count, made.names);
          check_summaries(processor);
          weir_files_stats_t stats = processor->stats;
          CHECK(stats.bytes == made.bytes &&
                stats.bytes_expected == made.bytes);
          /* An empty file has nothing to be read. */
          CHECK_EQUAL(stats.linked, made.names - made.files);
          CHECK_EQUAL(stats.files, made.names);
      }
    });
}

/* The job of the first name fails, and that of the second leaves nothing, so the next
   one reads. */
TEST(only_a_successful_job_is_remembered) {
    const char *root = tree_create();
    const char *path = make_content(root, "f0", "45", 2);
    for (int number = 1; number < 5; number++) {
        make_name(root, text("f%d", number), path);
    }
    let_files_age();
    at_widths("1", ^(size_t jobs, size_t batch) {
      __block _Atomic int calls = 0;
      PROCESSOR(
          processor, .jobs = jobs, .batch = batch, .job = ^(weir_file_t *file) {
            const void *bytes;
            size_t size;
            bytes = weir_file_remembered(file, &size);
            if (bytes != NULL) {
                return weir_file_write(file, bytes, size);
            }
            int call = ++calls;
            CHECK_EQUAL(weir_file_read(file, &bytes, &size), 0);
            if (call == 1) {
                weir_file_remember(file, "99", 2);
                return EBADMSG;
            } else if (call == 2) {
                return write_text(file, "7");
            }
            weir_file_remember(file, "0", 1);
            weir_file_remember(file, bytes, size);
            return weir_file_write(file, bytes, size);
          });
      CHECK(process(processor, root) == 0 && processor->count == 5);
      int failed = 0, sevens = 0, others = 0;
      foreach (result, processor) {
          failed += has_failed(result, EBADMSG);
          sevens += strcmp(result->output, "7") == 0;
          others += strcmp(result->output, "45") == 0;
      }
      CHECK(failed == 1 && sevens == 1 && others == 3 && calls == 3);
      CHECK(processor->stats.failed == 1 && processor->stats.linked == 2);
    });
}

/* Between two names the file changes, but keeps its size, and its time of
   modification; or it changes while its first name is read. */
TEST(a_file_that_has_changed_since_is_read_again) {
    for (int row = 0; row < 5; row++) {
        bool keep_time = row % 2 == 1, is_read = row == 4;
        const char *root = tree_of("f1");
        const char *path = make_file(root, "f0", 1, row < 2 ? 3 : 1500000);
        make_name(root, "f2", path);
        let_files_age();
        PROCESSOR(
            processor, .jobs = WEIR_LANES_INLINE, .job = ^(weir_file_t *file) {
              const void *piece;
              size_t size;
              if (is_read && path_ends(file, "f0")) {
                  CHECK(weir_file_remembered(file, &size) == NULL);
                  CHECK_EQUAL(weir_file_read(file, &piece, &size), 0);
              }
              if (path_ends(file, is_read ? "f0" : "f1")) {
                  rewrite(path, keep_time);
              }
              return summarize_once(file);
            });
        CHECK(process(processor, root) == 0 && processor->count == 3);
        CHECK(is_read ? has_changed(processor->results, 0)
                      : is_done(processor->results));
        CHECK_EQUAL(processor->stats.linked, 0);
        check_summary(&processor->results[2]);
    }
}

/* Beyond 8 MiB the oldest are forgotten, and their files read again. */
TEST(remembered_bytes_are_bounded) {
    enum { FILES = 60, SIZE = 500000 };
    static char bytes[SIZE];
    const char *root = tree_create();
    char expected[2 * FILES + 3] = "";
    for (int number = 0; number < FILES; number++) {
        const char *path =
            make_file(root, text("a%d", 10 + number), '0' + number, 1);
        make_name(root, text("b%d", 10 + number), path);
        expected[number] = expected[FILES + 2 + number] = (char)('0' + number);
    }
    make_name(root, "a91", make_file(root, "a90", '!', 1));
    expected[FILES] = expected[FILES + 1] = '!';
    let_files_age();
    __block size_t most = 0;
    size_t begin = heap_bytes_in_use();
    PROCESSOR(
        processor, .jobs = 1, .job = ^(weir_file_t *file) {
          size_t now = heap_bytes_in_use() - begin, size;
          most = now > most ? now : most;
          const void *read = weir_file_remembered(file, &size);
          if (read != NULL) {
              CHECK_EQUAL(size, SIZE);
              return weir_file_write(file, read, 1);
          }
          int error = weir_file_read(file, &read, &size);
          memset(bytes, *(const char *)read, SIZE);
          weir_file_remember(file, bytes, SIZE);
          return error != 0 ? error : weir_file_write(file, bytes, 1);
        });
    CHECK_EQUAL(process(processor, root), 0);
    check_all_done(processor, 2 * FILES + 2);
    CHECK_TEXT(output_of(processor), expected);
    /* The second names come in the order of the first: each was forgotten. */
    CHECK_EQUAL(processor->stats.linked, 1);
    CHECK(most < 14 << 20, "%zu", most);
}
