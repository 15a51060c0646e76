/* items_tests.c: the function that gives items, and when it is called. (runs_model_tests.c
   has the kinds of items.) */
#include "processor.h"
#include "tree.h"

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
