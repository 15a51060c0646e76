/* items_tests.c: items that a function gives, and their notes. */
#include "processor.h"
#include "tree.h"

enum { ITEMS = 300, FILES = 20, DIRECTORIES = 3, RESULTS = ITEMS * FILES };

struct expected {
    size_t item;
    const char *path;
    int error;
    bool named;
};

/* Items, and for each result the item that it comes from, its path, and its error, or
   -1 for a note. */
struct script {
    size_t count, results;
    weir_files_item_t items[ITEMS];
    struct expected expected[RESULTS];
};

static void expect(struct script *script, const char *path, int error,
                   bool named) {
    script->expected[script->results++] =
        (struct expected){script->count - 1, path, error, named};
}

static void add_item(struct script *script, const char *directory,
                     struct check_random *random) {
    char *path = text("%s/f%zu", directory, 100 + check_below(random, FILES));
    weir_files_item_t *item = &script->items[script->count++];
    *item = item_of(WEIR_ITEM_FILE, path);
    item->note_length = check_below(random, 3) * check_below(random, 20);
    item->note = text("%*zx", 40, (size_t)check_next(random));
    size_t kind = check_below(random, 12);
    if (kind == 0) {
        *item = (weir_files_item_t){.kind = WEIR_ITEM_NOTE,
                                    .note = item->note,
                                    .note_length = item->note_length};
        expect(script, "", -1, true);
    } else if (kind == 1) {
        item->kind = WEIR_ITEM_FAILURE;
        item->error = EIO;
        expect(script, path, EIO, true);
    } else if (kind == 2) {
        item->path = path = text("%s~", path);
        item->path_length++;
        expect(script, path, ENOENT, true);
    } else if (kind == 3 && check_below(random, 4) == 0) {
        item->kind = WEIR_ITEM_PATH;
        item->path_length = strlen(directory);
        for (int number = 0; number < FILES; number++) {
            expect(script, text("%s/f%d", directory, 100 + number), 0, false);
        }
    } else if (kind == 4) {
        *item = (weir_files_item_t){.kind = WEIR_ITEM_FLUSH};
    } else {
        item->kind = kind < 7 ? WEIR_ITEM_PATH : WEIR_ITEM_FILE;
        expect(script, path, 0, true);
    }
}

static int write_note(weir_file_t *file) {
    size_t length;
    const void *note = weir_file_note(file, &length);
    CHECK((uintptr_t)note % 8 == 0, "a note is not aligned");
    return weir_file_write(file, note, length);
}

static void check_script(const struct script *script, size_t jobs,
                         size_t batch) {
    PROCESSOR(processor, .jobs = jobs, .batch = batch, .call = write_note);
    CHECK_EQUAL(process_items(processor, script->items, script->count), 0);
    REQUIRE(CHECK_EQUAL(processor->count, script->results));
    size_t found = 0;
    for (size_t index = 0; index < script->results; index++) {
        const struct result *result = &processor->results[index];
        struct expected expected = script->expected[index];
        const weir_files_item_t *item = &script->items[expected.item];
        int error = expected.error;
        CHECK_TEXT(result->path, expected.path);
        CHECK_EQUAL(result->named, expected.named);
        CHECK_BYTES(result->note, result->note_length, item->note,
                    item->note_length);
        CHECK(error < 0    ? result->outcome == WEIR_FILE_NOTED
              : error == 0 ? is_done(result)
                           : has_failed(result, error),
              "outcome %d, error %d", result->outcome, result->error);
        /* The job saw the same note. */
        CHECK_BYTES(result->output, result->output_length, item->note,
                    is_done(result) ? item->note_length : 0);
        found += error >= 0;
    }
    weir_files_stats_t stats = processor->stats;
    CHECK(stats.found == found && stats.feeding == 0 &&
          stats.files + stats.failed == found);
}

TEST(every_item_is_delivered_in_its_place_with_its_note) {
    struct check_random random = check_random("items"), *source = &random;
    const char *root = tree_of("d0/ d1/ d2/");
    for (int number = 0; number < DIRECTORIES * FILES; number++) {
        make_file(root, text("d%d/f%d", number / FILES, 100 + number % FILES),
                  1, 1);
    }
    at_widths("1 5 64", ^(size_t jobs, size_t batch) {
      for (int round = 0; round < 3; round++) {
          struct script *script = calloc(1, sizeof *script);
          const char *directory = join(root, "d0");
          while (script->count < ITEMS) {
              if (check_below(source, 20) == 0) {
                  directory =
                      text("%s/d%zu", root, check_below(source, DIRECTORIES));
              }
              add_item(script, directory, source);
          }
          check_script(script, jobs, batch);
          free(script);
      }
    });
}

