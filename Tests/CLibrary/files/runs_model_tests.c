/* runs_model_tests.c: runs of the file processor over random sources, against a model that
   asks the system about each path. Long because the model, the sources and the checks share
   their state. */
#include "processor.h"
#include "tree.h"
#include <dirent.h>
#include <sys/socket.h>

enum { SOURCES = 5, NAMES = 120, EXCLUDED = 2 };

/* What a job does before it reads. */
enum { REMEMBERING = 1, ASKING = 2, TAKING = 4, ASKING_FOR_PATH = 8 };

static struct {
    unsigned flags;
    size_t max_depth, touch;
    bool annotates, is_slow;
    uint64_t salt;
    struct stat excluded[EXCLUDED];
    /* Of the present source, or item. */
    bool is_list;
    struct result item;
    /* What is expected: results, and the paths for `annotate`. */
    struct processor run, asked;
    weir_files_stats_t stats;
} model;

static _Atomic size_t values_set, values_dropped, files_done;

static struct check_random numbers;

static size_t pick(size_t limit) { return check_below(&numbers, limit); }

/* ---- what depends on a path --------------------------------------------- */

static uint64_t number_of(const char *path) {
    uint64_t number = model.salt;
    for (; *path != 0; path++) {
        number = (number ^ (uint8_t)*path) * 0x9e3779b97f4a7c15u;
    }
    return number >> 32;
}

static bool job_fails(const char *path) { return number_of(path) % 8 == 0; }

/* Returns the end of a path, or NULL. */
static const char *note_on(const char *path, size_t *length) {
    uint64_t number = number_of(path) / 16;
    *length = number % 4 > 0 ? number / 4 % 16 % (strlen(path) + 1) : 0;
    return number % 4 > 0 ? path + strlen(path) - *length : NULL;
}

static weir_entry_type_t type_of(mode_t mode) {
    return S_ISREG(mode)    ? WEIR_ENTRY_FILE
           : S_ISDIR(mode)  ? WEIR_ENTRY_DIRECTORY
           : S_ISFIFO(mode) ? WEIR_ENTRY_FIFO
           : S_ISSOCK(mode) ? WEIR_ENTRY_SOCKET
                            : WEIR_ENTRY_CHARACTER_DEVICE;
}

/* ---- the model ----------------------------------------------------------- */

#define EXPECT(path, named, ...)                                               \
    expect(path, named, (struct result){__VA_ARGS__})

/* Adds a result, with the note and the source of the item. */
static void expect(const char *path, bool named, struct result result) {
    result.path = path;
    result.path_length = strlen(path);
    result.named = named;
    result.source = model.item.source;
    result.outcome = result.error ? WEIR_FILE_FAILED : result.outcome;
    result.output = result.output == NULL ? "" : result.output;
    result.output_length = strlen(result.output);
    result.note = model.item.note;
    result.note_length = model.item.note_length;
    add_result(&model.run, result);
}

static bool is_excluded(const struct stat *status) {
    bool is = false;
    for (int place = 0; place < EXCLUDED && S_ISREG(status->st_mode); place++) {
        is |= status->st_ino == model.excluded[place].st_ino;
    }
    return is;
}

/* A path that is opened, if its status has no error. The summary that the job writes is
   followed by the note. */
static void expect_job(const char *path, bool named, int error,
                       const struct stat *status) {
    mode_t mode = status->st_mode;
    bool literal = model.flags & WEIR_FILES_LITERAL, is_file = S_ISREG(mode);
    struct result before = model.item, *item = &model.item;
    size_t size = 0;
    if (item->note_length == 0 && model.annotates) {
        struct result asked = {
            .path = path, .named = named, .source = item->source};
        add_result(&model.asked, asked);
        item->note = note_on(path, &item->note_length);
    }
    if (error) {
        EXPECT(path, named, .error = error);
    } else if (is_excluded(status) && !literal) {
        model.stats.excluded++;
    } else if (literal ? S_ISSOCK(mode) : !is_file && !S_ISDIR(mode)) {
        EXPECT(path, named, .type = type_of(mode), .outcome = WEIR_FILE_SPECIAL,
               .error = literal ? ENXIO : 0);
    } else if (S_ISDIR(mode) || job_fails(path)) {
        bool is_job = job_fails(path) && (literal || is_file);
        EXPECT(path, named, .type = type_of(mode),
               .error = is_job ? EBADMSG : EISDIR,
               .size = is_file ? (uint64_t)status->st_size : 0);
    } else {
        char *bytes = is_file ? contents(path, &size) : NULL;
        EXPECT(path, named, .type = type_of(mode), .size = size,
               .output = text("%s%.*s", summary_of(bytes, size),
                              (int)item->note_length, item->note));
        free(bytes);
    }
    *item = before;
}

