/*
 * filter.c: which of the things that a walk meets it takes.
 *
 * The rules are GNU grep's, for --include and --exclude: the last filter that
 * matches decides; where none does, a thing is taken unless the first is an
 * include. Two things are otherwise. One list is for files and directories
 * alike, with a slash at the end of what is for directories alone; and an
 * include keeps no directory from being entered, since what it asks for is
 * below some.
 */
#include "walk/filter.h"

#include "walk/glob.h"

struct filter {
    const char *pattern;
    bool is_include;
    bool is_for_directories; /* alone */
    bool is_for_ways;        /* not for names */
};

struct weir__filters {
    size_t count;
    bool takes_the_rest; /* files that no filter speaks of */
    char *patterns;
    struct filter each[];
};

/* Copies a pattern without the slashes that say what it is for. Returns where
   the next one may begin. */
static char *read_filter(struct filter *filter, const weir_walk_filter_t *given,
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
    filter->is_for_ways = memchr(from, '/', length);
    while (length > 0 && *from == '/') {
        from++, length--;
    }
    memcpy(room, from, length);
    room[length] = '\0';
    return room + length + 1;
}

/* The first that speaks of files decides. */
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
        room = read_filter(&filters->each[filters->count],
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

bool weir__filters_take(const struct weir__filters *filters, const char *way,
                        const char *name, bool is_directory) {
    for (size_t i = filters ? filters->count : 0; i > 0; i--) {
        const struct filter *filter = &filters->each[i - 1];
        if ((is_directory || !filter->is_for_directories) &&
            weir__glob_matches(filter->pattern,
                               filter->is_for_ways ? way : name)) {
            return filter->is_include;
        }
    }
    return is_directory || !filters || filters->takes_the_rest;
}
