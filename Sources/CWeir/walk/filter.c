/*
 * filter.c: decides which entries a walk takes.
 *
 * The rules are those of GNU grep's --include and --exclude, but one list
 * serves files and directories, and an include never keeps the walk from
 * entering a directory, since the files that it takes lie below directories.
 */
#include "walk/filter.h"

#include <weir/spi.h>

#include "walk/glob.h"

struct filter {
    const char *pattern;
    bool is_include;
    bool is_for_directories; /* only */
    bool is_for_paths;       /* matched with the relative path, not the name */
};

struct weir__filters {
    size_t count;
    bool takes_the_rest; /* files that no filter matches */
    char *patterns;
    struct filter each[];
};

/* Copies a pattern without the slashes of its scope. Returns the room after. */
static char *copy_filter(struct filter *filter, const weir_walk_filter_t *given,
                         char *room) {
    const char *from = given->pattern;
    size_t length = strlen(from);
    filter->is_include = given->include;
    filter->pattern = room;
    while (length > 0 && from[length - 1] == '/') {
        filter->is_for_directories = true;
        length--;
    }
    if (length > 1 && from[0] == '.' && from[1] == '/') {
        from++, length--;
    }
    filter->is_for_paths = memchr(from, '/', length);
    while (length > 0 && *from == '/') {
        from++, length--;
    }
    memcpy(room, from, length);
    room[length] = '\0';
    return room + length + 1;
}

/* The first filter that applies to files decides. */
static bool takes_the_rest(const struct weir__filters *filters) {
    for (size_t i = 0; i < filters->count; i++) {
        if (!filters->each[i].is_for_directories) {
            return !filters->each[i].is_include;
        }
    }
    return true;
}

struct weir__filters *weir__filters_create(const weir_walk_filter_t *given,
                                           size_t count) {
    if (count == 0) {
        return NULL;
    }
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!weir__reserves_zero(&given[i])) {
            errno = EINVAL;
            return NULL;
        }
        length += strlen(given[i].pattern) + 1;
    }
    struct weir__filters *filters =
        calloc(1, sizeof *filters + count * sizeof *filters->each);
    char *room = malloc(length);
    if (!filters || !room) {
        free(filters);
        free(room);
        errno = ENOMEM;
        return NULL;
    }
    filters->patterns = room;
    for (; filters->count < count; filters->count++) {
        room = copy_filter(&filters->each[filters->count],
                           &given[filters->count], room);
    }
    filters->takes_the_rest = takes_the_rest(filters);
    return filters;
}

void weir__filters_destroy(struct weir__filters *filters) {
    if (filters) {
        free(filters->patterns);
        free(filters);
    }
}

bool weir__filters_take(const struct weir__filters *filters, const char *path,
                        const char *name, bool is_directory) {
    for (size_t i = filters ? filters->count : 0; i > 0; i--) {
        const struct filter *filter = &filters->each[i - 1];
        if ((is_directory || !filter->is_for_directories) &&
            weir__glob_matches(filter->pattern,
                               filter->is_for_paths ? path : name)) {
            return filter->is_include;
        }
    }
    return is_directory || !filters || filters->takes_the_rest;
}

bool weir_spi_filter_matches(const weir_walk_filter_t *filter,
                             const char *path) {
    const weir_walk_filter_t skipping = {.pattern = filter->pattern};
    struct weir__filters *filters = weir__filters_create(&skipping, 1);
    char *part = strdup(path);
    bool matches = false;
    char *name = part;
    for (char *end = part; filters && end && !matches; end++) {
        if (*end == '/' || *end == '\0') {
            bool is_last = *end == '\0';
            *end = '\0';
            matches = !weir__filters_take(filters, part, name, !is_last);
            if (is_last) {
                break;
            }
            *end = '/';
            name = end + 1;
        }
    }
    free(part);
    weir__filters_destroy(filters);
    return matches;
}
