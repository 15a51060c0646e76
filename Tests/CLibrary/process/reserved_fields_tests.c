/* reserved_fields_tests.c: each struct of options is refused with EINVAL if any of its
   reserved words is not zero, and accepted if all are. */
#include "tree.h"
#include <sys/wait.h>
#include <weir.h>

#define WORDS(type) (sizeof((type *)0)->reserved / sizeof(uintptr_t))

/* Sets a word of a struct's reserved ones. */
static void spoil(uintptr_t *reserved, size_t word) {
    if (word < SIZE_MAX) {
        reserved[word] = 1;
    }
}

/* The rows return 0 or the error of a call, with a word spoilt, or none (SIZE_MAX). */

static int make_lanes(size_t word) {
    weir_lanes_options_t options = {.width = 1};
    spoil(options.reserved, word);
    errno = 0;
    weir_lanes_t lanes = weir_lanes_create(&options);
    int error = lanes ? 0 : errno;
    lanes ? weir_lanes_release(lanes) : (void)0;
    return error;
}

static int do_nothing(void *user, void *lane_context, weir_file_t *file) {
    return 0;
}

static int make_files(weir_files_options_t options) {
    options.job = do_nothing;
    options.jobs = 1;
    errno = 0;
    weir_files_t files = weir_files_create(&options);
    int error = files ? 0 : errno;
    files ? weir_files_release(files) : (void)0;
    return error;
}

static int make_processor(size_t word) {
    weir_files_options_t options = {0};
    spoil(options.reserved, word);
    return make_files(options);
}

static int filter_files(size_t word) {
    weir_walk_filter_t filters[] = {{.pattern = "a"}, {.pattern = "b"}};
    spoil(filters[1].reserved, word);
    return make_files(
        (weir_files_options_t){.filters = filters, .filter_count = 2});
}

static int make_walk(weir_walk_options_t options) {
    errno = 0;
    weir_walk_t walk = weir_walk_create_with("/", &options);
    int error = walk ? 0 : errno;
    walk ? weir_walk_destroy(walk) : (void)0;
    return error;
}

static int walk(size_t word) {
    weir_walk_options_t options = {0};
    spoil(options.reserved, word);
    return make_walk(options);
}

static int filter_walk(size_t word) {
    weir_walk_filter_t filter = {.pattern = "a"};
    spoil(filter.reserved, word);
    return make_walk(
        (weir_walk_options_t){.filters = &filter, .filter_count = 1});
}

static int start_child(size_t word) {
    weir_spawn_options_t options = {0};
    pid_t pid;
    spoil(options.reserved, word);
    int error = weir_spawn(&pid, "true", (char *[]){"true", NULL}, &options);
    if (error == 0) {
        REQUIRE(waitpid(pid, NULL, 0) == pid);
    }
    return error;
}

static int run_source(weir_files_source_t source) {
    weir_files_options_t options = {.job = do_nothing, .jobs = 1};
    weir_files_t files = weir_files_create(&options);
    REQUIRE(files != NULL);
    int error = weir_files_run(files, &source, 1);
    weir_files_release(files);
    return error;
}

static int read_source(size_t word) {
    weir_files_source_t source = {.path = "/proc/self/stat"};
    spoil(source.reserved, word);
    return run_source(source);
}

struct items {
    size_t word;
    bool is_given;
};

static bool next_item(void *context, weir_files_item_t *item) {
    struct items *items = context;
    if (items->is_given) {
        return false;
    }
    items->is_given = true;
    item->kind = WEIR_ITEM_NOTE;
    spoil(item->reserved, items->word);
    return true;
}

static int read_item(size_t word) {
    struct items items = {.word = word};
    return run_source((weir_files_source_t){
        .kind = WEIR_SOURCE_ITEMS, .next = next_item, .context = &items});
}

static void ignore_event(void *context, const weir_trace_event_t *event) {}

static int observe(size_t word) {
    static weir_trace_observer_t observer;
    observer = (weir_trace_observer_t){.observe = ignore_event};
    spoil(observer.reserved, word);
    errno = 0;
    CHECK(weir_trace_set_observer(&observer) == NULL);
    int error = errno;
    CHECK(weir_trace_set_observer(NULL) == (error ? NULL : &observer));
    return error;
}

static const struct {
    const char *name;
    int (*call)(size_t word);
    size_t words;
} rows[] = {
    {"lanes", make_lanes, WORDS(weir_lanes_options_t)},
    {"processor", make_processor, WORDS(weir_files_options_t)},
    {"filter of a processor", filter_files, WORDS(weir_walk_filter_t)},
    {"walk", walk, WORDS(weir_walk_options_t)},
    {"filter of a walk", filter_walk, WORDS(weir_walk_filter_t)},
    {"child", start_child, WORDS(weir_spawn_options_t)},
    {"source", read_source, WORDS(weir_files_source_t)},
    {"item", read_item, WORDS(weir_files_item_t)},
    {"observer", observe, WORDS(weir_trace_observer_t)},
};

TEST(a_reserved_word_that_is_not_zero_is_refused) {
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_row("%s", rows[row].name);
        CHECK_EQUAL(rows[row].call(SIZE_MAX), 0);
        for (size_t word = 0; word < rows[row].words; word++) {
            CHECK_EQUAL(rows[row].call(word), EINVAL);
        }
    }
}
