/*
 * open.c: opens paths of any length, and waits for a descriptor.
 *
 * DESIGN. A walk and the batches have no descriptor open between two calls. So
 * a file below the root is opened by the path of the root, where the caller may
 * have named a link, and from there without following any link
 * (system/beneath.h). For an entry of the root itself O_NOFOLLOW is enough.
 * Rejected: a descriptor of the root that all share. A process with eight
 * descriptors misses it.
 *
 * EMFILE and ENFILE mean that others took descriptors that the budget counted
 * on. So the budget shrinks, and the open is repeated for a while. Between two
 * tries nothing is open.
 */
#include "walk/open.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <weir/descriptors.h>

#include "system/beneath.h"

static int open_once(int directory, const char *path, size_t length,
                     int flags) {
    if (length >= PATH_MAX || path[length] != '\0') {
        return weir__open_following(directory, path, length, flags);
    }
    int fd = openat(directory, path, flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int weir__open(int directory, const char *path, size_t length, int flags) {
    for (size_t attempt = 1;; attempt++) {
        int fd = open_once(directory, path, length, flags);
        if (!weir_descriptor_retry(fd < 0 ? -fd : 0, attempt)) {
            return fd;
        }
    }
}

/* Returns the offset of the path relative to the root; 0 without a root, and
   for the root and its own entries, for which O_NOFOLLOW does. */
static size_t deep_offset(const char *path, size_t root_length, size_t length) {
    size_t begin = root_length;
    for (; begin < length && path[begin] == '/'; begin++) {
    }
    bool is_deep = root_length && memchr(path + begin, '/', length - begin);
    return is_deep ? begin : 0;
}

int weir__open_in_tree(const char *path, size_t root_length, size_t length,
                       int flags) {
    if (root_length > 0) {
        /* A slash at its end would make a link followed. */
        while (length > root_length && path[length - 1] == '/') {
            length--;
        }
        flags |= length > root_length ? O_NOFOLLOW : 0;
    }
    size_t offset = deep_offset(path, root_length, length);
    for (size_t attempt = 1;; attempt++) {
        int fd = offset ? weir__open_beneath(path, root_length, offset, length,
                                             flags)
                        : weir__open_following(AT_FDCWD, path, length, flags);
        if (!weir_descriptor_retry(fd < 0 ? -fd : 0, attempt)) {
            return fd;
        }
    }
}

size_t weir__last_component(const char *path, size_t length) {
    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    return length;
}

/* ---- the status -------------------------------------------------------- */

/* The last component of a path, in its directory. */
struct place {
    int directory; /* a descriptor, or a negated errno value */
    char name[PATH_MAX];
};

/* Copies the last component, with one slash at most, or fails. */
static bool copy_name(struct place *place, const char *path, size_t length,
                      size_t at) {
    while (length > at + 1 && path[length - 1] == '/' &&
           path[length - 2] == '/') {
        length--;
    }
    if (length - at >= sizeof place->name) {
        place->directory = -ENAMETOOLONG;
        return false;
    }
    memcpy(place->name, path + at, length - at);
    place->name[length - at] = '\0';
    return true;
}

/* Asks for the status of an entry of a directory, and closes that. */
static int stat_and_close(const struct place *place, struct stat *status,
                          bool follow) {
    if (place->directory < 0) {
        return -place->directory;
    }
    int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
    int error =
        fstatat(place->directory, place->name, status, flags) == 0 ? 0 : errno;
    close(place->directory);
    return error;
}

/* Opens the directory of a path that a walk has found. */
static void open_place(struct place *place, const char *path,
                       size_t root_length, size_t length) {
    size_t at = weir__last_component(path, length);
    while (length > root_length && path[length - 1] == '/') {
        length--;
    }
    if (copy_name(place, path, length, at)) {
        place->directory = weir__open_in_tree(
            path, root_length, at, WEIR_OPEN_REFERENCE | O_DIRECTORY);
    }
}

int weir__stat(const char *path, size_t length, struct stat *status) {
    return weir__stat_at(AT_FDCWD, path, length, status, true);
}

int weir__stat_at(int directory, const char *path, size_t length,
                  struct stat *status, bool follow) {
    if (length < PATH_MAX) {
        int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
        return fstatat(directory, path, status, flags) == 0 ? 0 : errno;
    }
    struct place place;
    size_t at = weir__last_component(path, length);
    if (copy_name(&place, path, length, at)) {
        place.directory =
            weir__open(directory, path, at, WEIR_OPEN_REFERENCE | O_DIRECTORY);
    }
    return stat_and_close(&place, status, follow);
}

int weir__stat_in_tree(const char *path, size_t root_length, size_t length,
                       struct stat *status) {
    if (deep_offset(path, root_length, length) == 0) {
        bool follow = root_length == 0;
        return weir__stat_at(AT_FDCWD, path, length, status, follow);
    }
    struct place place;
    open_place(&place, path, root_length, length);
    return stat_and_close(&place, status, false);
}

ssize_t weir__readlink(const char *path, size_t root_length, size_t length,
                       char *target) {
    if (length < PATH_MAX && deep_offset(path, root_length, length) == 0) {
        ssize_t got = readlink(path, target, PATH_MAX);
        return got < 0 ? -errno : got;
    }
    struct place place;
    open_place(&place, path, root_length, length);
    if (place.directory < 0) {
        return place.directory;
    }
    ssize_t got = readlinkat(place.directory, place.name, target, PATH_MAX);
    got = got < 0 ? -errno : got;
    close(place.directory);
    return got;
}

weir_entry_type_t weir__type_of_mode(mode_t mode) {
    switch (mode & S_IFMT) {
    case S_IFREG:
        return WEIR_ENTRY_FILE;
    case S_IFDIR:
        return WEIR_ENTRY_DIRECTORY;
    case S_IFLNK:
        return WEIR_ENTRY_SYMLINK;
    case S_IFIFO:
        return WEIR_ENTRY_FIFO;
    case S_IFSOCK:
        return WEIR_ENTRY_SOCKET;
    case S_IFCHR:
        return WEIR_ENTRY_CHARACTER_DEVICE;
    case S_IFBLK:
        return WEIR_ENTRY_BLOCK_DEVICE;
    default:
        return WEIR_ENTRY_UNKNOWN;
    }
}
