/* whole_tree_tests.c: walks of whole trees for any number of lanes, and annotate. */
#include "processor.h"
#include "tree.h"

static const char *random_tree(const char *purpose) {
    struct check_random random = check_random(purpose);
    const char *root = tree_of("fifo| to_a_directory>.");
    tree_fill(root, &random, 150, 100);
    for (int number = 0; number < 40; number++) {
        char target[4096] = "";
        size_t size = 1 + check_below(&random, number == 7 ? 4095 : 100);
        for (size_t index = 0; index < size; index++) {
            target[index] = (char)(1 + check_below(&random, 255));
        }
        make_link(root,
                  text("link %zu %d", check_below(&random, 10000), number),
                  target);
    }
    return root;
}

/* Compares results with the entries that find reports, and with readlink. */
static void check_tree(const struct processor *processor, struct paths all) {
    static const struct {
        weir_file_outcome_t outcome;
        weir_entry_type_t type;
    } kinds[] = {{WEIR_FILE_DIRECTORY, WEIR_ENTRY_DIRECTORY},
                 {WEIR_FILE_LINK, WEIR_ENTRY_SYMLINK},
                 {WEIR_FILE_DONE, WEIR_ENTRY_FILE},
                 {WEIR_FILE_SPECIAL, WEIR_ENTRY_FIFO}};
    REQUIRE(check_paths(processor, all.paths, all.count));
    foreach (result, processor) {
        size_t index = (size_t)(result - processor->results);
        char type = all.types[index], target[4096];
        CHECK_EQUAL(result->named, index == 0 && type == 'd');
        const char *letters = "dlfp", *letter = strchr(letters, type);
        REQUIRE(letter != NULL);
        CHECK_EQUAL(result->outcome, kinds[letter - letters].outcome);
        CHECK_EQUAL(result->type, kinds[letter - letters].type);
        if (type == 'f') {
            check_summary(result);
            continue;
        }
        ssize_t size = readlink(result->path, target, sizeof target);
        CHECK_BYTES(result->output, result->output_length, target,
                    size < 0 ? 0 : (size_t)size);
    }
}

static int by_path(const void *left, const void *right) {
    return compare_paths(((const struct result *)left)->path,
                         ((const struct result *)right)->path);
}

static void check_batches(const struct processor *processor, size_t most) {
    size_t present = 0;
    foreach (result, processor) {
        size_t index = (size_t)(result - processor->results);
        CHECK(result->batch - present <= 1 &&
              (index < most || result[-(long)most].batch < result->batch));
        present = result->batch;
    }
}

TEST(everything_is_delivered_once_in_its_place) {
    const char *root = random_tree("whole trees");
    struct paths all = find(root, ""),
                 files = find(root, "\\( -type f -o -type p \\)");
    size_t links = count_type(all, 'l'), directories = count_type(all, 'd');
    CHECK(links > 40);
    at_widths("1 3 64", ^(size_t jobs, size_t batch) {
      EACH(unsigned, flags, WEIR_FILES_WHOLE_TREE, 0, WEIR_FILES_UNORDERED) {
          PROCESSOR(processor, .jobs = jobs, .batch = batch, .flags = flags);
          CHECK_EQUAL(process(processor, root), 0);
          if (flags != WEIR_FILES_WHOLE_TREE) {
        check_batches(processor, batch);
          }
          if (flags == WEIR_FILES_UNORDERED) {
        qsort(processor->results, processor->count, sizeof *processor->results,
              by_path);
          }
          check_tree(processor, flags == WEIR_FILES_WHOLE_TREE ? all : files);
          CHECK(processor->torn == 0, "targets are among a batch's output");
          CHECK_EQUAL(processor->delivering.most, 1);
          CHECK_EQUAL(processor->working.ever, count_type(all, 'f'));
          CHECK(processor->working.most <= (jobs > 200 ? 1 : (long)jobs));
          weir_files_stats_t stats = processor->stats;
          CHECK(stats.links == links && stats.directories == directories);
          CHECK_EQUAL(stats.found, files.count);
          CHECK(stats.files + stats.special == stats.found &&
                stats.failed == 0);
}
});
}

static weir_selection_t replace_link(void *user, size_t source,
                                     const weir_walk_entry_t *found) {
    if (found->type == WEIR_ENTRY_SYMLINK) {
        CHECK(unlink(found->path) == 0);
        make_text("", found->path, "abc");
    }
    return WEIR_SELECT_TAKE;
}

