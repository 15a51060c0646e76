/* glob_tests.c: patterns of a walk: examples, and random ones as inputs of the fuzzer, which
   has fnmatch(3) and a second matcher. */
#include "walk/glob.h"
#include "walked.h"

/* Of Fuzz/c/glob.c: compares a pattern and a path, each with a NUL. */
void fuzz_glob(const uint8_t *bytes, size_t count);

static const char *any_piece(struct check_random *random, size_t most) {
    static const char *const pieces[] = {
        "a",    "b",    "/",     "*",    "?",          "[",  "]",
        "!",    "-",    "ab",    "**",   "**/",        "a*", "/**/",
        "/**",  "**b",  "\\",    "^",    "c",          ".",  ":",
        "\x80", "\xFF", "[a_c]", "[!a]", "[[:alpha:]", "[b-"};
    size_t count = sizeof pieces / sizeof *pieces;
    return pieces[check_below(random, most < count ? most : count)];
}

/* The pattern probably matches the path, or is any other one. */
TEST(random_patterns_match_as_in_fnmatch_and_by_trying) {
    static const size_t most[] = {5, 9, 16, 99};
    struct check_random random = check_random("glob");
    size_t taken = 0;
    for (int round = 0; round < 300000; round++) {
        char path[64] = "", pattern[128] = "";
        size_t pieces = most[round % 4], size = check_below(&random, 8);
        bool is_any = check_below(&random, 3) == 0;
        for (; size > 0; size--) {
            const char *piece = any_piece(&random, pieces);
            strcat(path, piece);
            strcat(pattern, is_any || check_below(&random, 3) == 0
                                ? any_piece(&random, pieces)
                                : piece);
        }
        taken += weir__glob_matches(pattern, path);
        strcpy(pattern + strlen(pattern) + 1, path);
        fuzz_glob((const uint8_t *)pattern,
                  strlen(pattern) + 1 + strlen(path) + 1);
    }
    CHECK(taken > 30000, "%zu", taken);
}

/* Checks if an include takes the one file of a tree. */
static void check_examples(const char *const rows[][2], size_t count,
                           bool expected) {
    for (size_t row = 0; row < count; row++) {
        const weir_walk_filter_t filter = {.include = true,
                                           .pattern = rows[row][0]};
        const char *root = tree_create();
        make_text(root, rows[row][1], "");
        struct walked walked = walk(
            root, (weir_walk_options_t){.filters = &filter, .filter_count = 1},
            NULL);
        bool taken = letter_of(&walked.entries[walked.count - 1]) == 'f';
        CHECK(taken == expected, "\"%s\" and \"%s\"", rows[row][0],
              rows[row][1]);
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
    check_examples(matching, sizeof matching / sizeof *matching, true);
    check_examples(others, sizeof others / sizeof *others, false);
}

TEST(time_is_not_exponential_in_the_stars) {
    static const char *const stars[] = {"*a", "**a", "a*", "*?", "*[a]"};
    char name[256] = "";
    memset(name, 'a', 255);
    for (int row = 0; row < 5; row++) {
        char pattern[80 * 4 + 2] = "";
        for (int index = 0; index < 80; index++) {
            strcat(pattern, stars[row]);
        }
        CHECK(!weir__glob_matches(strcat(pattern, "b"), name));
    }
}
