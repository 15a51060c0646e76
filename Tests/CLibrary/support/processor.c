/* processor.c: a file processor with blocks, and a copy of its results. */
#include "processor.h"
#include "tree.h"
#include <Block.h>

const size_t widths[WIDTHS] = {WEIR_LANES_INLINE, 1, 2, 16};

void at_widths(const char *numbers, void (^body)(size_t jobs, size_t number)) {
    for (int index = 0; index < WIDTHS; index++) {
        char *next = (char *)numbers;
        while (*next != 0) {
            size_t number = strtoul(next, &next, 10);
            check_row("%zd jobs and %zu", (ssize_t)widths[index], number);
            body(widths[index], number);
        }
    }
    check_row(NULL);
}

static int run_job(void *user, void *lane, weir_file_t *file) {
    struct processor *processor = user;
    meter_enter(&processor->working);
    const struct processor_options *options = &processor->options;
    int error = options->job != NULL    ? options->job(file)
                : options->call != NULL ? options->call(file)
                                        : summarize(file);
    meter_leave(&processor->working);
    return error;
}

static char *copy_to(char *place, const void *bytes, size_t size) {
    place[size] = 0;
    return size == 0 ? place : memcpy(place, bytes, size);
}

static char *copy(const void *bytes, size_t size) {
    return copy_to(keep(size + 1), bytes, size);
}

void add_result(struct processor *processor, struct result result) {
    size_t index = processor->count++;
    if ((index & (index - 1)) == 0) {
        struct result *more = keep((index * 2 + 1) * sizeof *more);
        processor->results =
            index == 0 ? more
                       : memcpy(more, processor->results, index * sizeof *more);
    }
    processor->results[index] = result;
}

static void keep_result(struct processor *processor,
                        const weir_file_result_t *raw) {
    CHECK_EQUAL(raw->path[raw->path_length], 0);
    CHECK((uintptr_t)raw->note % 8 == 0, "a note is not aligned");
    add_result(processor,
               (struct result){copy(raw->path, raw->path_length),
                               copy(raw->output, raw->output_length),
                               copy(raw->note, raw->note_length),
                               raw->path_length, raw->output_length,
                               raw->note_length, raw->outcome, raw->type,
                               raw->error, raw->named, raw->bytes, raw->size,
                               raw->source, processor->batches});
}

static int receive(void *user, const weir_files_batch_t *batch) {
    struct processor *processor = user;
    meter_enter(&processor->delivering);
    size_t size = 0;
    bool torn = false;
    for (size_t index = 0; index < batch->count; index++) {
        const weir_file_result_t *raw = &batch->results[index];
        keep_result(processor, raw);
        if (raw->outcome != WEIR_FILE_LINK && raw->output_length > 0) {
            torn = torn || size + raw->output_length > batch->output_length ||
                   memcmp(batch->output + size, raw->output,
                          raw->output_length) != 0;
            size += raw->output_length;
        }
    }
    processor->torn += torn || size != batch->output_length;
    processor->batches++;
    int error = processor->options.deliver == NULL
                    ? 0
                    : processor->options.deliver(batch);
    meter_leave(&processor->delivering);
    return error;
}

static int admit(void *user) {
    return ((struct processor *)user)->options.admit();
}

static void spoil(char **lent, size_t size) {
    if (*lent != NULL) {
        memset(*lent, '!', size);
        free(*lent);
        *lent = NULL;
    }
}

static const void *annotate(void *user, size_t source,
                            const weir_walk_entry_t *found, size_t *length) {
    struct processor *processor = user;
    spoil(&processor->lent, processor->lent_size);
    size_t size = 0;
    const void *note = processor->options.annotate(source, found, &size);
    if (note != NULL) {
        processor->lent = copy_to(malloc(size + 1), note, size);
        processor->lent_size = *length = size;
    }
    return processor->lent;
}

#define OWN(block) ((block) = (block) == NULL ? NULL : Block_copy(block))