TEST(a_link_that_a_file_replaces_is_gone) {
    const char *root = tree_of("link>nowhere deep/ deep/link>nowhere");
    PROCESSOR(processor, .flags = WEIR_FILES_WHOLE_TREE,
              .files.select = replace_link);
    CHECK_EQUAL(process(processor, root), 0);
    size_t links = 0;
    foreach (result, processor) {
        if (result->type == WEIR_ENTRY_SYMLINK) {
            CHECK_EQUAL(result->outcome, WEIR_FILE_FAILED);
            CHECK_EQUAL(result->error, ENOENT);
            links++;
        }
    }
    CHECK_EQUAL(links, 2);
}

TEST(limits_of_the_walk_hold_for_directories_and_links) {
    const char *root = random_tree("limits of whole trees");
    for (int depth = 1; depth <= 3; depth++) {
        PROCESSOR(processor, .flags = WEIR_FILES_WHOLE_TREE,
                  .files.max_depth = (size_t)depth);
        check_row("depth %d", depth);
        CHECK_EQUAL(process(processor, root), 0);
        check_tree(processor, find(root, text("-maxdepth %d", depth)));
    }
    const weir_walk_filter_t filters[] = {{.pattern = "link*"},
                                          {.pattern = "n*/"}};
    PROCESSOR(filtered, .flags = WEIR_FILES_WHOLE_TREE,
              .files.filters = filters, .files.filter_count = 2);
    CHECK_EQUAL(process(filtered, root), 0);
    weir_walk_t walk = weir_walk_create_with(
        root, &(weir_walk_options_t){.filters = filters, .filter_count = 2});
    weir_walk_entry_t entry;
    foreach (result, filtered) {
        REQUIRE(weir_walk_next(walk, &entry));
        CHECK_TEXT(result->path, entry.path);
    }
    CHECK(!weir_walk_next(walk, &entry) && weir_walk_filtered(walk) >= 40);
    weir_walk_destroy(walk);
}

TEST(followed_links_are_not_delivered) {
    const char *root = tree_of("d/ d/f:1 l>d n>nowhere");
    PROCESSOR(processor, .flags = WEIR_FILES_WHOLE_TREE | WEIR_FILES_FOLLOW);
    const char *paths[] = {root, join(root, "l"), join(root, "d/f")};
    static const size_t sources[] = {0, 0, 0, 0, 0, 0, 1, 1, 2};
    CHECK_EQUAL(process_paths(processor, paths, 3), 0);
    CHECK_TEXT(outcomes(processor, root),
               ". named directory, d directory, d/f done 1, l directory, "
               "l/f done 1, n failed ENOENT, l named directory, l/f done 1, "
               "d/f named done 1");
    foreach (result, processor) {
        CHECK_EQUAL(result->source, sources[result - processor->results]);
    }
}

/* The path is longer than the limit of the system. */
TEST(links_are_read_at_any_depth) {
    const char *root = tree_create();
    char name[251] = "";
    memset(name, 'd', 250);
    const char *deepest = make_chain(root, name, 20);
    CHECK(strlen(deepest) > PATH_MAX);
    int directory = open_chain(root, name, 20);
    CHECK_EQUAL(symlinkat("there", directory, "link"), 0);
    close(directory);
    PROCESSOR(processor, .flags = WEIR_FILES_WHOLE_TREE);
    CHECK_EQUAL(process(processor, root), 0);
    int links = 0;
    foreach (result, processor) {
        if (result->outcome == WEIR_FILE_LINK) {
            links++;
            CHECK_TEXT(result->path, join(deepest, "link"));
            CHECK_TEXT(result->output, "there");
        }
    }
    CHECK_EQUAL(links, 1);
}

struct asked {
    size_t count, sources[1000];
    weir_walk_entry_t entries[1000];
};

static void remember(struct asked *asked, size_t source,
                     const weir_walk_entry_t *found) {
    size_t index = asked->count++;
    REQUIRE(index < 1000);
    CHECK_EQUAL(found->path[found->path_length], 0);
    asked->sources[index] = source;
    asked->entries[index] = *found;
    asked->entries[index].path = text("%s", found->path);
}

