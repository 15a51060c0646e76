/*
 * listing.c: reads the names of one directory, and sorts them by byte.
 *
 * DESIGN. The names are packed in one buffer, and an array of them is sorted.
 * The type of an entry comes with its name and costs nothing. An fstatat is
 * needed only if the file system does not report it, or to follow a link; the
 * directory is still open then.
 */
#include "walk/listing.h"

#include <dirent.h>
#include <unistd.h>

#include "walk/open.h"

int weir__listing_open(struct listing *listing, const struct walk_rules *rules,
                       const char *path, size_t length, size_t depth) {
    bool follow = depth == 0 || (rules->flags & WEIR_WALK_FOLLOW);
    listing->bytes.used = listing->count = listing->planned = 0;
    int fd = weir__open_in_tree(path, follow ? 0 : rules->root_length, length,
                                O_RDONLY | O_DIRECTORY);
    struct stat status;
    if (fd < 0 ||
        !(rules->flags & (WEIR_WALK_FOLLOW | WEIR_WALK_ONE_FILE_SYSTEM))) {
        return fd;
    }
    if (fstat(fd, &status) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    listing->device = status.st_dev;
    listing->inode = status.st_ino;
    return fd;
}

/* Finds the type that the directory did not report, or that of a link's
   target. */
static void stat_entry(unsigned flags, int fd, const char *name,
                       struct name *entry, uint64_t *inode) {
    struct stat status;
    int follow = flags & WEIR_WALK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
    if (fstatat(fd, name, &status, follow) == 0) {
        entry->type = (uint8_t)weir__type_of_mode(status.st_mode);
        *inode = status.st_ino;
    } else {
        entry->error = (int16_t)errno;
        *inode = 0;
    }
}

static uint64_t sort_key(const char *name, size_t length) {
    uint64_t first = 0;
    memcpy(&first, name, length < sizeof first ? length : sizeof first);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    first = __builtin_bswap64(first);
#endif
    return first;
}

static bool add_name(struct listing *listing, unsigned flags, int fd,
                     const struct weir__directory_entry *found) {
    size_t length = strlen(found->name);
    uint64_t inode = found->inode;
    char *to = weir__bytes_reserve(&listing->bytes, sizeof inode + length + 1);
    if (!to || !weir__grow(&listing->names, sizeof *listing->names,
                           &listing->capacity, listing->count + 1)) {
        return false;
    }
    struct name *entry = &listing->names[listing->count++];
    mode_t mode = (mode_t)DTTOIF(found->type);
    *entry = (struct name){.key = sort_key(found->name, length),
                           .offset = listing->bytes.used + sizeof inode,
                           .type = (uint8_t)weir__type_of_mode(mode)};
    if (entry->type == WEIR_ENTRY_UNKNOWN ||
        (entry->type == WEIR_ENTRY_SYMLINK && (flags & WEIR_WALK_FOLLOW))) {
        stat_entry(flags, fd, found->name, entry, &inode);
    }
    memcpy(to, &inode, sizeof inode);
    memcpy(to + sizeof inode, found->name, length + 1);
    listing->bytes.used += sizeof inode + length + 1;
    return true;
}

static int compare_names(const void *a, const void *b) {
    const struct name *left = a, *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return strcmp(left->bytes, right->bytes);
}

static void sort_names(struct listing *listing) {
    for (size_t i = 0; i < listing->count; i++) {
        listing->names[i].bytes =
            listing->bytes.data + listing->names[i].offset;
    }
    if (listing->count > 1) {
        qsort(listing->names, listing->count, sizeof *listing->names,
              compare_names);
    }
}

/* Reads the entries of a directory into the listing. Returns 0 or an errno
   value. */
static int read_entries(struct listing *listing, unsigned flags,
                        struct weir__directory *directory, size_t most) {
    struct weir__directory_entry found;
    while (weir__directory_next(directory, &found)) {
        if (!add_name(listing, flags, directory->descriptor, &found)) {
            return ENOMEM;
        }
        if (listing_size(listing) > most) {
            return EFBIG;
        }
    }
    return directory->error;
}

int weir__listing_read(struct listing *listing, const struct walk_rules *rules,
                       int descriptor, char *buffer, size_t most) {
    if ((rules->flags & WEIR_WALK_ONE_FILE_SYSTEM) &&
        listing->device != rules->root_device) {
        close(descriptor);
        return 0;
    }
    struct weir__directory directory;
    weir__directory_begin(&directory, descriptor, buffer);
    int error = read_entries(listing, rules->flags, &directory, most);
    weir__directory_end(&directory);
    if (error != ENOMEM && error != EFBIG) {
        sort_names(listing);
    }
    return error;
}

void weir__listing_free(struct listing *listing) {
    free(listing->bytes.data);
    free(listing->names);
    *listing = (struct listing){.count = 0};
}
