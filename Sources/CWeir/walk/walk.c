/*
 * walk.c: walks a tree.
 *
 * DESIGN. Depth first, with a stack of levels. A level is one directory: its
 * names, packed in one buffer, and an array of them that is sorted by byte. A
 * directory is opened, read to its end and closed before any of its entries is
 * returned, so the walk has no descriptor open between two calls, however deep
 * it is. It is opened by its path from the root, which costs a little for each
 * component, and without following links below the root: one may have replaced
 * a directory meanwhile. A chain of open directories, one a level, was
 * rejected: no budget could bound it.
 *
 * The type of an entry comes with its name and costs nothing. An fstatat is
 * needed only if the file system does not report it, or to follow a link; the
 * directory is still open then.
 *
 * A level's buffers are used again for the next directory at that depth, unless
 * they are large.
 */
#include "base/bytes.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "system/directory.h"
#include "walk/filter.h"
#include "walk/open.h"

/* Buffers of a level up to this size are kept when the level ends. */
#define KEPT_SIZE ((size_t)1 << 20)

/* The inode number is stored in front of the name's bytes: it is no sort key,
   and the sorted elements should be small. */
struct name {
    uint64_t key; /* the first eight bytes, which decide most comparisons */
    union {
        size_t offset;     /* while the buffer may move */
        const char *bytes; /* afterwards; ends in NUL */
    };
    int16_t error;
    uint8_t type; /* weir_entry_type_t */
};

struct level {
    struct bytes bytes;
    struct name *names;
    size_t count;
    size_t capacity;
    size_t next;
    size_t path_length; /* of the directory, with a slash at its end */
    uint64_t directory;
    dev_t device;
    ino_t inode;
};

struct weir_walk_s {
    unsigned flags;
    size_t max_depth; /* or 0 */
    const struct weir__filters *filters;
    struct weir__filters *own_filters; /* those that the walk destroys */
    uint64_t filtered;
    bool begun;
    char *path;
    size_t path_capacity;
    size_t root_length;
    struct level *levels;
    size_t depth; /* levels in use */
    size_t levels_made;
    size_t levels_capacity;
    uint64_t directories;
    bool has_entered; /* the last entry is the current level's directory */
    dev_t root_device;
    char *buffer; /* of WEIR_DIRECTORY_BUFFER bytes */
};

/* ---- creation ---------------------------------------------------------- */

weir_walk_t weir_walk_create(const char *root, unsigned flags) {
    return weir__walk_create(root, flags, 0, NULL);
}

