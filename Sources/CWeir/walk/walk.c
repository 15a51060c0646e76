/*
 * walk.c: walking a tree.
 *
 * DESIGN. Depth first, with a stack of levels. A level is one directory: its
 * names, packed in one buffer, and an array that is sorted by byte. A
 * directory is opened, read to its end with getdents64 and closed before
 * anything in it is given out, so the walk holds no descriptor between two
 * calls, however deep it is; it is opened by its path from the root, which
 * costs a little for each component and was chosen over a chain of open
 * directories, one a level, which no budget could bound.
 *
 * The type of an entry comes from getdents64 and costs nothing. Only where the
 * file system does not say it, or a link is to be followed, is there an
 * fstatat, while the directory is open.
 *
 * A level's buffers are used again for the next directory at that depth,
 * unless they were large.
 */
#include "base/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/open.h"
#include "walk/filter.h"

/* What one getdents64 reads; the kernel's own unit is about this. */
#define READ_SIZE ((size_t)32768)

/* Buffers of a level up to this size are kept when it ends. */
#define KEPT_SIZE ((size_t)1 << 20)

/* The kernel's record, which no header declares. */
struct dirent_record {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* The inode number stands before the bytes: it is not sorted by, and what is
   sorted is to be small. */
struct name {
    uint64_t key; /* the first eight bytes, so that most comparisons end here */
    union {
        size_t offset;     /* while the buffer may still move */
        const char *bytes; /* afterwards; ends in NUL */
    };
    int16_t error;
    uint8_t type; /* weir_entry_type_t */
};

struct level {
    char *bytes;
    size_t bytes_used;
    size_t bytes_capacity;
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
    struct weir__filters *own_filters; /* where they are its own */
    uint64_t filtered;
    bool begun;
    char *path;
    size_t path_capacity;
    size_t root_length;
    struct level *levels;
    size_t depth; /* how many levels are in use */
    size_t levels_made;
    uint64_t directories;
    bool entered; /* the last entry is the present level's directory */
    dev_t root_device;
    char *records;
};

/* ---- life -------------------------------------------------------------- */

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
        free(walk->levels[i].bytes);
        free(walk->levels[i].names);
    }
    weir__filters_destroy(walk->own_filters);
    free(walk->levels);
    free(walk->records);
    free(walk->path);
    free(walk);
}

/* ---- growing ----------------------------------------------------------- */

/* Makes room for `needed` elements of `size` bytes. */
static bool grow(void **memory, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) {
        return true;
    }
    size_t larger = *capacity + *capacity / 2 + 64;
    if (larger < needed) {
        larger = needed;
    }
    void *moved = realloc(*memory, larger * size);
    if (!moved) {
        return false;
    }
    *memory = moved;
    *capacity = larger;
    return true;
}

static bool grow_path(weir_walk_t walk, size_t needed) {
    return grow((void **)&walk->path, &walk->path_capacity, needed, 1);
}

/* A fresh level above the present ones, or NULL. It is not in use yet. */
static struct level *next_level(weir_walk_t walk) {
    if (walk->depth == walk->levels_made) {
        struct level *levels = realloc(walk->levels, (walk->levels_made + 1) *
                                                         sizeof *walk->levels);
        if (!levels) {
            return NULL;
        }
        walk->levels = levels;
        memset(&levels[walk->levels_made++], 0, sizeof *levels);
    }
    struct level *level = &walk->levels[walk->depth];
    level->bytes_used = level->count = level->next = 0;
    return level;
}

static void leave_level(weir_walk_t walk) {
    struct level *level = &walk->levels[--walk->depth];
    if (level->bytes_capacity > KEPT_SIZE ||
        level->capacity * sizeof *level->names > KEPT_SIZE) {
        free(level->bytes);
        free(level->names);
        level->bytes = NULL;
        level->names = NULL;
        level->bytes_capacity = level->capacity = 0;
    }
}

/* ---- reading a directory ----------------------------------------------- */

static weir_entry_type_t type_of_record(unsigned char type) {
    switch (type) {
    case DT_REG:
        return WEIR_ENTRY_FILE;
    case DT_DIR:
        return WEIR_ENTRY_DIRECTORY;
    case DT_LNK:
        return WEIR_ENTRY_SYMLINK;
    case DT_FIFO:
        return WEIR_ENTRY_FIFO;
    case DT_SOCK:
        return WEIR_ENTRY_SOCKET;
    case DT_CHR:
        return WEIR_ENTRY_CHARACTER_DEVICE;
    case DT_BLK:
        return WEIR_ENTRY_BLOCK_DEVICE;
    default:
        return WEIR_ENTRY_UNKNOWN;
    }
}