static void expect_link(const char *path, bool named) {
    char target[PATH_MAX] = "";
    model.stats.links++;
    if (model.flags & WEIR_FILES_WHOLE_TREE) {
        REQUIRE(readlink(path, target, sizeof target - 1) >= 0);
        EXPECT(path, named, .outcome = WEIR_FILE_LINK,
               .type = WEIR_ENTRY_SYMLINK, .output = text("%s", target));
    }
}

/* The directories from the root of a walk to its place. */
struct level {
    const struct level *up;
    struct stat status;
};

static void expect_entry(const char *path, size_t depth,
                         const struct level *up);

static void expect_directory(const char *path, size_t depth,
                             const struct level *level) {
    struct dirent **names = NULL;
    bool is_walked = model.max_depth == 0 || depth < model.max_depth;
    for (const struct level *up = level->up; is_walked && up; up = up->up) {
        if (up->status.st_ino == level->status.st_ino) {
            EXPECT(path, false, .error = ELOOP, .type = WEIR_ENTRY_DIRECTORY);
            return;
        }
    }
    if (model.flags & WEIR_FILES_WHOLE_TREE) {
        EXPECT(path, depth == 0, .outcome = WEIR_FILE_DIRECTORY,
               .type = WEIR_ENTRY_DIRECTORY);
    }
    int count = is_walked ? scandir(path, &names, NULL, alphasort) : 0;
    model.stats.directories += is_walked;
    for (int place = 0; place < count; place++) {
        const char *name = names[place]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            expect_entry(join(path, name), depth + 1, level);
        }
        free(names[place]);
    }
    free(names);
}

/* An entry of a walk, or a name that may be its root. */
static void expect_entry(const char *path, size_t depth,
                         const struct level *up) {
    struct level level = {up, {0}};
    bool named = depth == 0, follows = named || model.flags & WEIR_FILES_FOLLOW;
    int error = (follows ? stat : lstat)(path, &level.status) ? errno : 0;
    mode_t mode = level.status.st_mode;
    if (error) {
        EXPECT(path, named, .error = error,
               .type = named ? WEIR_ENTRY_UNKNOWN : WEIR_ENTRY_SYMLINK);
    } else if (S_ISDIR(mode)) {
        expect_directory(path, depth, &level);
    } else if (S_ISLNK(mode)) {
        expect_link(path, named);
    } else if (S_ISREG(mode)) {
        expect_job(path, named, 0, &level.status);
    } else {
        EXPECT(path, named, .outcome = WEIR_FILE_SPECIAL,
               .type = type_of(mode));
    }
}

static void expect_name(const char *path, bool is_walked) {
    struct stat status = {0}, own;
    int error = stat(path, &status) == 0 ? 0 : errno;
    bool is_list = model.is_list && !(model.flags & WEIR_FILES_FOLLOW);
    if (model.flags & WEIR_FILES_LITERAL || !is_walked) {
        expect_job(path, true, error, &status);
    } else if (is_list && S_ISDIR(status.st_mode) && lstat(path, &own) == 0 &&
               S_ISLNK(own.st_mode)) {
        expect_link(path, true);
    } else {
        expect_entry(path, 0, NULL);
    }
}

/* ---- random sources ------------------------------------------------------ */

static char *any_path(struct paths paths) {
    struct stat status;
    char *path = paths.paths[pick(paths.count)];
    char *slashes = memset(keep(2000), '/', 2000);
    char *others[] = {"",
                      "/dev/null",
                      text("%s~", path),
                      text("%s/", path),
                      text("%s/below", path),
                      text("/tmp%.*s-", (int)pick(2000), slashes)};
    size_t other = pick(14);
    path = other < 6 ? others[other] : path;
    /* An open of a FIFO would wait. */
    bool is_fifo = stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
    return is_fifo && model.flags & WEIR_FILES_LITERAL ? any_path(paths) : path;
}

