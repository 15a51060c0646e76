/*
 * beneath.c: opening a path of any length.
 *
 * DESIGN. O_NOFOLLOW is about the last component of a path. A directory above
 * it may have been replaced by a symbolic link since a walk saw it. Some
 * systems have a call that refuses links in every component. If the system does
 * not have it (ENOSYS), or a sandbox forbids it (EPERM), each component is
 * opened from the one before, with O_NOFOLLOW. Rejected: to compare device and
 * inode with those that the walk saw, by an fstat for each file.
 *
 * A path longer than PATH_MAX is opened in pieces.
 */
#include "system/beneath.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/directory.h"

/* Opens a piece of a path, which ends in NUL, or returns -1 with errno. */
typedef int piece_opener(int directory, const char *piece, int flags);

static int open_following(int directory, const char *piece, int flags) {
    return openat(directory, piece, flags | O_CLOEXEC);
}

/* Opens one component. Most systems say ENOTDIR for a link, not ELOOP. */
static int open_component(int directory, const char *piece, int flags) {
    int opened = openat(directory, piece, flags | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 && errno == ENOTDIR) {
        struct stat status;
        bool is_link =
            fstatat(directory, piece, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(status.st_mode);
        errno = is_link ? ELOOP : ENOTDIR;
    }
    return opened;
}

/* Returns the length of the longest piece of a path that the system accepts, or
   of its first component; 0 if a component is too long. */
static size_t piece_length(const char *path, size_t length, bool is_component) {
    if (is_component) {
        const char *slash = memchr(path, '/', length);
        length = slash ? (size_t)(slash - path) : length;
        return length < PATH_MAX ? length : 0;
    }
    size_t cut = length < PATH_MAX ? length : PATH_MAX - 1;
    while (cut < length && cut > 0 && path[cut - 1] != '/') {
        cut--;
    }
    return cut;
}

/* Opens a piece without NUL. Returns a descriptor or a negated errno value. */
static int open_piece(int directory, const char *path, size_t length, int flags,
                      piece_opener *open) {
    char piece[PATH_MAX];
    memcpy(piece, path, length);
    piece[length] = '\0';
    int opened = open(directory, piece, flags);
    return opened < 0 ? -errno : opened;
}

/* Opens the pieces one after the other, from `at`, closed if `is_owned`. */
static int open_pieces(int at, bool is_owned, const char *path, size_t length,
                       int flags, piece_opener *open) {
    do {
        size_t cut = piece_length(path, length, open == open_component);
        size_t next = cut;
        for (; next < length && path[next] == '/'; next++) {
        }
        int how = next == length ? flags : WEIR_OPEN_REFERENCE | O_DIRECTORY;
        int opened = cut == 0 && length > 0
                         ? -ENAMETOOLONG
                         : open_piece(at, path, cut, how, open);
        if (is_owned) {
            close(at);
        }
        at = opened;
        is_owned = true;
        path += next;
        length -= next;
    } while (at >= 0 && length > 0);
    return at;
}

int weir__open_following(int directory, const char *path, size_t length,
                         int flags) {
    return open_pieces(directory, false, path, length, flags, open_following);
}

static int open_rest(const char *path, size_t root_length, size_t begin,
                     size_t length, int flags, piece_opener *open) {
    int root = weir__open_following(AT_FDCWD, path, root_length,
                                    WEIR_OPEN_REFERENCE | O_DIRECTORY);
    return root < 0 ? root
                    : open_pieces(root, true, path + begin, length - begin,
                                  flags, open);
}

int weir__open_beneath(const char *path, size_t root_length, size_t begin,
                       size_t length, int flags) {
    static _Atomic bool lacks_call; /* EPERM may be of this file alone */
    int opened = load_relaxed(&lacks_call)
                     ? -ENOSYS
                     : open_rest(path, root_length, begin, length, flags,
                                 weir__open_without_links);
    if (opened == -ENOSYS) {
        store_relaxed(&lacks_call, true);
    }
    return opened == -ENOSYS || opened == -EPERM
               ? open_rest(path, root_length, begin, length, flags,
                           open_component)
               : opened;
}
