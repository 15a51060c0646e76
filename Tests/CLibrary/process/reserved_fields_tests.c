/* reserved_fields_tests.c: each struct of options is refused with EINVAL if any of its
   reserved words is not zero, or a flag has no meaning, and accepted otherwise. */
#include "check.h"
#include <sys/wait.h>
#include <weir.h>

/* Expects that a call succeeds, and fails with each word of a struct's reserved ones set. */
#define CHECK_RESERVED(options, call)                                          \
    do {                                                                       \
        size_t words = sizeof(options).reserved / sizeof(uintptr_t);           \
        check_row("%s", #call);                                                \
        CHECK_EQUAL(call, 0);                                                  \
        for (size_t word = 0; word < words; word++) {                          \
            (options).reserved[word] = 1;                                      \
            CHECK_EQUAL(call, EINVAL);                                         \
            (options).reserved[word] = 0;                                      \
        }                                                                      \
    } while (0)

/* Expects that a call succeeds with each flag up to the last, and fails with the others. */
#define CHECK_FLAGS(options, last, call)                                       \
    do {                                                                       \
        check_row("%s", #call);                                                \
        for (unsigned flag = 1; flag > 0; flag *= 2) {                         \
            (options).flags = flag;                                            \
            CHECK_EQUAL(call, flag <= (last) ? 0 : EINVAL);                    \
        }                                                                      \
        (options).flags = 0;                                                   \
    } while (0)

/* Makes an object and releases it. The value is 0 or the error. */
#define ERROR_OF(make, release)                                                \
    ({                                                                         \
        errno = 0;                                                             \
        __auto_type made = make;                                               \
        int error_of = made ? 0 : errno;                                       \
        made ? release(made) : (void)0;                                        \
        error_of;                                                              \
    })

static int do_nothing(void *user, void *lane_context, weir_file_t *file) {
    return 0;
}

TEST(lanes_walks_and_processors) {
    weir_walk_filter_t filter = {.pattern = "a"};
    weir_lanes_options_t lanes = {.width = 1};
    weir_walk_options_t walk = {.filters = &filter, .filter_count = 1};
    weir_files_options_t files = {
        .job = do_nothing, .jobs = 1, .filters = &filter, .filter_count = 1};
    CHECK_RESERVED(lanes,
                   ERROR_OF(weir_lanes_create(&lanes), weir_lanes_release));
    CHECK_RESERVED(
        walk, ERROR_OF(weir_walk_create_with("/", &walk), weir_walk_destroy));
    CHECK_RESERVED(
        filter, ERROR_OF(weir_walk_create_with("/", &walk), weir_walk_destroy));
    CHECK_RESERVED(files,
                   ERROR_OF(weir_files_create(&files), weir_files_release));
    CHECK_RESERVED(filter,
                   ERROR_OF(weir_files_create(&files), weir_files_release));
    CHECK_FLAGS(walk, WEIR_WALK_ONE_THREAD,
                ERROR_OF(weir_walk_create_with("/", &walk), weir_walk_destroy));
    CHECK_FLAGS(files, WEIR_FILES_MAPPED,
                ERROR_OF(weir_files_create(&files), weir_files_release));
}

static weir_files_item_t item;

static bool next_item(void *is_given, weir_files_item_t *next) {
    *next = item;
    return !*(bool *)is_given && (*(bool *)is_given = true);
}

TEST(sources_and_items) {
    bool is_given = false;
    weir_files_options_t options = {.job = do_nothing, .jobs = 1};
    weir_files_t files = weir_files_create(&options);
    weir_files_source_t path = {.path = "/proc/self/stat"};
    weir_files_source_t items = {
        .kind = WEIR_SOURCE_ITEMS, .next = next_item, .context = &is_given};
    item.kind = WEIR_ITEM_NOTE;
    CHECK_RESERVED(path, weir_files_run(files, &path, 1));
    CHECK_FLAGS(path, WEIR_SOURCE_BY_INODE, weir_files_run(files, &path, 1));
    CHECK_RESERVED(item, (is_given = false, weir_files_run(files, &items, 1)));
    weir_files_release(files);
}

static int start_child(const weir_spawn_options_t *options) {
    pid_t pid;
    int error = weir_spawn(&pid, "true", (char *[]){"true", NULL}, options);
    CHECK(error != 0 || waitpid(pid, NULL, 0) == pid);
    return error;
}

static void ignore(void *context, const weir_trace_event_t *event) {}

static int observe(const weir_trace_observer_t *observer) {
    errno = 0;
    CHECK(weir_trace_set_observer(observer) == NULL);
    int error = errno;
    CHECK(weir_trace_set_observer(NULL) == (error ? NULL : observer));
    return error;
}

TEST(children_and_observers) {
    static weir_trace_observer_t observer = {.observe = ignore};
    weir_spawn_options_t child = {0};
    CHECK_RESERVED(child, start_child(&child));
    CHECK_FLAGS(child, WEIR_SPAWN_OWN_SESSION, start_child(&child));
    CHECK_RESERVED(observer, observe(&observer));
}
