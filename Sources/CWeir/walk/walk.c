/*
 * walk.c: walks a tree.
 *
 * DESIGN. Depth first, with a stack of levels. A directory is opened, read to
 * its end and closed before any of its entries is returned, so the walk has no
 * descriptor open between two calls. It is opened by its path from the root,
 * without following links below the root: one may have replaced a directory
 * meanwhile. A chain of open directories was rejected: no budget could bound
 * it.
 *
 * A level's buffers are used again for the next directory at that depth, unless
 * they are large. A level takes a listing made ahead (ahead.c) as its own.
 */
#include "walk/ahead.h"

#include <fcntl.h>
#include <unistd.h>

#include "walk/open.h"

/* Buffers of a level up to this size are kept when the level ends. */
#define KEPT_SIZE ((size_t)1 << 20)

/* ---- creation ---------------------------------------------------------- */

weir_walk_t weir_walk_create(const char *root, unsigned flags) {
    return weir__walk_create(root, flags, 0, NULL);
}

weir_walk_t weir_walk_create_with(const char *root,
                                  const weir_walk_options_t *options) {
    if (!weir__reserves_zero(options)) {
        errno = EINVAL;
        return NULL;
    }
    struct weir__filters *filters =
        weir__filters_create(options->filters, options->filter_count);
    if (!filters && options->filter_count) {
        return NULL;
    }
    weir_walk_t walk =
        weir__walk_create(root, options->flags, options->max_depth, filters);
    if (walk) {
        walk->own_filters = filters;
    } else {
        int error = errno;
        weir__filters_destroy(filters);
        errno = error;
    }
    return walk;
}

weir_walk_t weir__walk_create(const char *root, unsigned flags,
                              size_t max_depth,
                              const struct weir__filters *filters) {
    size_t length = strlen(root);
    if (length == 0 || !weir__knows_flags(flags, WEIR_WALK_ONE_THREAD)) {
        errno = EINVAL;
        return NULL;
    }
    weir_walk_t walk = calloc(1, sizeof *walk);
    char *path = malloc(length + 2 + 256);
    if (!walk || !path) {
        free(walk);
        free(path);
        errno = ENOMEM;
        return NULL;
    }
    memcpy(path, root, length + 1);
    walk->rules.flags = flags;
    walk->max_depth = max_depth;
    walk->filters = filters;
    walk->path = path;
    walk->path_capacity = length + 2 + 256;
    walk->rules.root_length = length;
    return walk;
}

void weir_walk_destroy(weir_walk_t walk) {
    if (walk->ahead) {
        weir__ahead_end(walk->ahead);
    }
    for (size_t i = 0; i < walk->levels_made; i++) {
        weir__listing_free(&walk->levels[i].listing);
    }
    weir__filters_destroy(walk->own_filters);
    free(walk->levels);
    free(walk->buffer);
    free(walk->path);
    free(walk);
}

/* ---- levels ------------------------------------------------------------ */

static bool grow_path(weir_walk_t walk, size_t needed) {
    return weir__grow(&walk->path, 1, &walk->path_capacity, needed);
}

/* Returns an empty level above those in use, or NULL. */
static struct level *next_level(weir_walk_t walk) {
    if (walk->depth == walk->levels_made) {
        if (!weir__grow(&walk->levels, sizeof *walk->levels,
                        &walk->levels_capacity, walk->levels_made + 1)) {
            return NULL;
        }
        walk->levels[walk->levels_made++] = (struct level){.next = 0};
    }
    struct level *level = &walk->levels[walk->depth];
    level->next = 0;
    return level;
}

static void leave_level(weir_walk_t walk) {
    struct listing *listing = &walk->levels[--walk->depth].listing;
    if (listing->bytes.capacity > KEPT_SIZE ||
        listing->capacity * sizeof *listing->names > KEPT_SIZE) {
        weir__listing_free(listing);
    }
}

/* ---- entering a directory ---------------------------------------------- */

/* Returns true if the walk is in this directory already. */
static bool is_loop(weir_walk_t walk, const struct listing *listing) {
    return (walk->rules.flags & WEIR_WALK_FOLLOW) &&
           walk_is_in(walk, listing, walk->depth);
}

/* Lists the directory at walk->path. Returns 0 or an errno value. */
static int list(weir_walk_t walk, struct listing *listing, size_t path_length) {
    if (!walk->buffer && !(walk->buffer = malloc(WEIR_DIRECTORY_BUFFER))) {
        return ENOMEM;
    }
    int fd = weir__listing_open(listing, &walk->rules, walk->path, path_length,
                                walk->depth);
    if (fd < 0) {
        return -fd;
    }
    if (walk->depth == 0) {
        walk->rules.root_device = listing->device;
    }
    if (is_loop(walk, listing)) {
        close(fd);
        return ELOOP;
    }
    return weir__listing_read(listing, &walk->rules, fd, walk->buffer,
                              SIZE_MAX);
}

/* Lists the directory at walk->path, perhaps as a sample, or returns an error. */
static int list_here(weir_walk_t walk, struct listing *listing,
                     size_t path_length) {
    if ((walk->rules.flags & WEIR_WALK_ONE_THREAD) ||
        !pace_wants_sample(&walk->pace)) {
        return list(walk, listing, path_length);
    }
    struct pace_sample sample;
    weir__pace_begin(&sample, pace_is_suspect(&walk->pace));
    int error = list(walk, listing, path_length);
    weir__pace_end(&sample);
    weir__pace_add(&walk->pace, &sample);
    return error;
}