static weir_files_item_t any_item(struct paths paths) {
    char *path = any_path(paths);
    weir_files_item_t item = item_of(WEIR_ITEM_FILE, path);
    model.item.note_length = pick(3) * pick(20);
    model.item.note = text("%*zx", 40, (size_t)check_next(&numbers));
    item.note = model.item.note;
    item.note_length = model.item.note_length;
    switch (pick(12)) {
    case 0:
        item.kind = WEIR_ITEM_NOTE;
        EXPECT(path, true, .outcome = WEIR_FILE_NOTED);
        break;
    case 1:
        item.kind = WEIR_ITEM_FAILURE;
        item.error = EIO;
        EXPECT(path, true, .error = EIO);
        break;
    case 2:
        item.kind = WEIR_ITEM_FLUSH;
        break;
    case 3:
        item.path_length++; /* with the NUL */
        EXPECT(path, true, .error = EINVAL);
        model.run.results[model.run.count - 1].path_length++;
        break;
    default:
        item.kind = pick(2) ? WEIR_ITEM_PATH : WEIR_ITEM_FILE;
        expect_name(path, item.kind == WEIR_ITEM_PATH);
    }
    return item;
}

static const char *any_list(struct paths paths, int separator, size_t *size) {
    char *list;
    FILE *to = open_memstream(&list, size);
    for (size_t left = pick(NAMES); left > 0; left--) {
        char *path = any_path(paths);
        if (separator == 0 || strchr(path, '\n') == NULL) {
            fputs(path, to);
            /* An empty name at the end needs its separator, another may lack it. */
            left == 1 && *path != 0 ? 0 : fputc(separator, to);
            expect_name(path, true);
        }
    }
    fclose(to);
    char *kept = memcpy(keep(*size), list, *size);
    free(list);
    return kept;
}

/* Writes a list in pieces of any size, each of them a message, so that a read gets one.
   Returns the other end. */
static int write_list(struct crew *crew, const char *list, size_t size) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    int to = ends[1];
    struct check_random state = numbers;
    crew_add(crew, ^{
      static const size_t most[] = {3, 300, 30000};
      struct check_random random = state;
      for (size_t next = 0, piece; next < size; next += piece) {
          piece = 1 + check_below(&random, most[check_below(&random, 3)]);
          piece = piece < size - next ? piece : size - next;
          CHECK_EQUAL(write(to, list + next, piece), piece);
      }
      close(to);
    });
    return ends[0];
}

static weir_files_source_t any_source(struct paths paths, struct feed *feed,
                                      struct crew *crew) {
    size_t kind = pick(4), size, device = pick(2);
    weir_files_source_t any = {.descriptor = -1,
                               .device = device,
                               .readers = (unsigned)device * 2,
                               .flags = pick(4) == 0,
                               .separator = pick(2) ? '\n' : 0};
    model.is_list = kind > 1;
    model.item.note_length = 0;
    model.item.note = "";
    if (kind == 0) {
        any.path = pick(3) ? any_path(paths) : paths.paths[0];
        expect_name(any.path, true);
    } else if (kind == 1) {
        weir_files_item_t *items = keep(NAMES * sizeof *items);
        *feed = (struct feed){.items = items, .count = NAMES};
        for (int place = 0; place < NAMES; place++) {
            items[place] = any_item(paths);
        }
        any.kind = WEIR_SOURCE_ITEMS;
        any.next = feed_source(feed).next;
        any.context = feed;
    } else {
        const char *list = any_list(paths, any.separator, &size);
        any.path = text("%s.list%zu", paths.paths[0], model.item.source);
        any.kind = kind == 2 ? WEIR_SOURCE_LIST : WEIR_SOURCE_LIST_FILE;
        any.descriptor = kind == 2 ? write_list(crew, list, size) : -1;
        make_content("", any.path, list, size);
    }
    return any;
}

/* ---- runs ---------------------------------------------------------------- */

/* A job asks for some things before it reads, or takes what another name has left. */
static int touch_and_read(weir_file_t *file) {
    struct stat status = {0};
    size_t length;
    bool asks = model.touch & ASKING_FOR_PATH;
    int error = asks ? weir_file_stat_path(file, &status) : 0;
    if (model.touch & REMEMBERING) {
        weir_file_remembered(file, &length);
    }
    if (model.touch & ASKING) {
        (void)weir_file_status(file);
    }
    int descriptor = model.touch & TAKING ? weir_file_descriptor(file) : -1;
    off_t place = lseek(descriptor, 0, SEEK_CUR);
    int whole =
        model.touch & REMEMBERING ? summarize_once(file) : summarize(file);
    CHECK(whole != 0 || !(model.touch & TAKING) || place == 0);
    CHECK(whole != 0 || !asks ||
          (error == 0 && status.st_size == weir_file_status(file)->st_size));
    return whole;
}

