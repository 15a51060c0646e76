/* walk_tests.c: the entries of a walk, compared with those of find. */
#include "descriptors.h"
#include "refusal.h"
#include "walked.h"
#include <weir.h>

static const weir_walk_options_t no_options;

static struct walked walk_with(const char *root, unsigned flags) {
    return walk(root, (weir_walk_options_t){.flags = flags}, NULL);
}

static bool is_consistent(const weir_walk_entry_t *entry, size_t root_length) {
    size_t depth = 0;
    for (const char *at = entry->path + root_length; *at != 0; at++) {
        depth += *at == '/';
    }
    return entry->depth == depth &&
           entry->path[entry->name_offset - 1] == '/' &&
           strchr(entry->path + entry->name_offset, '/') == NULL;
}

static bool are_beside(const weir_walk_entry_t *one,
                       const weir_walk_entry_t *other) {
    return one->name_offset == other->name_offset &&
           memcmp(one->path, other->path, one->name_offset) == 0;
}

/* Entries of one directory that follow each other share its number, and no others
   have it. */
static void check_consistent(struct walked walked) {
    size_t root_length = walked.entries[0].path_length;
    for (size_t index = 1; index < walked.count; index++) {
        const weir_walk_entry_t *one = &walked.entries[index];
        CHECK(is_consistent(one, root_length), "%s", one->path);
        for (size_t next = index + 1; next < walked.count; next++) {
            const weir_walk_entry_t *other = &walked.entries[next];
            bool follows = next == index + 1 && letter_of(one) != 'd';
            if (one->directory == other->directory ||
                (follows && are_beside(one, other))) {
                CHECK(one->directory == other->directory &&
                          are_beside(one, other),
                      "%s and %s", one->path, other->path);
            }
        }
    }
}

TEST(a_walk_returns_the_entries_of_find_in_byte_order) {
    static const int sizes[] = {0, 1, 5, 50, 200, 500};
    for (int round = 0; round < 6; round++) {
        const char *root =
            tree_at_random(text("walk %d", round), sizes[round], 0);
        struct walked walked = walk_with(root, 0);
        check_found(walked, find(root, ""));
        check_consistent(walked);
    }
}

TEST(paths_begin_with_the_root_as_given) {
    static const struct {
        const char *root, *expected;
    } rows[] = {
        {"d", "d d, d/f f"},      {"d/", "d/ d, d/f f"},
        {"d//", "d// d, d//f f"}, {"l", "l d, l/f f"},
        {"l/", "l/ d, l/f f"},    {"d/../d/.", "d/../d/. d, d/../d/./f f"}};
    const char *root = tree_of("d/ d/f l>d");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        CHECK_TEXT(
            describe_walk(walk_with(join(root, rows[row].root), 0), root),
            rows[row].expected);
    }
}

TEST(a_root_that_is_no_directory_is_the_only_entry) {
    const char *root =
        tree_of("f p| s= l>f dangling>nowhere self>self null>/dev/null");
    const char *longest = text("%0256d", 0);
    const char *rows[][2] = {{"f", "f f"},
                             {"p", "p p"},
                             {"s", "s s"},
                             {"l", "l f"},
                             {"null", "null c"},
                             {"missing", "missing U ENOENT"},
                             {"dangling", "dangling U ENOENT"},
                             {"self", "self U ELOOP"},
                             {"f/x", "f/x U ENOTDIR"},
                             {longest, text("%s U ENAMETOOLONG", longest)}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct walked walked = walk_with(join(root, rows[row][0]), 0);
        CHECK_TEXT(describe_walk(walked, root), rows[row][1]);
        CHECK_EQUAL(walked.entries[0].depth, 0);
    }
    errno = 0;
    CHECK(weir_walk_create("", 0) == NULL && errno == EINVAL);
}

TEST(a_removed_directory_is_an_error_and_the_walk_goes_on) {
    const char *root = tree_of("a/ a/f b/ b/f c/ c/f");
    struct walked walked =
        walk(root, no_options, ^(weir_walk_t walk, size_t count) {
          if (count == 2) {
              unlink(join(root, "b/f"));
              rmdir(join(root, "b"));
          }
        });
    CHECK_TEXT(describe_walk(walked, root),
               "d, a d, a/f f, b d ENOENT, c d, c/f f");
}

/* A link that replaces a directory during a walk does not divert it, nor does one
   that replaces a directory above. On a busy machine, whose listings look slow, the
   directory may have been listed ahead, before it was replaced. */