/* Takes the listing of walk->path from the look-ahead, or lists it here. */
static int take_or_list(weir_walk_t walk, struct listing *listing,
                        size_t path_length) {
    struct pace_sample sample;
    if (!walk->ahead ||
        !weir__ahead_take(walk, path_length, listing, &sample)) {
        if (walk->is_stopped) {
            walk->depth = 0;
            return ECANCELED;
        }
        return list_here(walk, listing, path_length);
    }
    weir__pace_add(&walk->pace, &sample);
    return is_loop(walk, listing) ? ELOOP : 0;
}

static void look_ahead(weir_walk_t walk) {
    if (WEIR_UNLIKELY(walk->pace.is_slow) && !walk->ahead &&
        !(walk->rules.flags & WEIR_WALK_ONE_THREAD)) {
        weir__ahead_begin(walk, NULL);
    }
    if (WEIR_UNLIKELY(walk->ahead != NULL)) {
        weir__ahead_plan(walk);
    }
}

/* Makes the directory at walk->path the current level, or returns an error. */
static int enter_directory(weir_walk_t walk, size_t path_length) {
    struct level *level = next_level(walk);
    if (!level || !grow_path(walk, path_length + 2)) {
        return ENOMEM;
    }
    int error = take_or_list(walk, &level->listing, path_length);
    if (error) {
        return error;
    }
    bool slash = walk->path[path_length - 1] == '/';
    level->path_length = path_length + !slash;
    walk->depth++;
    look_ahead(walk);
    return 0;
}

/* ---- entries ----------------------------------------------------------- */

static void set_entry(weir_walk_t walk, weir_walk_entry_t *entry, size_t length,
                      size_t name_offset, size_t depth, weir_entry_type_t type,
                      int error) {
    *entry = (weir_walk_entry_t){.path = walk->path,
                                 .path_length = length,
                                 .name_offset = name_offset,
                                 .depth = depth,
                                 .type = type,
                                 .error = error,
                                 .directory = walk->directories};
}

static bool return_root(weir_walk_t walk, weir_walk_entry_t *entry) {
    struct stat status;
    size_t length = walk->rules.root_length;
    weir_entry_type_t type = WEIR_ENTRY_UNKNOWN;
    uint64_t inode = 0;
    int error = weir__stat(walk->path, length, &status);
    if (!error) {
        inode = status.st_ino;
        type = weir__type_of_mode(status.st_mode);
        if (type == WEIR_ENTRY_DIRECTORY) {
            error = enter_directory(walk, length);
            walk->has_entered = !error;
        }
    }
    set_entry(walk, entry, length, weir__last_component(walk->path, length), 0,
              type, error);
    entry->inode = inode;
    walk->directories++;
    return true;
}

static bool passes_filters(weir_walk_t walk, size_t name_offset,
                           weir_entry_type_t type) {
    bool passes = weir__filters_take(
        walk->filters, walk->path + walk->levels[0].path_length,
        walk->path + name_offset, type == WEIR_ENTRY_DIRECTORY);
    walk->filtered += !passes;
    return passes;
}

/* Returns the next entry of a level, or false if the filters skip it. */
static bool return_name(weir_walk_t walk, struct level *level,
                        weir_walk_entry_t *entry) {
    const struct name *name = &level->listing.names[level->next++];
    size_t offset = level->path_length;
    size_t length = offset + strlen(name->bytes);
    weir_entry_type_t type = (weir_entry_type_t)name->type;
    int error = name->error;
    uint64_t directory = walk->directories, inode = listing_inode(name);
    if (!grow_path(walk, length + 2)) {
        walk->path[offset] = '\0';
        set_entry(walk, entry, offset, offset, walk->depth, type, ENOMEM);
        return true;
    }
    walk->path[offset - 1] = '/';
    memcpy(walk->path + offset, name->bytes, length - offset + 1);
    size_t depth = walk->depth;
    if (!passes_filters(walk, offset, type)) {
        return false;
    }
    if (!error && type == WEIR_ENTRY_DIRECTORY &&
        walk_enters_depth(walk, depth)) {
        error = enter_directory(walk, length); /* `level` may have moved */
        walk->has_entered = !error;
        if (!error) {
            walk->directories++;
        }
    }
    set_entry(walk, entry, length, offset, depth, type, error);
    entry->directory = directory;
    entry->inode = inode;
    return true;
}

bool weir_walk_next(weir_walk_t walk, weir_walk_entry_t *entry) {
    walk->has_entered = false;
    if (!walk->begun) {
        walk->begun = true;
        return return_root(walk, entry);
    }
    while (walk->depth > 0) {
        struct level *level = &walk->levels[walk->depth - 1];
        if (level->next == level->listing.count) {
            leave_level(walk);
            walk->directories++; /* the next entry is in another directory */
        } else if (return_name(walk, level, entry)) {
            return !walk->is_stopped;
        }
    }
    return false;
}

uint64_t weir_walk_filtered(weir_walk_t walk) { return walk->filtered; }

uint64_t weir_walk_listed_ahead(weir_walk_t walk) { return walk->listed_ahead; }

void weir_walk_skip(weir_walk_t walk) {
    if (walk->has_entered) {
        struct level *level = &walk->levels[walk->depth - 1];
        level->next = level->listing.count;
    }
}