static void *value_of(const char *path) {
    return (void *)(number_of(path) | 1);
}

static void count_dropped(void *user, void *value) { values_dropped++; }

static void count_done(void *user, void *lane, void *value) { files_done++; }

/* A file keeps its value if its job has failed: it may explain the error. */
static int check_values(const weir_files_batch_t *batch) {
    for (size_t place = 0; place <= batch->count; place++) {
        const weir_file_result_t *result = &batch->results[place];
        bool literal = model.flags & WEIR_FILES_LITERAL;
        bool has_value =
            place < batch->count &&
            (result->outcome == WEIR_FILE_DONE || result->error == EBADMSG ||
             (literal && result->error == EISDIR));
        CHECK(weir_files_batch_value(batch, place) ==
              (has_value ? value_of(result->path) : NULL));
    }
    return 0;
}

static int run_job(weir_file_t *file) {
    size_t length;
    const char *path = weir_file_path(file, NULL);
    const void *note = weir_file_note(file, &length);
    CHECK((uintptr_t)note % 8 == 0, "a note is not aligned");
    if (model.is_slow && number_of(path) % 16 == 1) {
        usleep(3000);
    }
    weir_file_set_value(file, &model);
    weir_file_set_value(file, value_of(path)); /* drops the first one */
    values_set += 2;
    int error = touch_and_read(file);
    CHECK_EQUAL(weir_file_write(file, note, length), 0);
    return job_fails(path) ? EBADMSG : error;
}

/* All but the path and the bytes of the note. */
static uint64_t key_of(const struct result *result) {
    uint64_t key = result->source * 8 + (uint64_t)result->outcome;
    key = key * 512 + (uint64_t)result->error * 2 + result->named;
    return (key * 65536 + result->path_length) * 256 + result->note_length;
}

static int compare_results(const void *left, const void *right) {
    const struct result *one = left, *other = right;
    int paths = strcmp(one->path, other->path);
    int keys = memcmp(&(uint64_t){key_of(one)}, &(uint64_t){key_of(other)}, 8);
    if (paths != 0 || keys != 0 || one->note_length == 0) {
        return paths != 0 ? paths : keys;
    }
    return memcmp(one->note, other->note, one->note_length);
}

static void sort(struct processor *results) {
    if (results->count > 1) {
        qsort(results->results, results->count, sizeof *results->results,
              compare_results);
    }
}

static void check_run(struct processor *processor, size_t batch) {
    weir_files_stats_t stats = processor->stats;
    size_t outcomes[WEIR_FILE_LINK + 1] = {0}, named = 0, bytes = 0;
    foreach (result, processor) {
        outcomes[result->outcome]++;
        bytes += result->bytes;
        named += result->outcome == WEIR_FILE_SPECIAL && result->named;
        CHECK(result < processor->results + batch ||
              result->batch > result[-(long)batch].batch);
        CHECK(!is_done(result) || model.touch & REMEMBERING ||
                  result->bytes == strtoul(result->output, NULL, 10),
              "%s: %ju bytes", result->path, (uintmax_t)result->bytes);
    }
    if (model.flags & WEIR_FILES_UNORDERED) {
        sort(processor);
        sort(&model.run);
    }
    check_same_results(processor, &model.run);
    CHECK(processor->torn == 0 && processor->delivering.most <= 1);
    CHECK(stats.files == outcomes[WEIR_FILE_DONE] &&
          stats.failed == outcomes[WEIR_FILE_FAILED] &&
          stats.special == outcomes[WEIR_FILE_SPECIAL] &&
          stats.special_named == named);
    CHECK_EQUAL(stats.found,
                stats.files + stats.failed + stats.special + stats.excluded);
    CHECK_EQUAL(stats.links, model.stats.links);
    CHECK_EQUAL(stats.excluded, model.stats.excluded);
    CHECK_EQUAL(stats.directories, model.stats.directories);
    CHECK(stats.excluded > 0 || stats.bytes == bytes);
    CHECK(values_set == values_dropped && files_done == stats.files);
    CHECK(stats.changed == 0 && stats.unread == 0 && stats.feeding == 0);
}