/* Returns some bytes that depend on the path, or NULL. */
static const char *note_on(const char *path, size_t *length) {
    static _Thread_local char note[16];
    unsigned sum = 7;
    for (; *path != 0; path++) {
        sum = sum * 31 + (unsigned char)*path;
    }
    *length = sum % 4 == 0 ? 0 : sum & 15;
    memset(note, (int)(sum & 255), sizeof note);
    return sum % 4 == 0 ? NULL : note;
}

static void check_notes(const struct processor *processor,
                        const struct asked *asked) {
    size_t index = 0, files[4] = {0};
    foreach (result, processor) {
        size_t length = 0;
        bool done = is_done(result);
        const char *note = done ? note_on(result->path, &length) : NULL;
        CHECK_BYTES(result->note, result->note_length, note, length);
        if (done) {
            REQUIRE(index < asked->count);
            const weir_walk_entry_t *entry = &asked->entries[index];
            CHECK_BYTES(result->output, result->output_length, note, length);
            CHECK_TEXT(result->path, entry->path);
            CHECK_EQUAL(result->source, asked->sources[index++]);
            CHECK_EQUAL(result->named, entry->depth == 0);
            CHECK_EQUAL(entry->type, WEIR_ENTRY_FILE);
            files[result->source]++;
        }
    }
    CHECK_EQUAL(index, asked->count);
    CHECK(files[0] && files[1] && !files[2] && files[3]);
}

/* Each visit of a directory has a number of its own. */
static void check_directories(const struct asked *asked) {
    const weir_walk_entry_t *entries = asked->entries;
    size_t different = 0;
    for (size_t index = 0; index < asked->count; index++) {
        size_t first = 0;
        while (entries[first].directory != entries[index].directory) {
            first++;
        }
        different += first == index;
        CHECK_EQUAL(asked->sources[first], asked->sources[index]);
        CHECK_TEXT(parent(entries[first].path), parent(entries[index].path));
    }
    CHECK(different > 5, "%zu", different);
}

TEST(every_file_has_its_note) {
    const char *root = random_tree("notes");
    const char *paths[] = {make_file(root, "zzz", 1, 1), root,
                           join(root, "nothing"), root};
    const char *const *all = paths;
    at_widths("1 64", ^(size_t jobs, size_t batch) {
      struct asked *asked = calloc(1, sizeof *asked);
      PROCESSOR(
          processor, .jobs = jobs, .batch = batch,
          .flags = WEIR_FILES_WHOLE_TREE,
          .job =
              ^(weir_file_t *file) {
                size_t length;
                const void *note = weir_file_note(file, &length);
                CHECK((uintptr_t)note % 8 == 0);
                return weir_file_write(file, note, length);
              },
          .annotate =
              ^(size_t source, const weir_walk_entry_t *found, size_t *length) {
                remember(asked, source, found);
                return (const void *)note_on(found->path, length);
              });
      CHECK_EQUAL(process_paths(processor, all, 4), 0);
      check_notes(processor, asked);
      check_directories(asked);
      free(asked);
    });
}

/* Names from items and lists have the index of their source. */
TEST(sources_are_numbered_in_their_order) {
    const char *root = tree_of("f:1 g:1");
    const char *list = text("%s/f\n%s/g\n", root, root);
    FILE *file = fopen(make_content(root, "list", list, strlen(list)), "r");
    struct asked *asked = calloc(1, sizeof *asked);
    PROCESSOR(
        processor, .annotate = ^(size_t source, const weir_walk_entry_t *found,
                                 size_t *length) {
          remember(asked, source, found);
          *length = 0;
          return (const void *)"";
        });
    const weir_files_item_t items[] = {
        item_of(WEIR_ITEM_FILE, join(root, "g")),
        item_of(WEIR_ITEM_PATH, join(root, "f"))};
    struct feed feed = {.items = items, .count = 2};
    const weir_files_source_t sources[] = {feed_source(&feed),
                                           {.kind = WEIR_SOURCE_LIST,
                                            .descriptor = fileno(file),
                                            .separator = '\n',
                                            .path = "list"}};
    CHECK_EQUAL(process_sources(processor, sources, 2), 0);
    feed_end(&feed);
    CHECK_TEXT(paths_of(processor, root), "g f f g");
    CHECK_EQUAL(asked->count, 4);
    foreach (result, processor) {
        size_t index = (size_t)(result - processor->results);
        CHECK_TEXT(asked->entries[index].path, result->path);
        CHECK(asked->sources[index] == index / 2 &&
              result->source == index / 2 && result->note_length == 0);
    }
    free(asked);
    fclose(file);
}
