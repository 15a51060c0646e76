/* walked.c: keeps and compares the entries of walks. */
#include "walked.h"

static weir_walk_t create(const char *root, weir_walk_options_t options) {
    size_t count = options.filter_count;
    weir_walk_filter_t *filters = keep((count + 1) * sizeof *filters);
    for (size_t index = 0; index < count; index++) {
        filters[index] = options.filters[index];
        filters[index].pattern = text("%s", filters[index].pattern);
    }
    options.filters = filters;
    weir_walk_t walk = weir_walk_create_with(root, &options);
    REQUIRE(walk != NULL, "%s", strerror(errno));
    for (size_t index = 0; index < count; index++) {
        char *pattern = (char *)filters[index].pattern;
        memset(pattern, '!', strlen(pattern));
    }
    return walk;
}

struct walked walk(const char *root, weir_walk_options_t options,
                   void (^after)(weir_walk_t walk, size_t count)) {
    struct walked walked = {0, NULL, 0, 0};
    weir_walk_t walk = create(root, options);
    weir_walk_entry_t entry, *entries = NULL;
    while (weir_walk_next(walk, &entry)) {
        size_t index = walked.count++;
        if ((index & (index - 1)) == 0) {
            entries = realloc(entries, (index * 2 + 1) * sizeof *entries);
        }
        CHECK_EQUAL(strlen(entry.path), entry.path_length);
        entry.path = text("%s", entry.path);
        entries[index] = entry;
        if (after != NULL) {
            after(walk, walked.count);
        }
    }
    weir_walk_skip(walk); /* does nothing */
    walked.filtered = weir_walk_filtered(walk);
    walked.ahead = weir_walk_listed_ahead(walk);
    weir_walk_destroy(walk);
    walked.entries = keep((walked.count + 1) * sizeof entry);
    if (walked.count > 0) {
        memcpy(walked.entries, entries, walked.count * sizeof entry);
    }
    free(entries);
    return walked;
}

char letter_of(const weir_walk_entry_t *entry) {
    return "Ufdlpscb"[entry->type];
}

const char *describe_walk(struct walked walked, const char *root) {
    size_t length = strlen(root);
    return text_of(^(FILE *to) {
      for (size_t index = 0; index < walked.count; index++) {
          const weir_walk_entry_t *entry = &walked.entries[index];
          const char *path = entry->path;
          if (strncmp(path, root, length) == 0) {
              path += length + (path[length] == '/');
          }
          fprintf(to, "%s%s%s%c%s%s", index == 0 ? "" : ", ", path,
                  *path == 0 ? "" : " ", letter_of(entry),
                  entry->error == 0 ? "" : " ",
                  entry->error == 0 ? "" : strerrorname_np(entry->error));
      }
    });
}

bool check_found(struct walked walked, struct paths found) {
    bool same = CHECK_EQUAL(walked.count, found.count);
    for (size_t index = 0; same && index < found.count; index++) {
        const weir_walk_entry_t *entry = &walked.entries[index];
        same =
            CHECK_TEXT(entry->path, found.paths[index]) &&
            CHECK(letter_of(entry) == found.types[index] && entry->error == 0,
                  "%s: type %c, error %d", entry->path, letter_of(entry),
                  entry->error);
    }
    return same;
}

bool check_same_walk(struct walked walked, struct walked expected) {
    bool same = CHECK_EQUAL(walked.count, expected.count) &&
                CHECK_EQUAL(walked.filtered, expected.filtered);
    for (size_t index = 0; same && index < walked.count; index++) {
        weir_walk_entry_t one = walked.entries[index];
        weir_walk_entry_t other = expected.entries[index];
        same = CHECK_TEXT(one.path, other.path) &&
               CHECK(one.name_offset == other.name_offset &&
                         one.depth == other.depth && one.type == other.type &&
                         one.error == other.error &&
                         one.directory == other.directory &&
                         one.inode == other.inode,
                     "%s: depths %zu and %zu, types %c and %c, errors %d and "
                     "%d, directories %ju and %ju",
                     one.path, one.depth, other.depth, letter_of(&one),
                     letter_of(&other), one.error, other.error,
                     (uintmax_t)one.directory, (uintmax_t)other.directory);
    }
    return same;
}