struct processor *processor_create(struct processor_options options) {
    struct processor *processor =
        memset(keep(sizeof *processor), 0, sizeof *processor);
    OWN(options.job);
    OWN(options.deliver);
    OWN(options.admit);
    OWN(options.annotate);
    weir_files_options_t *files = &options.files;
    files->jobs = options.jobs > 0 ? options.jobs : 2;
    files->files_per_batch += options.batch;
    files->flags |= options.flags;
    if (options.exclude != NULL) {
        files->exclude = options.exclude;
        files->exclude_count = 1;
    }
    files->user = processor;
    files->job = run_job;
    files->deliver = receive;
    files->admit = options.admit == NULL ? NULL : admit;
    files->annotate = options.annotate == NULL ? NULL : annotate;
    processor->options = options;
    processor->files = weir_files_create(files);
    REQUIRE(processor->files != NULL, "%s", strerror(errno));
    return processor;
}

/* The rest stays until the process ends. */
void processor_end(struct processor **ended) {
    weir_files_release((*ended)->files);
    spoil(&(*ended)->lent, (*ended)->lent_size);
}

weir_files_stats_t statistics(const struct processor *processor) {
    weir_files_stats_t statistics;
    weir_files_stats(processor->files, &statistics, sizeof statistics);
    return statistics;
}

int process_sources(struct processor *processor,
                    const weir_files_source_t *sources, size_t count) {
    processor->results = NULL;
    processor->count = processor->batches = 0;
    int error = weir_files_run(processor->files, sources, count);
    processor->stats = statistics(processor);
    return error;
}

int process_paths(struct processor *processor, const char *const paths[],
                  size_t count) {
    weir_files_source_t *sources = calloc(count + 1, sizeof *sources);
    for (size_t index = 0; index < count; index++) {
        sources[index].path = paths[index];
    }
    int error = process_sources(processor, sources, count);
    free(sources);
    return error;
}

int process(struct processor *processor, const char *path) {
    return process_paths(processor, &path, 1);
}

/* Makes paths of names, and returns their number. */
enum { NAMES_MAX = 64 };
static size_t split_names(const char *root, const char *names,
                          const char *paths[NAMES_MAX],
                          bool marked[NAMES_MAX]) {
    size_t count = 0;
    char *rest = text("%s", names), *name;
    while ((name = strsep(&rest, " ")) != NULL && count < NAMES_MAX) {
        marked[count] = *name == '@';
        name += marked[count];
        bool relative = *name != '/' && *name != 0;
        paths[count++] = strcmp(name, ".") == 0 ? root
                         : relative             ? join(root, name)
                                                : name;
    }
    return count;
}

int process_names(struct processor *processor, const char *root,
                  const char *names) {
    const char *paths[NAMES_MAX] = {root};
    bool marked[NAMES_MAX];
    size_t count = names == NULL ? 1 : split_names(root, names, paths, marked);
    return process_paths(processor, paths, count);
}

int process_descriptor(struct processor *processor, int descriptor,
                       const char *name) {
    weir_files_source_t source = {
        .kind = WEIR_SOURCE_DESCRIPTOR, .descriptor = descriptor, .path = name};
    return process_sources(processor, &source, 1);
}

int process_list(struct processor *processor, int descriptor) {
    weir_files_source_t source = {.kind = WEIR_SOURCE_LIST,
                                  .descriptor = descriptor,
                                  .separator = '\n',
                                  .path = "list"};
    return process_sources(processor, &source, 1);
}

weir_files_item_t item_of(weir_item_kind_t kind, const char *path) {
    return (weir_files_item_t){
        .kind = kind, .path = path, .path_length = strlen(path)};
}

static bool next_item(void *context, weir_files_item_t *item) {
    struct feed *feed = context;
    bool more = feed->next == NULL ? feed->count > 0 : feed->next(item);
    feed->asked++;
    spoil(&feed->lent, feed->lent_size);
    if (!more) {
        return false;
    }
    if (feed->next == NULL) {
        *item = *feed->items++;
        feed->count--;
    }
    size_t size = item->path_length;
    feed->lent_size = size + 1 + item->note_length;
    feed->lent = malloc(feed->lent_size);
    memcpy(feed->lent, size == 0 ? "" : item->path, size);
    feed->lent[size] = '~';
    memcpy(feed->lent + size + 1, item->note_length == 0 ? "" : item->note,
           item->note_length);
    item->path = feed->lent;
    item->note = feed->lent + size + 1;
    return true;
}

