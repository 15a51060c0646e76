/* glob_tests.c: patterns of a walk, compared with fnmatch(3); and **. */
#include "tree.h"
#include <fnmatch.h>
#include <weir/walk.h>

typedef bool matcher_t(const char *pattern, const char *path);

static bool next_file(weir_walk_t walk, weir_walk_entry_t *entry) {
    while (weir_walk_next(walk, entry)) {
        if (entry->type == WEIR_ENTRY_FILE) {
            return true;
        }
    }
    return false;
}

/* Checks that an include takes the files that match its pattern and no others, and
   returns their number. */
static size_t check_include(const char *root, struct paths files,
                            const char *pattern, matcher_t *matches) {
    const weir_walk_filter_t filter = {.include = true, .pattern = pattern};
    const weir_walk_options_t options = {.filters = &filter, .filter_count = 1};
    weir_walk_t walk = weir_walk_create_with(root, &options);
    weir_walk_entry_t entry;
    size_t count = 0;
    bool more = next_file(walk, &entry);
    for (size_t index = 0; index < files.count; index++) {
        const char *path = files.paths[index] + strlen(root) + 1;
        bool taken = more && strcmp(entry.path, files.paths[index]) == 0;
        CHECK(taken == matches(pattern, path), "\"%s\" and \"%s\"", pattern,
              path);
        count += taken;
        more = taken ? next_file(walk, &entry) : more;
    }
    CHECK(!more);
    weir_walk_destroy(walk);
    return count;
}

static bool matches_in_fnmatch(const char *pattern, const char *path) {
    return fnmatch(pattern, path, FNM_PATHNAME) == 0;
}

/* Tries all ways, for `*`, `**`, `?` and plain bytes. */
static bool can_match(const char *pattern, const char *string, bool at_start) {
    size_t stars = strspn(pattern, "*");
    if (stars == 0) {
        bool byte = *pattern == '?' ? *string != '/' : *pattern == *string;
        return *pattern == 0
                   ? *string == 0
                   : *string != 0 && byte &&
                         can_match(pattern + 1, string + 1, *string == '/');
    }
    const char *rest = pattern + stars;
    bool components = stars > 1 && at_start && *rest == '/';
    for (const char *at = string;; at++) {
        if (components ? (at == string || at[-1] == '/') &&
                             can_match(rest + 1, at, true)
                       : can_match(rest, at, false)) {
            return true;
        }
        if (*at == 0 || (stars == 1 && *at == '/')) {
            return false;
        }
    }
}

static bool matches_by_trying(const char *pattern, const char *path) {
    return can_match(pattern, path, true);
}

static bool always(const char *pattern, const char *path) { return true; }

static bool never(const char *pattern, const char *path) {
    return !always(pattern, path);
}

static char byte_of(const char *letters, struct check_random *random) {
    return letters[check_below(random, strlen(letters))];
}

/* Returns true if Weir and fnmatch define a pattern alike. In fnmatch an unfinished
   range in an unfinished set matches nothing, while every other unfinished set is a
   bracket like any byte. */
static bool is_portable(const char *pattern) {
    char last = pattern[strlen(pattern) - 1];
    return strstr(pattern, "**") == NULL && strstr(pattern, "[:") == NULL &&
           strstr(pattern, "[.") == NULL && strstr(pattern, "[=") == NULL &&
           last != '\\' && !(last == '-' && strchr(pattern, '[') != NULL);
}

static void write_pattern(const char *letters, struct check_random *random,
                          char *pattern) {
    do {
        size_t size = 1 + check_below(random, 8);
        for (size_t index = 0; index < size; index++) {
            pattern[index] = byte_of(letters, random);
        }
        pattern[size] = 0;
    } while (!is_portable(pattern));
}

/* Writes a pattern that probably matches a path: some of its bytes replaced by
   wildcards. */
static void blur(const char *path, struct check_random *random, char *pattern) {
    static const char *const wildcards[] = {"?", "*", "[a_%c]"};
    do {
        char *to = pattern;
        for (const char *from = path; *from != 0; from++) {
            size_t kind = *from == '/' ? 9 : check_below(random, 10);
            to += sprintf(to, kind < 3 ? wildcards[kind] : "%c", *from);
        }
    } while (!is_portable(pattern));
}

static bool is_path(const char *pattern) {
    return strchr(pattern, '/') != NULL && pattern[0] != '/' &&
           pattern[strlen(pattern) - 1] != '/';
}

/* Checks random patterns, and others that probably match a file. Returns the number of
   files taken. */
static size_t check_patterns(const char *root, const char *letters, int count,
                             struct check_random *random) {
    struct paths files = find(root, "-type f");
    bool paths = strchr(letters, '/') != NULL;
    size_t taken = 0;
    for (int index = 0; index < count; index++) {
        char pattern[256];
        if (check_below(random, paths ? 2 : 4) > 0) {
            write_pattern(letters, random, pattern);
        } else {
            size_t file = check_below(random, files.count);
            blur(files.paths[file] + strlen(root) + 1, random, pattern);
        }
        if (!paths || is_path(pattern)) {
            taken += check_include(root, files, pattern, matches_in_fnmatch);
        }
    }
    return taken;
}

