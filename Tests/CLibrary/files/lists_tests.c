/* lists_tests.c: lists that end with an error, wait or are cancelled, and impossible names.
   (runs_model_tests.c has the names.) */
#include "descriptors.h"
#include "processor.h"
#include "tree.h"
#include <sys/socket.h>

static void put(int descriptor, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        REQUIRE(written > 0);
        bytes += written;
        size -= (size_t)written;
    }
}

static void put_text(int descriptor, const char *text) {
    put(descriptor, text, strlen(text));
}

static int run_list(struct processor *processor, void (^write)(int pipe)) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    int writing = ends[1];
    pthread_t writer = thread_start(^{
      write(writing);
      close(writing);
    });
    int error = process_list(processor, ends[0]);
    thread_join(writer);
    close(ends[0]);
    return error;
}

TEST(lists_are_opened_one_after_the_other) {
    const char *root = tree_of("a"), *plain = join(root, "a");
    weir_files_source_t sources[21];
    for (int index = 0; index < 21; index++) {
        const char *name = text("list%d", index);
        sources[index] = (weir_files_source_t){.kind = WEIR_SOURCE_LIST_FILE,
                                               .separator = '\n',
                                               .path = join(root, name)};
        if (index < 20) {
            make_content(root, name, plain, strlen(plain));
        }
    }
    __block int most = 0;
    PROCESSOR(
        processor, .jobs = WEIR_LANES_INLINE, .batch = 1,
        .job = ^(weir_file_t *file) {
          int now = open_below(root).lanes;
          most = now > most ? now : most;
          return 0;
        });
    CHECK_EQUAL(process_sources(processor, sources, 21), 0);
    CHECK_EQUAL(processor->count, 21);
    foreach (result, processor) {
        bool last = result == processor->results + 20;
        CHECK(last ? has_failed(result, ENOENT) : is_done(result));
        CHECK_TEXT(result->path, last ? join(root, "list20") : plain);
    }
    CHECK_EQUAL(open_below(root).lanes, 0);
    CHECK(most >= 1 && most <= 3, "%d", most);
}

/* The end of a socket that was closed before it had read everything is an error after
   the bytes that it sent: the name in which they end may be the beginning of another
   one. */
TEST(a_name_that_an_error_cuts_off_is_no_name) {
    const char *root = tree_of("a:1 b:2");
    const char *list = text("%s/a\n%s/b", root, root);
    at_widths("1", ^(size_t jobs, size_t batch) {
      int *ends = (int[2]){-1, -1};
      REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
      put_text(ends[0], "x");
      put_text(ends[1], list);
      close(ends[1]);
      PROCESSOR(processor, .jobs = jobs, .batch = batch);
      CHECK_EQUAL(process_list(processor, ends[0]), 0);
      CHECK_TEXT(outcomes(processor, root),
                 "a named done 1, list named failed ECONNRESET");
      close(ends[0]);
    });
}

TEST(impossible_names_fail) {
    enum { SLASHES = 200000, ENDLESS = 3000000, CUT = 4095 };
    const char *root = tree_of("a"), *plain = join(root, "a");
    size_t size = strlen(plain);
    char *slashes = malloc(SLASHES + 1), *endless = malloc(ENDLESS);
    memset(slashes, '/', SLASHES);
    slashes[SLASHES] = 0;
    memset(endless, 'a', ENDLESS);
    char *many = text("%s%sa", root, slashes);
    PROCESSOR(processor);
    int error = run_list(processor, ^(int pipe) {
      put_text(pipe, text("%s\n%s\n", plain, many));
      put(pipe, plain, size + 1); /* with the NUL */
      put_text(pipe, text("%s\n", plain));
      put(pipe, endless, ENDLESS);
      put_text(pipe, text("\n%s\n", plain));
      put(pipe, endless, ENDLESS);
    });
    CHECK_EQUAL(error, 0);
    endless[CUT] = 0;
    CHECK_TEXT(outcomes(processor, root),
               text("a named done, %s named done, a named failed EINVAL, %s "
                    "named failed ENAMETOOLONG, a named done, %s named failed "
                    "ENAMETOOLONG",
                    many + strlen(root) + 1, endless, endless));
    CHECK_EQUAL(processor->results[2].path_length, size * 2 + 1);
    CHECK_TEXT(processor->results[2].path + size + 1, plain);
    free(slashes);
    free(endless);
}

TEST(an_unreadable_list_is_a_failed_file) {
    int directory = open(tree_create(), O_RDONLY);
    const struct {
        int descriptor;
        const char *outcome;
    } rows[] = {{directory, "list named failed EISDIR"},
                {9999, "list named failed EBADF"},
                {-1, "list named failed EBADF"}};
    PROCESSOR(processor);
    for (int row = 0; row < 3; row++) {
        CHECK_EQUAL(process_list(processor, rows[row].descriptor), 0);
        CHECK_TEXT(outcomes(processor, ""), rows[row].outcome);
        CHECK_EQUAL(processor->stats.failed, 1);
    }
    weir_files_source_t source = {.kind = WEIR_SOURCE_LIST};
    CHECK_EQUAL(process_sources(processor, &source, 1), EINVAL);
}

TEST(listed_names_do_not_wait_for_the_rest) {
    const char *root = tree_of("a"), *line = text("%s/a\n", root);
    at_widths("5", ^(size_t jobs, size_t count) {
      __block _Atomic size_t delivered = 0;
      PROCESSOR(
          processor, .jobs = jobs,
          .deliver = ^(const weir_files_batch_t *batch) {
            delivered += batch->count;
            return 0;
          });
      int error = run_list(processor, ^(int pipe) {
        for (size_t done = 1; done <= count; done++) {
            put_text(pipe, line);
            CHECK(EVENTUALLY(delivered == done));
        }
      });
      CHECK(error == 0 && processor->count == count);
    });
}

TEST(a_run_that_waits_for_its_list_can_be_cancelled) {
    const char *root = tree_of("a"), *list = text("%s/a\n%s/a", root, root);
    struct latch *delivered = latch_create(1), *over = latch_create(1);
    PROCESSOR(
        processor, .deliver = ^(const weir_files_batch_t *batch) {
          latch_arrive(delivered);
          return 0;
        });
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    int writing = ends[1];
    pthread_t writer = thread_start(^{
      put_text(writing, list);
      CHECK(latch_wait(delivered));
      weir_files_cancel(processor->files);
      CHECK(latch_wait(over));
      close(writing);
    });
    CHECK_EQUAL(process_list(processor, ends[0]), ECANCELED);
    latch_arrive(over);
    thread_join(writer);
    CHECK_TEXT(outcomes(processor, root), "a named done");
}

/* It is read when its names are needed: batches that are not delivered hold the feed
   up. */
TEST(a_list_is_not_read_far_ahead) {
    const char *root = tree_of("a"), *line = text("%s/a\n", root);
    FILE *list = fopen(join(root, "list"), "w+");
    for (int index = 0; index < 400000; index++) {
        fputs(line, list);
    }
    rewind(list);
    int descriptor = fileno(list);
    __block off_t place = 0;
    PROCESSOR(
        processor, .batch = 4, .deliver = ^(const weir_files_batch_t *batch) {
          place = lseek(descriptor, 0, SEEK_CUR);
          return EINTR;
        });
    CHECK_EQUAL(process_list(processor, descriptor), EINTR);
    CHECK(place > 0 && place <= 4 * 65536, "%jd", (intmax_t)place);
    fclose(list);
}