weir_files_source_t feed_source(struct feed *feed) {
    return (weir_files_source_t){
        .kind = WEIR_SOURCE_ITEMS, .next = next_item, .context = feed};
}

void feed_end(struct feed *feed) { spoil(&feed->lent, feed->lent_size); }

int process_items(struct processor *processor, const weir_files_item_t *items,
                  size_t count) {
    struct feed feed = {.items = items, .count = count};
    weir_files_source_t source = feed_source(&feed);
    int error = process_sources(processor, &source, 1);
    feed_end(&feed);
    return error;
}

int process_named_items(struct processor *processor, const char *root,
                        const char *names) {
    const char *paths[NAMES_MAX];
    bool marked[NAMES_MAX];
    weir_files_item_t items[NAMES_MAX];
    size_t count = split_names(root, names, paths, marked);
    for (size_t index = 0; index < count; index++) {
        items[index] = item_of(marked[index] ? WEIR_ITEM_PATH : WEIR_ITEM_FILE,
                               paths[index]);
    }
    return process_items(processor, items, count);
}

_Atomic size_t lanes_created;

void *count_lane(void *user, size_t lane) {
    CHECK_EQUAL(lane, lanes_created++);
    return &lanes_created;
}

const char *summary_of(const void *bytes, size_t size) {
    uint64_t hash = 5381;
    for (size_t index = 0; index < size; index++) {
        hash = (hash * 33) ^ ((const unsigned char *)bytes)[index];
    }
    return text("%zu %ju\n", size, (uintmax_t)hash);
}

/* The caller frees the bytes. */
static int read_whole(weir_file_t *file, char **bytes, size_t *size) {
    const void *piece;
    size_t length;
    *bytes = NULL;
    *size = 0;
    for (;;) {
        int error = weir_file_read(file, &piece, &length);
        if (error != 0 || length == 0) {
            return error;
        }
        *bytes = realloc(*bytes, *size + length);
        memcpy(*bytes + *size, piece, length);
        *size += length;
    }
}

int read_away(weir_file_t *file, size_t *size) {
    const void *piece;
    size_t length = 1;
    int error = 0;
    *size = 0;
    while (error == 0 && length > 0) {
        error = weir_file_read(file, &piece, &length);
        *size += error == 0 ? length : 0;
    }
    return error;
}

static int write_summary(weir_file_t *file, bool once) {
    char *bytes;
    size_t size;
    int error = read_whole(file, &bytes, &size);
    if (error == 0) {
        const char *line = summary_of(bytes, size);
        if (once) {
            weir_file_remember(file, line, strlen(line));
        }
        error = write_text(file, line);
    }
    free(bytes);
    return error;
}

int summarize(weir_file_t *file) { return write_summary(file, false); }

int summarize_once(weir_file_t *file) {
    size_t length;
    const void *known = weir_file_remembered(file, &length);
    return known != NULL ? weir_file_write(file, known, length)
                         : write_summary(file, true);
}

int measure(weir_file_t *file) {
    size_t size;
    int error = read_away(file, &size);
    return error != 0 ? error : write_text(file, text("%zu\n", size));
}

int slow(weir_file_t *file) {
    usleep(1000);
    return summarize(file);
}

int write_text(weir_file_t *file, const char *text) {
    return weir_file_write(file, text, strlen(text));
}

bool path_ends(const weir_file_t *file, const char *end) {
    size_t length, size = strlen(end);
    const char *path = weir_file_path(file, &length);
    return length >= size && strcmp(path + length - size, end) == 0;
}

bool is_done(const struct result *result) {
    return result->outcome == WEIR_FILE_DONE && result->error == 0;
}

static bool is_empty(const struct result *result, weir_file_outcome_t outcome,
                     int error) {
    return result->outcome == outcome && result->error == error &&
           result->output_length == 0;
}

bool has_failed(const struct result *result, int error) {
    return is_empty(result, WEIR_FILE_FAILED, error);
}

