/* scenario_files.c: runs of the file processor over the tree, in each mode. */
#include "scenarios.h"

#include <fcntl.h>

enum way { READ_PIECES, READ_AT, ASK_STATUS, REMEMBER };

struct mode {
    const char *name;
    unsigned flags;
    size_t jobs;
    size_t jobs_max;
    enum way way;
    weir_source_kind_t kind;
    unsigned source_flags;
    bool selects; /* filters, select, annotate, exclude */
};

static const struct mode modes[] = {
    {.name = "ordered", .jobs = 3},
    {.name = "inline", .jobs = WEIR_LANES_INLINE},
    {.name = "unordered", .jobs = 3, .flags = WEIR_FILES_UNORDERED},
    {.name = "late", .flags = WEIR_FILES_OPEN_LATE, .way = ASK_STATUS},
    {.name = "inodes", .source_flags = WEIR_SOURCE_BY_INODE},
    {.name = "follow", .flags = WEIR_FILES_FOLLOW},
    {.name = "whole", .flags = WEIR_FILES_WHOLE_TREE, .way = READ_AT},
    {.name = "memory-of-links", .way = REMEMBER},
    {.name = "growing", .jobs = 1, .jobs_max = 8},
    {.name = "selected", .selects = true},
    {.name = "list", .kind = WEIR_SOURCE_LIST},
    {.name = "items", .kind = WEIR_SOURCE_ITEMS},
    {.name = "descriptor", .kind = WEIR_SOURCE_DESCRIPTOR},
};

static const struct mode *mode;
static _Atomic int values;

/* ---- the job ---------------------------------------------------------------- */

/* What is added up of a file: where it was cut into pieces does not matter. */
struct sum {
    uint64_t bytes;
    uint64_t places;
    uint64_t length;
};

static void add_bytes(struct sum *sum, const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++) {
        sum->bytes += at[i];
        sum->places += (sum->length + i) * at[i];
    }
    sum->length += length;
}

static int read_pieces(weir_file_t *file, struct sum *sum) {
    const void *bytes;
    size_t length;
    int error;
    while ((error = weir_file_read(file, &bytes, &length)) == 0 && length > 0) {
        add_bytes(sum, bytes, length);
    }
    return error;
}

static int read_at(weir_file_t *file, struct sum *sum) {
    static _Thread_local char bytes[65536];
    uint64_t offset = 0;
    size_t length = 1;
    int error = 0;
    if (weir_file_descriptor(file) < 0) {
        return EBADF;
    }
    while (error == 0 && length > 0) {
        error = weir_file_read_at(file, offset, bytes, sizeof bytes, &length);
        add_bytes(sum, bytes, length);
        offset += length;
    }
    return error;
}

static int sum_file(weir_file_t *file, struct sum *sum) {
    struct stat status;
    size_t length;
    const void *known;
    switch (mode->way) {
    case ASK_STATUS: {
        int error = weir_file_stat_path(file, &status);
        return error ? error : read_pieces(file, sum);
    }
    case READ_AT:
        return read_at(file, sum);
    case REMEMBER:
        known = weir_file_remembered(file, &length);
        if (known && length == sizeof *sum) {
            memcpy(sum, known, sizeof *sum);
            return 0;
        }
        int error = read_pieces(file, sum);
        if (!error && weir_file_is_awaited(file)) {
            weir_file_remember(file, sum, sizeof *sum);
        }
        return error;
    default:
        return read_pieces(file, sum);
    }
}

static int job(void *user, void *lane, weir_file_t *file) {
    (void)user;
    (void)lane;
    struct sum sum = {0};
    char text[80];
    values++;
    weir_file_set_value(file, &values);
    int error = sum_file(file, &sum);
    snprintf(text, sizeof text, "%llx:%llx:%llu", (unsigned long long)sum.bytes,
             (unsigned long long)sum.places, (unsigned long long)sum.length);
    return error ? error : weir_file_write(file, text, strlen(text));
}

static void drop_value(void *user, void *value) {
    (void)user;
    (void)value;
    values--;
}

/* ---- the results -------------------------------------------------------------- */

#define RESULTS 400

static char results[RESULTS][200];
static size_t result_count;