/* Finds out what the record did not say, or where a link leads. */
static void look_closer(weir_walk_t walk, int fd, const char *name,
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

static uint64_t key_of(const char *name, size_t length) {
    unsigned char first[8] = {0};
    memcpy(first, name, length < sizeof first ? length : sizeof first);
    uint64_t key = 0;
    for (size_t i = 0; i < sizeof first; i++) {
        key = key << 8 | first[i];
    }
    return key;
}

static bool add_name(weir_walk_t walk, struct level *level, int fd,
                     const struct dirent_record *record) {
    size_t length = strlen(record->name);
    uint64_t inode = record->inode;
    if (!grow((void **)&level->bytes, &level->bytes_capacity,
              level->bytes_used + sizeof inode + length + 1, 1) ||
        !grow((void **)&level->names, &level->capacity, level->count + 1,
              sizeof *level->names)) {
        return false;
    }
    struct name *entry = &level->names[level->count++];
    *entry = (struct name){.key = key_of(record->name, length),
                           .offset = level->bytes_used + sizeof inode,
                           .type = (uint8_t)type_of_record(record->type)};
    if (entry->type == WEIR_ENTRY_UNKNOWN ||
        (entry->type == WEIR_ENTRY_SYMLINK &&
         (walk->flags & WEIR_WALK_FOLLOW))) {
        look_closer(walk, fd, record->name, entry, &inode);
    }
    memcpy(level->bytes + level->bytes_used, &inode, sizeof inode);
    memcpy(level->bytes + entry->offset, record->name, length + 1);
    level->bytes_used = entry->offset + length + 1;
    return true;
}

static bool is_dot(const char *name) {
    return name[0] == '.' &&
           (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static int compare_names(const void *a, const void *b) {
    const struct name *left = a, *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return strcmp(left->bytes, right->bytes);
}

static int read_names(weir_walk_t walk, struct level *level, int fd) {
    if (!walk->records && !(walk->records = malloc(READ_SIZE))) {
        return ENOMEM;
    }
    for (;;) {
        long got = syscall(SYS_getdents64, fd, walk->records, READ_SIZE);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? 0 : errno;
        }
        for (char *at = walk->records; at < walk->records + got;) {
            const struct dirent_record *record = (const void *)at;
            if (!is_dot(record->name) && !add_name(walk, level, fd, record)) {
                return ENOMEM;
            }
            at += record->length;
        }
    }
}

static void sort_names(struct level *level) {
    for (size_t i = 0; i < level->count; i++) {
        level->names[i].bytes = level->bytes + level->names[i].offset;
    }
    if (level->count > 1) {
        qsort(level->names, level->count, sizeof *level->names, compare_names);
    }
}

static bool is_on_the_way(weir_walk_t walk, const struct stat *status) {
    for (size_t i = 0; i < walk->depth; i++) {
        if (walk->levels[i].inode == status->st_ino &&
            walk->levels[i].device == status->st_dev) {
            return true;
        }
    }
    return false;
}

/* Which device and inode it is: asked only where a policy needs it. */
static int identify(weir_walk_t walk, struct level *level, int fd,
                    bool *enter) {
    struct stat status;
    if (!(walk->flags & (WEIR_WALK_FOLLOW | WEIR_WALK_ONE_FILE_SYSTEM))) {
        return 0;
    }
    if (fstat(fd, &status) != 0) {
        return errno;
    }
    if ((walk->flags & WEIR_WALK_FOLLOW) && is_on_the_way(walk, &status)) {
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

/* Reads the directory whose path stands in walk->path, and makes it the
   present level. Returns 0 or an errno value. */
static int enter_directory(weir_walk_t walk, size_t path_length) {
    bool nofollow = walk->depth > 0 && !(walk->flags & WEIR_WALK_FOLLOW);
    struct level *level = next_level(walk);
    if (!level || !grow_path(walk, path_length + 2)) {
        return ENOMEM;
    }
    int fd = weir__open(AT_FDCWD, walk->path, path_length,
                        O_RDONLY | O_DIRECTORY | (nofollow ? O_NOFOLLOW : 0));
    if (fd < 0) {
        return -fd;
    }
    bool enter = true;
    int error = identify(walk, level, fd, &enter);
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

/* ---- giving out -------------------------------------------------------- */

static void fill(weir_walk_t walk, weir_walk_entry_t *entry, size_t length,
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

static bool give_root(weir_walk_t walk, weir_walk_entry_t *entry) {
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
            walk->entered = !error;
        }
    }
    fill(walk, entry, length, weir__last_component(walk->path, length), 0, type,
         error);
    entry->inode = inode;
    walk->directories++;
    return true;
}

/* Whether the directory that stands in walk->path is to be read. */
static bool is_to_be_entered(weir_walk_t walk, weir_entry_type_t type,
                             size_t depth) {
    return type == WEIR_ENTRY_DIRECTORY &&
           (walk->max_depth == 0 || depth < walk->max_depth);
}

/* Whether the filters let the name through that stands in walk->path. */
static bool passes(weir_walk_t walk, size_t name_offset,
                   weir_entry_type_t type) {
    bool is_so = weir__filters_take(
        walk->filters, walk->path + walk->levels[0].path_length,
        walk->path + name_offset, type == WEIR_ENTRY_DIRECTORY);
    walk->filtered += !is_so;
    return is_so;
}

/* Returns false where the filters pass it over. */
static bool give_name(weir_walk_t walk, struct level *level,
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
        fill(walk, entry, offset, offset, walk->depth, type, ENOMEM);
        return true;
    }
    walk->path[offset - 1] = '/';
    memcpy(walk->path + offset, name->bytes, length - offset + 1);
    size_t depth = walk->depth;
    if (!passes(walk, offset, type)) {
        return false;
    }
    if (!error && is_to_be_entered(walk, type, depth)) {
        error = enter_directory(walk, length); /* `level` may have moved */
        walk->entered = !error;
        if (!error) {
            walk->directories++;
        }
    }
    fill(walk, entry, length, offset, depth, type, error);
    entry->directory = directory;
    entry->inode = inode;
    return true;
}

bool weir_walk_next(weir_walk_t walk, weir_walk_entry_t *entry) {
    walk->entered = false;
    if (!walk->begun) {
        walk->begun = true;
        return give_root(walk, entry);
    }
    while (walk->depth > 0) {
        struct level *level = &walk->levels[walk->depth - 1];
        if (level->next == level->count) {
            leave_level(walk);
            walk->directories++; /* what comes now is from another directory */
        } else if (give_name(walk, level, entry)) {
            return true;
        }
    }
    return false;
}

uint64_t weir_walk_filtered(weir_walk_t walk) { return walk->filtered; }

void weir_walk_skip(weir_walk_t walk) {
    if (walk->entered) {
        struct level *level = &walk->levels[walk->depth - 1];
        level->next = level->count;
    }
}
