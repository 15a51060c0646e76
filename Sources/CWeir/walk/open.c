/*
 * open.c: opens paths of any length, and waits for a descriptor.
 *
 * DESIGN. A tree can be deeper than a path may be long. Such a path is opened
 * in pieces shorter than PATH_MAX, each relative to the one before. The usual
 * path is one openat.
 *
 * EMFILE and ENFILE: every descriptor here has its permit, so they mean that
 * another part of the process, or another process, took descriptors that the
 * budget counted on. The shortage usually passes, and giving up would lose a
 * file. So the budget shrinks, and the open is repeated for a while.
 */
#include "walk/open.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <weir/descriptors.h>

/* Opens a path that is shorter than PATH_MAX. */
static int open_piece(int directory, const char *path, int flags) {
    for (size_t attempt = 1;; attempt++) {
        int fd = openat(directory, path, flags | O_CLOEXEC);
        int error = fd < 0 ? errno : 0;
        if (!weir_descriptor_retry(error, attempt)) {
            return error ? -error : fd;
        }
    }
}

/* Opens the directories of a long path, until the rest is short enough. */
static int open_in_pieces(int directory, const char *path, size_t length,
                          int flags) {
    int at = directory;
    while (length >= PATH_MAX) {
        char piece[PATH_MAX];
        size_t cut = PATH_MAX - 1;
        while (cut > 0 && path[cut - 1] != '/') {
            cut--;
        }
        memcpy(piece, path, cut);
        piece[cut] = '\0';
        int next =
            cut ? open_piece(at, piece, WEIR_OPEN_REFERENCE | O_DIRECTORY)
                : -ENAMETOOLONG;
        if (at != directory) {
            close(at);
        }
        if (next < 0) {
            return next;
        }
        at = next;
        for (; path[cut] == '/'; cut++) { /* the rest is relative */
        }
        path += cut;
        length -= cut;
    }
    int fd = open_piece(at, length ? path : ".", flags);
    if (at != directory) {
        close(at);
    }
    return fd;
}

int weir__open(int directory, const char *path, size_t length, int flags) {
    return length < PATH_MAX ? open_piece(directory, path, flags)
                             : open_in_pieces(directory, path, length, flags);
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
    int fd = weir__open(directory, path, length,
                        WEIR_OPEN_REFERENCE | (follow ? 0 : O_NOFOLLOW));
    if (fd < 0) {
        return -fd;
    }
    int error = fstat(fd, status) == 0 ? 0 : errno;
    close(fd);
    return error;
}

ssize_t weir__readlink(const char *path, size_t length, char *target) {
    if (length < PATH_MAX) {
        ssize_t got = readlink(path, target, PATH_MAX);
        return got < 0 ? -errno : got;
    }
    int fd =
        weir__open(AT_FDCWD, path, length, WEIR_OPEN_REFERENCE | O_NOFOLLOW);
    if (fd < 0) {
        return fd;
    }
    ssize_t got = readlinkat(fd, "", target, PATH_MAX);
    got = got < 0 ? -errno : got;
    close(fd);
    return got;
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