TEST(the_kind_of_an_item_decides_its_outcome) {
    const char *root = tree_of("plain:3");
    weir_files_item_t items[] = {
        item_of(WEIR_ITEM_FILE, join(root, "plain")),
        {.kind = WEIR_ITEM_PATH, .path = "a\0b", .path_length = 3},
        {.kind = WEIR_ITEM_FAILURE,
         .error = EACCES,
         .path = "c",
         .path_length = 1},
        {.kind = WEIR_ITEM_NOTE}};
    items[0].path_length++; /* with the NUL */
    PROCESSOR(processor);
    CHECK_EQUAL(process_items(processor, items, 4), 0);
    CHECK_TEXT(outcomes(processor, root),
               "plain named failed EINVAL, a named failed EINVAL, "
               "c named failed EACCES,  named noted");
    CHECK(processor->stats.found == 3 && processor->stats.failed == 3);
    foreach (result, processor) {
        const weir_files_item_t *item = &items[result - processor->results];
        CHECK_BYTES(result->path, result->path_length, item->path,
                    item->path_length);
        CHECK_EQUAL(result->note_length, 0);
    }
}

TEST(a_descriptor_that_is_given_twice_is_read_in_turn) {
    const char *path = make_varied_file(tree_create(), "f", 3000000);
    size_t size;
    char *bytes = contents(path, &size);
    const char *output =
        text("%s%s", summary_of(bytes, size), summary_of("", 0));
    free(bytes);
    at_widths("1", ^(size_t jobs, size_t batch) {
      int descriptor = open(path, O_RDONLY);
      weir_files_item_t items[] = {item_of(WEIR_ITEM_DESCRIPTOR, path),
                                   item_of(WEIR_ITEM_DESCRIPTOR, "-")};
      items[0].descriptor = items[1].descriptor = descriptor;
      items[0].note = "1";
      items[0].note_length = 1;
      PROCESSOR(processor, .jobs = jobs, .batch = batch);
      CHECK_EQUAL(process_items(processor, items, 2), 0);
      CHECK_TEXT(outcomes(processor, parent(path)),
                 "f named done 3000000, - named done");
      CHECK_TEXT(output_of(processor), output);
      CHECK_TEXT(processor->results[0].note, "1");
      CHECK_TEXT(processor->results[1].note, "");
      close(descriptor);
    });
}

TEST(flushed_items_are_delivered_before_the_next_is_given) {
    const char *plain = join(tree_of("f:1"), "f");
    at_widths("12", ^(size_t jobs, size_t count) {
      __block _Atomic size_t delivered = 0;
      __block size_t turn = 0;
      PROCESSOR(
          processor, .jobs = jobs,
          .deliver = ^(const weir_files_batch_t *batch) {
            delivered += batch->count;
            return 0;
          });
      bool (^next)(weir_files_item_t *) = ^(weir_files_item_t *item) {
        turn++;
        CHECK(turn % 3 != 1 || EVENTUALLY(delivered == turn / 3 * 2));
        *item = turn % 3 == 0   ? item_of(WEIR_ITEM_FLUSH, "")
                : turn % 2 == 0 ? item_of(WEIR_ITEM_FILE, plain)
                                : item_of(WEIR_ITEM_NOTE, "");
        return (bool)(turn <= count);
      };
      struct feed feed = {.next = next};
      weir_files_source_t source = feed_source(&feed);
      CHECK(process_sources(processor, &source, 1) == 0 && delivered == 8);
      feed_end(&feed);
    });
}

TEST(the_function_is_not_called_after_its_end_or_that_of_the_run) {
    const char *plain = join(tree_of("f:1"), "f");
    const weir_files_item_t items[] = {
        item_of(WEIR_ITEM_FILE, plain), item_of(WEIR_ITEM_NOTE, ""),
        item_of((weir_item_kind_t)99, ""), item_of(WEIR_ITEM_FILE, plain)};
    struct feed ending = {.items = items, .count = 1};
    struct feed other = {.items = items, .count = 2};
    weir_files_source_t sources[] = {feed_source(&ending), feed_source(&other),
                                     feed_source(&ending)};
    PROCESSOR(processor);
    CHECK_EQUAL(process_sources(processor, sources, 3), 0);
    CHECK(ending.asked == 3 && other.asked == 3 && processor->count == 3);

    bool (^next)(weir_files_item_t *) = ^(weir_files_item_t *item) {
      weir_files_cancel(processor->files);
      *item = item_of(WEIR_ITEM_FILE, plain);
      return (bool)true;
    };
    struct feed endless = {.next = next};
    sources[0] = feed_source(&endless);
    CHECK_EQUAL(process_sources(processor, sources, 1), ECANCELED);
    CHECK_EQUAL(endless.asked, 1);
    feed_end(&endless);

    struct feed unknown = {.items = items + 2, .count = 2};
    sources[0] = feed_source(&unknown);
    CHECK_EQUAL(process_sources(processor, sources, 1), EINVAL);
    CHECK_EQUAL(unknown.asked, 1);
    feed_end(&unknown);
    sources[0].next = NULL;
    CHECK_EQUAL(process_sources(processor, sources, 1), EINVAL);
}