/* Each visit of a directory, which the path has become, has a number of its own, kept as
   size. */
static void check_asked(size_t count) {
    const struct result *asked = model.asked.results;
    CHECK_EQUAL(count, model.asked.count);
    for (size_t index = 0, first; index < count; index++) {
        for (first = 0; asked[first].size != asked[index].size;) {
            first++;
        }
        CHECK_TEXT(asked[first].path, asked[index].path);
    }
}

static void run_any(struct processor *processor, struct paths paths) {
    weir_files_source_t sources[SOURCES];
    struct feed feeds[SOURCES] = {{.items = NULL}};
    struct crew crew = {0};
    size_t count = pick(SOURCES + 1);
    model.run = model.asked = (struct processor){.count = 0};
    model.stats = (weir_files_stats_t){0};
    files_done = 0;
    for (size_t place = 0; place < count; place++) {
        model.item.source = place;
        sources[place] = any_source(paths, &feeds[place], &crew);
    }
    CHECK_EQUAL(process_sources(processor, sources, count), 0);
    crew_join(crew);
    for (size_t place = 0; place < count; place++) {
        feed_end(&feeds[place]);
        close(sources[place].descriptor);
    }
}

/* A processor runs again. */
static void check_processor(struct paths paths) {
    static const size_t batches[] = {1, 3, 20, 64};
    size_t jobs = widths[pick(WIDTHS)], batch = batches[pick(4)];
    __block size_t asked;
    model.flags = 0;
    EACH(unsigned, flag, WEIR_FILES_FOLLOW, WEIR_FILES_UNORDERED,
         WEIR_FILES_LITERAL, WEIR_FILES_OPEN_LATE, WEIR_FILES_WHOLE_TREE) {
        model.flags |= pick(3) ? 0 : flag;
    }
    model.max_depth = pick(3) ? 0 : 1 + pick(3);
    model.touch = pick(2) * pick(16);
    model.annotates = pick(2);
    model.is_slow = pick(4) == 0;
    model.salt = check_next(&numbers);
    for (int place = 0; place < EXCLUDED; place++) {
        lstat(paths.paths[pick(paths.count)], &model.excluded[place]);
    }
    check_row("%zd jobs, batches of %zu, flags %#x, depth %zu, touch %zu",
              (ssize_t)jobs, batch, model.flags, model.max_depth, model.touch);
    const void * (^annotate)(size_t, const weir_walk_entry_t *, size_t *) =
        ^(size_t place, const weir_walk_entry_t *found, size_t *length) {
          REQUIRE(asked < model.asked.count);
          struct result *expected = &model.asked.results[asked++];
          CHECK_TEXT(found->path, expected->path);
          CHECK_EQUAL(place, expected->source);
          CHECK_EQUAL(found->depth == 0, expected->named);
          expected->size = found->directory;
          expected->path = text("%.*s", (int)found->name_offset, found->path);
          return (const void *)note_on(found->path, length);
        };
    PROCESSOR(
        processor, .jobs = jobs, .batch = batch, .flags = model.flags,
        .files.max_depth = model.max_depth, .files.exclude = model.excluded,
        .files.exclude_count = EXCLUDED, .files.value_drop = count_dropped,
        .files.done = count_done, .call = run_job,
        .deliver =
            ^(const weir_files_batch_t *results) {
              return check_values(results);
            },
        .annotate = model.annotates ? annotate : NULL);
    for (int run = 0; run < 3; run++) {
        asked = 0;
        run_any(processor, paths);
        check_run(processor, batch);
        check_asked(asked);
        CHECK(processor->working.most <= (long)(jobs > 16 ? 1 : jobs));
    }
}

TEST_WITHIN(120, random_runs) {
    numbers = check_random("runs");
    for (int round = 0; round < 6; round++) {
        const char *root =
            tree_of("fifo| socket= good>plain plain:3 loop>loop to_fifo>fifo "
                    "d/ d/e/ d/f:2 d/up>.. across>d names/");
        tree_fill(root, &numbers, 60, 300);
        tree_fill_names(join(root, "names"), &numbers, 10, 3);
        make_varied_file(root, "big", 2100000);
        struct paths paths = find(root, "");
        let_files_age();
        for (int turn = 0; turn < 10; turn++) {
            check_processor(paths);
        }
    }
}