weir_walk_t weir_walk_create_with(const char *root,
                                  const weir_walk_options_t *options) {
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
    if (length == 0) {
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
    walk->flags = flags;
    walk->max_depth = max_depth;
    walk->filters = filters;
    walk->path = path;
    walk->path_capacity = length + 2 + 256;
    walk->root_length = length;
    return walk;
}

void weir_walk_destroy(weir_walk_t walk) {
    for (size_t i = 0; i < walk->levels_made; i++) {
        free(walk->levels[i].bytes.data);
        free(walk->levels[i].names);
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
        walk->levels[walk->levels_made++] = (struct level){.count = 0};
    }
    struct level *level = &walk->levels[walk->depth];
    level->bytes.used = level->count = level->next = 0;
    return level;
}

static void leave_level(weir_walk_t walk) {
    struct level *level = &walk->levels[--walk->depth];
    if (level->bytes.capacity > KEPT_SIZE ||
        level->capacity * sizeof *level->names > KEPT_SIZE) {
        free(level->bytes.data);
        free(level->names);
        level->bytes = (struct bytes){.data = NULL};
        level->names = NULL;
        level->capacity = 0;
    }
}

/* ---- reading a directory ----------------------------------------------- */

/* Finds the type that the directory did not report, or that of a link's
   target. */
static void stat_entry(weir_walk_t walk, int fd, const char *name,
                       struct name *entry, uint64_t *inode) {
    struct stat status;
    int follow = walk->flags & WEIR_WALK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
    if (fstatat(fd, name, &status, follow) == 0) {
        entry->type = (uint8_t)weir__type_of_mode(status.st_mode);
        *inode = status.st_ino;
    } else {
        entry->error = (int16_t)errno;
        *inode = 0;
    }
}

static uint64_t sort_key(const char *name, size_t length) {
    unsigned char first[8] = {0};
    memcpy(first, name, length < sizeof first ? length : sizeof first);
    uint64_t key = 0;
    for (size_t i = 0; i < sizeof first; i++) {
        key = key << 8 | first[i];
    }
    return key;
}

static bool add_name(weir_walk_t walk, struct level *level, int fd,
                     const struct weir__directory_entry *found) {
    size_t length = strlen(found->name);
    uint64_t inode = found->inode;
    char *to = weir__bytes_reserve(&level->bytes, sizeof inode + length + 1);
    if (!to || !weir__grow(&level->names, sizeof *level->names,
                           &level->capacity, level->count + 1)) {
        return false;
    }
    struct name *entry = &level->names[level->count++];
    mode_t mode = (mode_t)DTTOIF(found->type);
    *entry = (struct name){.key = sort_key(found->name, length),
                           .offset = level->bytes.used + sizeof inode,
                           .type = (uint8_t)weir__type_of_mode(mode)};
    if (entry->type == WEIR_ENTRY_UNKNOWN ||
        (entry->type == WEIR_ENTRY_SYMLINK &&
         (walk->flags & WEIR_WALK_FOLLOW))) {
        stat_entry(walk, fd, found->name, entry, &inode);
    }
    memcpy(to, &inode, sizeof inode);
    memcpy(to + sizeof inode, found->name, length + 1);
    level->bytes.used += sizeof inode + length + 1;
    return true;
}

static int compare_names(const void *a, const void *b) {
    const struct name *left = a, *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return strcmp(left->bytes, right->bytes);
}

static int read_names(weir_walk_t walk, struct level *level, int fd) {
    if (!walk->buffer && !(walk->buffer = malloc(WEIR_DIRECTORY_BUFFER))) {
        return ENOMEM;
    }
    struct weir__directory directory = {.descriptor = fd,
                                        .buffer = walk->buffer};
    struct weir__directory_entry found;
    while (weir__directory_next(&directory, &found)) {
        if (!add_name(walk, level, fd, &found)) {
            return ENOMEM;
        }
    }
    return directory.error;
}

static void sort_names(struct level *level) {
    for (size_t i = 0; i < level->count; i++) {
        level->names[i].bytes = level->bytes.data + level->names[i].offset;
    }
    if (level->count > 1) {
        qsort(level->names, level->count, sizeof *level->names, compare_names);
    }
}

/* Returns true if the walk is in this directory already. */
static bool is_entered(weir_walk_t walk, const struct stat *status) {
    for (size_t i = 0; i < walk->depth; i++) {
        if (walk->levels[i].inode == status->st_ino &&
            walk->levels[i].device == status->st_dev) {
            return true;
        }
    }
    return false;
}

/* Reads the device and inode of a directory, if a policy needs them, and
   decides whether to read its names. */
static int apply_policies(weir_walk_t walk, struct level *level, int fd,
                          bool *enter) {
    struct stat status;
    if (!(walk->flags & (WEIR_WALK_FOLLOW | WEIR_WALK_ONE_FILE_SYSTEM))) {
        return 0;
    }
    if (fstat(fd, &status) != 0) {
        return errno;
    }
    if ((walk->flags & WEIR_WALK_FOLLOW) && is_entered(walk, &status)) {
        return ELOOP;
    }
    if (walk->depth == 0) {
        walk->root_device = status.st_dev;
    }
    *enter = !(walk->flags & WEIR_WALK_ONE_FILE_SYSTEM) ||
             status.st_dev == walk->root_device;
    level->device = status.st_dev;
    level->inode = status.st_ino;
    return 0;
}

/* Reads the directory at walk->path, and makes it the current level. Returns 0
   or an errno value. */
static int enter_directory(weir_walk_t walk, size_t path_length) {
    bool follow = walk->depth == 0 || (walk->flags & WEIR_WALK_FOLLOW);
    struct level *level = next_level(walk);
    if (!level || !grow_path(walk, path_length + 2)) {
        return ENOMEM;
    }
    int fd = weir__open_in_tree(walk->path, follow ? 0 : walk->root_length,
                                path_length, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        return -fd;
    }
    bool enter = true;
    int error = apply_policies(walk, level, fd, &enter);
    if (!error && enter) {
        error = read_names(walk, level, fd);
    }
    close(fd);
    if (error) {
        return error;
    }
    sort_names(level);
    bool slash = walk->path[path_length - 1] == '/';
    level->path_length = path_length + !slash;
    walk->depth++;
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
    size_t length = walk->root_length;
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
    const struct name *name = &level->names[level->next++];
    size_t offset = level->path_length;
    size_t length = offset + strlen(name->bytes);
    weir_entry_type_t type = (weir_entry_type_t)name->type;
    int error = name->error;
    uint64_t directory = walk->directories, inode;
    memcpy(&inode, name->bytes - sizeof inode, sizeof inode);
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
        (walk->max_depth == 0 || depth < walk->max_depth)) {
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
        if (level->next == level->count) {
            leave_level(walk);
            walk->directories++; /* the next entry is in another directory */
        } else if (return_name(walk, level, entry)) {
            return true;
        }
    }
    return false;
}

uint64_t weir_walk_filtered(weir_walk_t walk) { return walk->filtered; }

void weir_walk_skip(weir_walk_t walk) {
    if (walk->has_entered) {
        struct level *level = &walk->levels[walk->depth - 1];
        level->next = level->count;
    }
}