bool has_changed(const struct result *result, int error) {
    return is_empty(result, WEIR_FILE_CHANGED, error);
}

static const char *relative(const char *path, const char *root) {
    size_t size = strlen(root);
    bool below = strncmp(path, root, size) == 0;
    return below && path[size] == 0     ? "."
           : below && path[size] == '/' ? path + size + 1
                                        : path;
}

static void describe(FILE *to, const struct result *result, const char *root) {
    static const char *const words[] = {
        "done", "failed", "special", "noted", "changed", "directory", "link"};
    static const char *const types[] = {
        "unknown", "file",   "directory",        "link",
        "fifo",    "socket", "character device", "block device"};
    fprintf(to, "%s%s %s", relative(result->path, root),
            result->named ? " named" : "", words[result->outcome]);
    if (result->outcome == WEIR_FILE_SPECIAL) {
        fprintf(to, " %s", types[result->type]);
    }
    if (result->error != 0) {
        fprintf(to, " %s", strerrorname_np(result->error));
    }
    bool output =
        result->outcome == WEIR_FILE_DONE || result->outcome == WEIR_FILE_LINK;
    if (result->output_length > 0 && !output) {
        fprintf(to, " with output");
    }
    if (result->bytes > 0) {
        fprintf(to, " %ju", (uintmax_t)result->bytes);
    }
}

static const char *told(const struct processor *processor,
                        const char *separator,
                        void (^tell)(FILE *to, const struct result *result)) {
    return text_of(^(FILE *to) {
      for (size_t index = 0; index < processor->count; index++) {
          fputs(index == 0 ? "" : separator, to);
          tell(to, &processor->results[index]);
      }
    });
}

const char *outcomes(const struct processor *processor, const char *root) {
    return told(processor, ", ", ^(FILE *to, const struct result *result) {
      describe(to, result, root);
    });
}

const char *output_of(const struct processor *processor) {
    return told(processor, "", ^(FILE *to, const struct result *result) {
      fputs(result->output, to);
    });
}

bool check_paths(const struct processor *processor, char *const paths[],
                 size_t count) {
    bool same = CHECK_EQUAL(processor->count, count);
    for (size_t index = 0; same && index < count; index++) {
        same = CHECK_TEXT(processor->results[index].path, paths[index]);
    }
    return same;
}

bool check_all_done(const struct processor *processor, size_t count) {
    bool done = CHECK_EQUAL(processor->count, count);
    for (size_t index = 0; done && index < count; index++) {
        const struct result *result = &processor->results[index];
        done = CHECK(is_done(result), "%s: outcome %d, error %d", result->path,
                     result->outcome, result->error);
    }
    return done;
}

bool check_summary(const struct result *result) {
    size_t size;
    char *bytes = contents(result->path, &size);
    const char *line = summary_of(bytes, size);
    free(bytes);
    return CHECK_TEXT(result->output, line);
}

bool check_summaries(const struct processor *processor) {
    bool right = check_all_done(processor, processor->count) &&
                 CHECK_EQUAL(processor->torn, 0);
    for (size_t index = 0; right && index < processor->count; index++) {
        right = check_summary(&processor->results[index]);
    }
    return right;
}

bool check_same_results(const struct processor *left,
                        const struct processor *right) {
    bool same = CHECK_EQUAL(left->count, right->count);
    for (size_t index = 0; same && index < left->count; index++) {
        const struct result *one = &left->results[index];
        const struct result *other = &right->results[index];
        same =
            CHECK_TEXT(one->path, other->path) &&
            CHECK_BYTES(one->output, one->output_length, other->output,
                        other->output_length) &&
            CHECK_BYTES(one->note, one->note_length, other->note,
                        other->note_length) &&
            CHECK(one->outcome == other->outcome && one->type == other->type &&
                      one->error == other->error &&
                      one->named == other->named && one->size == other->size &&
                      one->source == other->source,
                  "%s: outcomes %d and %d, errors %d and %d", one->path,
                  one->outcome, other->outcome, one->error, other->error);
    }
    return same;
}