TEST(names_match_as_in_fnmatch) {
    static const char letters[] = "ab*?[]!-\\^c.:\x80\xFF";
    for (int round = 0; round < 2; round++) {
        struct check_random random = check_random(text("glob %d", round));
        const char *root = tree_create();
        for (int file = 0; file < 150; file++) {
            char name[7] = "";
            size_t size = 1 + check_below(&random, 6);
            for (size_t index = 0; index < size; index++) {
                name[index] = byte_of(letters, &random);
            }
            if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
                make_file(root, name, 0, 0);
            }
        }
        CHECK(check_patterns(root, letters, 700, &random) > 200);
    }
}

static const char *short_names(struct check_random *random) {
    static const char *const names[] = {"a", "b", "ab", "ba", "aab"};
    static const char *const files[] = {"a_", "b_", "abb", "x", "[a]"};
    const char *root = tree_create(), *directories[64] = {"."};
    size_t count = 1;
    for (int name = 0; name < 5; name++) {
        for (size_t last = count, index = 0; index < last; index++) {
            if (strlen(directories[index]) < 7) {
                directories[count] = join(directories[index], names[name]);
                make_directory(root, directories[count++]);
            }
        }
    }
    for (size_t index = 0; index < count; index++) {
        for (int file = 0; file < 5; file++) {
            if (check_below(random, 4) > 0) {
                make_file(root, join(directories[index], files[file]), 0, 0);
            }
        }
    }
    return root;
}

/* glibc has rules of its own for an escaped slash. */
TEST(paths_match_as_in_fnmatch) {
    struct check_random random = check_random("paths");
    const char *root = short_names(&random);
    CHECK(check_patterns(root, "ab/*?[]!", 1500, &random) > 100);
}

TEST(two_stars_match_slashes_and_no_components) {
    static const char *const pieces[] = {"**", "**/", "/**/", "/**", "*",  "a",
                                         "b",  "/",   "?",    "a*",  "**b"};
    struct check_random random = check_random("two stars");
    const char *root = short_names(&random);
    struct paths files = find(root, "-type f");
    size_t taken = 0;
    for (int index = 0; index < 1500; index++) {
        char pattern[32] = "";
        for (size_t size = 1 + check_below(&random, 5); size > 0; size--) {
            strcat(pattern, pieces[check_below(&random, 11)]);
        }
        if (is_path(pattern)) {
            taken += check_include(root, files, pattern, matches_by_trying);
        }
    }
    CHECK(taken > 1000);
}

static void check_examples(const char *const rows[][2], size_t count,
                           matcher_t *matches) {
    for (size_t row = 0; row < count; row++) {
        const char *root = tree_create();
        char *path = make_text(root, rows[row][1], "");
        check_include(root, (struct paths){1, &path, NULL}, rows[row][0],
                      matches);
    }
}

TEST(examples) {
    static const char *const matching[][2] = {
        {"**/x", "x"},         {"**/x", "a/b/x"},    {"a/**/x", "a/x"},
        {"a/**/x", "a/b/c/x"}, {"a/**", "a/b/c"},    {"a**/x", "a/b/x"},
        {"/x", "x"},           {"./x", "x"},         {"x", "a/x"},
        {"**", "a/b/x"},       {"[[:digit:]]", "7"}, {"[![:upper:]x]", "y"},
        {"\\*", "*"},          {"*", ".hidden"},     {"\?\?", "\xC3\xA9"}};
    static const char *const others[][2] = {
        {"**/x", "ax"},         {"a/**/x", "ab/x"},   {"a/**", "a"},
        {"a**x", "a/b/x"},      {"/x", "a/x"},        {"*/x", "a/b/x"},
        {"a/x", "b/a/x"},       {"[[:digit:]]", "a"}, {"[![:upper:]x]", "x"},
        {"[[:nothing:]]", "n"}, {"\\*", "a"},         {"", "x"},
        {"?", "\xC3\xA9"}};
    check_examples(matching, sizeof matching / sizeof *matching, always);
    check_examples(others, sizeof others / sizeof *others, never);
}

TEST(time_is_not_exponential_in_the_stars) {
    static const char *const stars[] = {"*a", "**a", "a*", "*?", "*[a]"};
    const char *root = tree_create();
    char name[256] = "";
    char *path = make_file(root, memset(name, 'a', 255), 0, 0);
    for (int row = 0; row < 5; row++) {
        char pattern[2 + 80 * 4 + 2] = "x/";
        for (int index = 0; index < 80; index++) {
            strcat(pattern, stars[row]);
        }
        strcat(pattern, "b");
        check_include(root, (struct paths){1, &path, NULL}, pattern, never);
        check_include(root, (struct paths){1, &path, NULL}, pattern + 2, never);
    }
}
