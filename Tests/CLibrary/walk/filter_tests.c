/* filter_tests.c: the filters of a walk, compared with those of grep. */
#include "processor.h"
#include "walked.h"

enum { FILTERS = 8 };

struct filters {
    weir_walk_filter_t filters[FILTERS];
    size_t count;
};

static void insert(struct filters *list, size_t at, bool include,
                   const char *pattern) {
    memmove(&list->filters[at + 1], &list->filters[at],
            (list->count++ - at) * sizeof *list->filters);
    list->filters[at] =
        (weir_walk_filter_t){.include = include, .pattern = pattern};
}

/* Reads filters from a text: "-a +b/" excludes a and includes the directory b. */
static struct filters filters_of(const char *list) {
    struct filters filters = {.count = 0};
    char *rest = text("%s", list), *word;
    while ((word = strsep(&rest, " ")) != NULL && *word != 0) {
        insert(&filters, filters.count, *word == '+', word + 1);
    }
    return filters;
}

static struct walked walk_filtered(const char *root, struct filters filters) {
    return walk(root,
                (weir_walk_options_t){.filters = filters.filters,
                                      .filter_count = filters.count},
                NULL);
}

static void check_files(struct walked walked, struct paths expected) {
    size_t count = 0;
    for (size_t index = 0; index < walked.count; index++) {
        if (walked.entries[index].type == WEIR_ENTRY_FILE) {
            walked.entries[count++] = walked.entries[index];
        }
    }
    walked.count = count;
    check_found(walked, expected);
}

/* Directories have no dot in their names, so that each pattern applies either to files
   or to directories, as in grep. */
static const char *dotted_tree(struct check_random *random) {
    static const char *const names[] = {"a.c", "b.c",        "ab.h",   ".c",
                                        "x.",  "\xC3\xA9.c", "new\n.h"};
    const char *directories[26] = {tree_create()};
    for (int count = 1; count < 26; count++) {
        directories[count] =
            make_directory(directories[check_below(random, (size_t)count)],
                           text("d%d", count - 1));
    }
    for (int index = 0; index < 26 * 7; index++) {
        if (check_below(random, 5) > 0) {
            make_text(directories[index / 7], names[index % 7], "x\n");
        }
    }
    return directories[0];
}

TEST(the_last_match_decides_as_in_grep) {
    static const char *const patterns[] = {"*.c", "a*.*",   "?.c", "*.h",
                                           "*.",  "[!a].*", ".c"};
    static const char *const directories[] = {"d*1", "d?", "d[2-5]", "d7*"};
    for (int turn = 0; turn < 45; turn++) {
        struct check_random random = check_random(text("filters %d", turn));
        static const char *root;
        struct filters filters = {.count = 0};
        char *words = "";
        root = turn % 15 == 0 ? dotted_tree(&random) : root;
        for (size_t more = 1 + check_below(&random, 4); more > 0; more--) {
            const char *pattern = patterns[check_below(&random, 7)];
            bool include = check_below(&random, 2) == 0;
            insert(&filters, filters.count, include, pattern);
            words = text("%s '--%s=%s'", words, include ? "include" : "exclude",
                         pattern);
        }
        for (size_t more = check_below(&random, 3); more > 0; more--) {
            const char *pattern = directories[check_below(&random, 4)];
            insert(&filters, check_below(&random, filters.count + 1), false,
                   text("%s/", pattern));
            words = text("%s '--exclude-dir=%s'", words, pattern);
        }
        check_row("%s", words);
        /* From within: for grep a pattern may match the end of a path that it is given,
           of any number of components. */
        check_files(walk_filtered(root, filters),
                    paths_from(text("cd '%s' && LC_ALL=C grep -rlZ x %s . | "
                                    "sed -z 's,^[.],f%s,'",
                                    root, words, root)));
    }
}

TEST(skipped_directories_are_counted_and_not_read) {
    static const struct {
        const char *filters, *files;
        uint64_t filtered;
    } rows[] = {
        {"",
         "a/b/y.c a/build/deep/z.c a/x.c build/z.c build.c fifo.c link.c "
         "top.h",
         0},
        {"-build", "a/b/y.c a/x.c build.c fifo.c link.c top.h", 2},
        {"-/build/",
         "a/b/y.c a/build/deep/z.c a/x.c build.c fifo.c link.c "
         "top.h",
         1},
        {"-*.c", "top.h", 7},
        {"+a/**/*.c", "a/b/y.c a/build/deep/z.c a/x.c", 5},
        {"-* +top.h", "top.h", 5},
        {"-* +*/ +z.c", "a/build/deep/z.c build/z.c", 6},
        /* A filter for directories does not affect files. */
        {"+a/",
         "a/b/y.c a/build/deep/z.c a/x.c build/z.c build.c fifo.c "
         "link.c top.h",
         0},
        {"-/build.c/",
         "a/b/y.c a/build/deep/z.c a/x.c build/z.c build.c fifo.c link.c "
         "top.h",
         0},
        {"+a/ +*.h", "top.h", 7}};
    const char *root =
        tree_of("a/ a/b/ build/ a/build/ a/build/deep/ a/x.c a/b/y.c build/z.c "
                "a/build/deep/z.c top.h build.c link.c>top.h fifo.c|");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct walked walked =
            walk_filtered(root, filters_of(rows[row].filters));
        const char *files = "";
        for (size_t index = 0; index < walked.count; index++) {
            if (walked.entries[index].type != WEIR_ENTRY_DIRECTORY) {
                files = text("%s%s%s", files, *files == 0 ? "" : " ",
                             walked.entries[index].path + strlen(root) + 1);
            }
        }
        check_row("%s", rows[row].filters);
        CHECK_TEXT(files, rows[row].files);
        CHECK_EQUAL(walked.filtered, rows[row].filtered);
        CHECK(row > 0 || walked.count == 14);
    }
}

TEST(roots_and_named_files_are_always_taken) {
    struct filters everything = filters_of("-* -** -/");
    const char *root = tree_of("d/ d/f f"), *file = join(root, "f");
    CHECK_TEXT(describe_walk(walk_filtered(root, everything), root), "d");
    CHECK_TEXT(describe_walk(walk_filtered(file, everything), file), "f");
    PROCESSOR(processor, .files.filters = everything.filters,
              .files.filter_count = everything.count);
    CHECK_EQUAL(process_paths(processor, (const char *[]){file, root, file}, 3),
                0);
    CHECK_TEXT(outcomes(processor, root), "f named done, f named done");
    CHECK_EQUAL(statistics(processor).filtered, 2);
    CHECK_EQUAL(statistics(processor).found, 2);
    CHECK_EQUAL(statistics(processor).directories, 1);
}