TEST(a_directory_replaced_by_a_link_is_not_followed) {
    static const struct {
        const char *tree, *replaced, *expected;
        size_t after;
    } rows[] = {
        {"a/ b/", "b", "d, a d, b d", 2},
        {"b/ b/c/ b/d/", "b", "d, b d, b/c d, b/d d", 3},
        {"x/ x/b/ x/b/c/ x/b/d/", "x/b", "d, x d, x/b d, x/b/c d, x/b/d d", 4}};
    const char *elsewhere = tree_of("secret d/ d/secret");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const char *root = tree_of(rows[row].tree);
        struct walked walked =
            walk(root, no_options, ^(weir_walk_t walk, size_t count) {
              if (count == rows[row].after) {
                  rename(join(root, rows[row].replaced), join(root, "z"));
                  make_link(root, rows[row].replaced, elsewhere);
              }
            });
        const char *found = describe_walk(walked, root);
        const char *expected = rows[row].expected;
        CHECK(strcmp(found, expected) == 0 ||
                  strcmp(found, text("%s ELOOP", expected)) == 0 ||
                  strcmp(found, text("%s ENOTDIR", expected)) == 0,
              "%s", found);
    }
}

TEST(skipped_directories_have_no_contents) {
    const char *root = tree_at_random("skipped directories", 200, 0);
    struct walked whole = walk_with(root, 0);
    for (size_t skipped = 0; skipped < whole.count; skipped++) {
        struct walked walked =
            walk(root, no_options, ^(weir_walk_t walk, size_t count) {
              if (count == skipped + 1) {
                  weir_walk_skip(walk);
                  weir_walk_skip(walk);
              }
            });
        const char *below = join(whole.entries[skipped].path, "");
        size_t index = 0;
        for (size_t next = 0; next < whole.count; next++) {
            const char *path = whole.entries[next].path;
            if (strncmp(path, below, strlen(below)) != 0 &&
                CHECK(index < walked.count)) {
                CHECK_TEXT(walked.entries[index++].path, path);
            }
        }
        CHECK_EQUAL(index, walked.count);
    }
}

TEST(trees_are_deeper_than_the_longest_path) {
    static const int rows[][2] = {{255, 20}, {3, 1050}, {100, 45}};
    for (int row = 0; row < 3; row++) {
        int size = rows[row][0], depth = rows[row][1];
        const char *root = tree_create();
        char *deepest = make_chain(root, text("%0*d", size, 0), depth);
        struct walked walked = walk_with(root, 0);
        size_t directories = 0;
        check_row("names of %d bytes", size);
        CHECK(strlen(deepest) > PATH_MAX);
        CHECK_EQUAL(walked.count, 1 + 2 * depth);
        for (size_t index = 0; index < walked.count; index++) {
            const weir_walk_entry_t *entry = &walked.entries[index];
            CHECK_EQUAL(entry->error, 0);
            directories += letter_of(entry) == 'd';
            CHECK_EQUAL(strncmp(entry->path, deepest, entry->name_offset), 0);
        }
        CHECK_EQUAL(directories, depth + 1);
        CHECK_EQUAL(walked.entries[depth].depth, depth);
        CHECK_TEXT(walked.entries[depth].path, deepest);
        if (depth < 100) {
            check_consistent(walked);
        }
        CHECK_TEXT(describe_walk(walk_with(deepest, 0), deepest), "d");
        CHECK_TEXT(
            describe_walk(walk_with(join(deepest, "missing"), 0), deepest),
            "missing U ENOENT");
        deepest[strlen(deepest) - 3 * (size_t)(size + 1)] = 0;
        CHECK_EQUAL(walk_with(deepest, 0).count, 6 + 1);
    }
}

TEST(directories_on_other_devices_are_not_entered) {
    check_found(walk_with("/dev", WEIR_WALK_ONE_FILE_SYSTEM),
                find("/dev", "-xdev"));
}

static bool has_two_free_descriptors(void) {
    int one = dup(0), other = dup(0);
    close(one);
    close(other);
    return one >= 0 && other >= 0;
}

static void check_two_descriptors(void) {
    const char *root = tree_at_random("two descriptors", 150, 0);
    make_chain(root, text("%0200d", 0), 70);
    struct walked whole = walk_with(root, 0);
    int taken = take_descriptors(2);
    struct walked walked =
        walk(root, no_options, ^(weir_walk_t walk, size_t count) {
          CHECK(EVENTUALLY(has_two_free_descriptors()),
                "one is open after entry %zu", count);
        });
    close_range((unsigned)taken, ~0U, 0);
    check_same_walk(walked, whole);
}

TEST(two_descriptors_are_enough_and_none_stays_open) {
    check_two_descriptors();
}

TEST(without_openat2_two_descriptors_are_enough) {
    REQUIRE(refuse_calls(SYS_openat2, ENOSYS) == 0);
    check_two_descriptors();
}

/* A walk that follows links opens each directory by its path. */
TEST(one_descriptor_is_enough_to_follow_links) {
    struct check_random random = check_random("one descriptor");
    const char *root = tree_of("loop>.");
    tree_fill(root, &random, 150, 0);
    struct walked whole = walk_with(root, WEIR_WALK_FOLLOW);
    int taken = take_descriptors(1);
    struct walked walked = walk_with(root, WEIR_WALK_FOLLOW);
    close_range((unsigned)taken, ~0U, 0);
    check_same_walk(walked, whole);
}