static int deliver(void *user, const weir_files_batch_t *batch) {
    (void)user;
    for (size_t i = 0; i < batch->count && result_count < RESULTS; i++) {
        const weir_file_result_t *result = &batch->results[i];
        snprintf(results[result_count++], sizeof results[0],
                 "F\t%s\t%d\t%d\t%.*s %.*s", result->path, result->outcome,
                 result->error, (int)result->output_length,
                 result->output ? result->output : "", (int)result->note_length,
                 result->note ? (const char *)result->note : "");
    }
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void say_results(void) {
    if (mode->flags & WEIR_FILES_UNORDERED) {
        qsort(results, result_count, sizeof results[0], by_text);
    }
    for (size_t i = 0; i < result_count; i++) {
        say("%s", results[i]);
    }
}

/* ---- options and sources --------------------------------------------------------- */

static weir_selection_t select_entry(void *user, size_t source,
                                     const weir_walk_entry_t *found) {
    (void)user;
    (void)source;
    return strcmp(found->path + found->name_offset, "empty") == 0
               ? WEIR_SELECT_PRUNE
               : WEIR_SELECT_TAKE;
}

static const void *annotate(void *user, size_t source,
                            const weir_walk_entry_t *found, size_t *length) {
    (void)user;
    (void)source;
    (void)found;
    *length = 5;
    return "noted";
}

static bool next_item(void *context, weir_files_item_t *item) {
    static const char *const paths[] = {"tree/a", "tree/deep", "tree/missing",
                                        "tree/many/f07", "tree/big"};
    const int path_count = 5;
    int *at = context;
    int i = (*at)++;
    item->note = "note";
    item->note_length = 4;
    if (i < path_count) {
        item->kind = i == 1 ? WEIR_ITEM_PATH : WEIR_ITEM_FILE;
        item->path = paths[i];
        item->path_length = strlen(paths[i]);
    } else if (i == path_count) {
        item->kind = WEIR_ITEM_NOTE;
    } else if (i == path_count + 1) {
        item->kind = WEIR_ITEM_FAILURE;
        item->error = EREMOTE;
        item->path = "gone";
        item->path_length = 4;
    } else if (i == path_count + 2) {
        item->kind = WEIR_ITEM_FLUSH;
    }
    return i < path_count + 3;
}

static void run_sources(weir_files_t files) {
    int at = 0, list = open("names", O_RDONLY);
    const weir_files_source_t one = {
        .kind = mode->kind,
        .descriptor = list,
        .path = mode->kind == WEIR_SOURCE_PATH ? "tree" : "names",
        .separator = '\n',
        .next = next_item,
        .context = &at,
        .flags = mode->source_flags,
    };
    weir_files_source_t sources[] = {one, one, one};
    sources[1].kind = sources[2].kind = WEIR_SOURCE_PATH;
    sources[1].path = "single";
    sources[2].path = "missing";
    result_count = 0;
    int error = weir_files_run(files, sources, 3);
    (void)expect("weir_files_run", error, 0);
    say_results();
    end_files(error, mode->flags & WEIR_FILES_UNORDERED);
    if (values != 0) {
        wrong("%d values were not dropped", values);
    }
    close(list);
}

static void run_mode(void) {
    for (mode = modes; strcmp(mode->name, running_scenario + 6) != 0; mode++) {
    }
    static const weir_walk_filter_t filters[] = {
        {.pattern = "f1*"}, {.include = true, .pattern = "many/f1[0-2]"}};
    struct stat excluded = {0};
    (void)!stat("tree/deep/c", &excluded);
    weir_files_options_t options = {
        .label = mode->name,
        .jobs = mode->jobs ? mode->jobs : WEIR_LANES_INLINE,
        .jobs_max = mode->jobs_max,
        .flags = mode->flags,
        .descriptors = 24,
        .files_per_batch = mode->jobs == 3 ? 4 : 0,
        .job = job,
        .deliver = deliver,
        .value_drop = drop_value,
    };
    if (mode->selects) {
        options.exclude = &excluded;
        options.exclude_count = 1;
        options.filters = filters;
        options.filter_count = 2;
        options.select = select_entry;
        options.annotate = annotate;
    }
    values = 0;
    weir_files_t files = weir_files_create(&options);
    if (MADE(files)) {
        run_sources(files);
        weir_files_release(files);
    }
}

const struct scenario file_scenarios[] = {
    {"files-ordered", run_mode, false},
    {"files-inline", run_mode, false},
    {"files-unordered", run_mode, false},
    {"files-late", run_mode, false},
    {"files-inodes", run_mode, false},
    {"files-follow", run_mode, false},
    {"files-whole", run_mode, false},
    {"files-memory-of-links", run_mode, false},
    {"files-growing", run_mode, false},
    {"files-selected", run_mode, false},
    {"files-list", run_mode, false},
    {"files-items", run_mode, false},
    {"files-descriptor", run_mode, false},
    {NULL, NULL, false},
};
