/*
 * open_file.c: opening one file and classifying it.
 *
 * DESIGN. Four system calls for a small file: openat, read, fstat, close. The
 * fstat comes after the first read, and gives at once the type, the size, and
 * if the whole file has been read: each fstat is 5 to 9 % of a run over small
 * files. So a file is classified when its job first asks, or after the job:
 * something that is no regular file, or excluded, has that outcome in any case.
 *
 * A file is read before its status is known if the walk knows that it is
 * regular. If something else has taken its place since, the read does no harm:
 * the open uses O_NONBLOCK, so that a FIFO cannot hang a lane. A name of which
 * no status was asked for is read with pread, which takes nothing out of a FIFO
 * or a terminal. Anything else has its status asked for first, as does a file
 * with the inode number of an excluded one.
 *
 * With WEIR_FILES_OPEN_LATE the same steps happen in the middle of the job.
 * weir_file_stat_path asks before: one call instead of open, fstat and close. A
 * later open is classified again by fstat.
 *
 * A file server reports ESTALE for a file that was replaced there: the path is
 * opened again, a few times; bytes that the job has got stay valid only if it
 * is the same file, unchanged.
 *
 * If a batch has several files of one directory, that directory is opened once,
 * and the files relative to it: from two files on if each open would have to
 * begin at the root of the walk (walk/open.c), else for more files. The lane
 * opens the directory, not the walk, so that a batch in the backlog holds no
 * descriptors.
 */
#include "files/file/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "walk/open.h"

/* The least number of neighbours for which a directory is opened. */
#define NEIGHBOURS_MIN 8
#define NEIGHBOURS_MIN_DEEP 2

/* The time for a lease on a file: the kernel ends it after 45 seconds. */
#define LEASE_TRIES 12000
#define LEASE_PAUSE_MS 5

void weir__reader_flush(weir_files_t files, struct reader *reader) {
    if (reader->opened || reader->bytes_expected) {
        files_count(&files->counts.opened, reader->opened);
        files_count(&files->counts.bytes_expected, reader->bytes_expected);
        reader->opened = reader->bytes_expected = 0;
    }
    if (reader->unread) {
        files_count(&files->counts.unread, reader->unread);
        reader->unread = 0;
    }
}

/* ---- the directory ----------------------------------------------------- */

/* True if `count` files to open from the present one are in its directory. */
static bool has_neighbours(const weir_file_t *file, size_t count) {
    const struct batch *batch = file->batch;
    const uint32_t *order = batch->order;
    size_t end = batch_end(batch);
    for (size_t i = order ? batch->position : file->index; i < end; i++) {
        const struct entry *entry = &batch->entries[order ? order[i] : i];
        if (entry->directory != file->entry->directory) {
            return false;
        }
        count -= entry->state == ENTRY_PATH;
        if (count == 0) {
            return true;
        }
    }
    return false;
}

/* True if the directory is below the root of a walk, and not the root. */
static bool is_deep(const struct entry *entry) {
    return entry->root_length && entry->name_offset > entry->root_length + 1;
}

/* Opens the part of the path before its last component. */
static int open_parent(const weir_file_t *file) {
    const struct entry *entry = file->entry;
    int fd = weir__open_in_tree(entry_path(file->batch, entry),
                                entry->root_length, entry->name_offset,
                                WEIR_OPEN_REFERENCE | O_DIRECTORY);
    return fd >= 0 ? fd : -1; /* the files report the error */
}

static void decide_directory(weir_file_t *file) {
    struct open_directory *directory = file->directory;
    const struct entry *entry = file->entry;
    weir__file_leave_directory(file);
    bool is_worth_it = file->batch->permits >= 2 && entry->name_offset > 0 &&
                       has_neighbours(file, is_deep(entry) ? NEIGHBOURS_MIN_DEEP
                                                           : NEIGHBOURS_MIN);
    directory->descriptor = is_worth_it ? open_parent(file) : -1;
    directory->number = entry->directory;
    directory->is_decided = true;
}

int weir__file_directory(weir_file_t *file) {
    const struct open_directory *directory = file->directory;
    if (WEIR_UNLIKELY(!directory->is_decided ||
                      directory->number != file->entry->directory)) {
        decide_directory(file);
    }
    return directory->descriptor;
}

void weir__file_leave_directory(weir_file_t *file) {
    struct open_directory *directory = file->directory;
    if (directory->descriptor >= 0) {
        close(directory->descriptor);
        directory->descriptor = -1;
    }
    directory->is_decided = false;
}

/* ---- opening ----------------------------------------------------------- */

static int open_flags(const weir_file_t *file) {
    return O_RDONLY | O_NOCTTY |
           (files_is_literal(file->files) ? 0 : O_NONBLOCK) |
           (entry_follows_links(file->entry) ? 0 : O_NOFOLLOW);
}

static int open_once(weir_file_t *file, int directory) {
    struct entry *entry = file->entry;
    const char *path = entry_path(file->batch, entry);
    size_t offset = entry->name_offset, length = entry->path_length;
    file->change.opened = weir__file_clock();
    return directory < 0 ? weir__open_in_tree(path, entry->root_length, length,
                                              open_flags(file))
                         : weir__open(directory, path + offset, length - offset,
                                      open_flags(file));
}

/* Opens the file, relative to its directory if that is open. The first try
   makes the kernel call a lease back, which an open without O_NONBLOCK awaits. */
static int open_unleased(weir_file_t *file, int directory) {
    const struct timespec pause = {.tv_nsec = LEASE_PAUSE_MS * 1000000};
    int fd = open_once(file, directory);
    for (int i = 0;
         fd == -EAGAIN && i < LEASE_TRIES && !files_is_stopped(file->files);
         i++) {
        nanosleep(&pause, NULL);
        fd = open_once(file, directory);
    }
    return fd;
}

/* Keeps a descriptor. False with errno for a negated errno value. */
static bool keep(weir_file_t *file, int opened) {
    if (opened < 0) {
        file->descriptor = -1;
        errno = -opened;
        return false;
    }
    file->descriptor = opened;
    return true;
}

bool weir__file_reopen(weir_file_t *file) {
    if (file->entry->state != ENTRY_PATH || file->reopened == REOPENED_MAX) {
        errno = ESTALE;
        return false;
    }
    file->reopened++;
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    weir__file_leave_directory(file); /* it may be stale too */
    return keep(file, open_unleased(file, -1)) ||
           (errno == ESTALE && weir__file_reopen(file));
}

static bool may_be_excluded(weir_files_t files, uint64_t inode) {
    bool may_be = false;
    for (size_t i = 0; i < files->options.exclude_count; i++) {
        may_be = may_be || files->excluded[i].inode == inode;
    }
    return may_be;
}

static bool must_stat_first(const weir_file_t *file) {
    const struct entry *entry = file->entry;
    bool may_be_regular =
        entry->type == WEIR_ENTRY_FILE ||
        (entry->type == WEIR_ENTRY_UNKNOWN && !files_is_literal(file->files));
    return entry->state != ENTRY_PATH || !may_be_regular ||
           file->reader->stats_first ||
           may_be_excluded(file->files, entry->inode);
}

/* An open of a socket fails with ENXIO, as that of a device without driver. */
static void explain_failure(weir_file_t *file, int error) {
    bool may_be_socket = file->entry->type != WEIR_ENTRY_BLOCK_DEVICE &&
                         file->entry->type != WEIR_ENTRY_CHARACTER_DEVICE;
    if (error == ENXIO && may_be_socket && !files_is_literal(file->files)) {
        file->entry->outcome = WEIR_FILE_SPECIAL;
        file->entry->type = WEIR_ENTRY_SOCKET;
    } else {
        file_fail(file, error);
    }
}

/* Refuses a file without a status. That of its path may be known. */
static void refuse_unknown(weir_file_t *file) {
    file->status = (struct stat){0};
    file_enter(file, FILE_REFUSED);
}

bool weir__file_open(weir_file_t *file) {
    if (!keep(file, open_unleased(file, weir__file_directory(file))) &&
        (errno != ESTALE || !weir__file_reopen(file))) {
        explain_failure(file, errno);
        refuse_unknown(file);
        return false;
    }
    file_count_opened(file);
    file_enter(file, must_stat_first(file) ? FILE_STAT_FIRST : FILE_READ_FIRST);
    return true;
}

/* ---- classifying ------------------------------------------------------- */

static bool is_excluded(weir_files_t files, const struct stat *status) {
    for (size_t i = 0; i < files->options.exclude_count; i++) {
        if (files->excluded[i].inode == status->st_ino &&
            files->excluded[i].device == status->st_dev) {
            return true;
        }
    }
    return false;
}

/* True if the file is read whatever its type is. */
static bool accepts_any_type(const weir_file_t *file) {
    return file->entry->state == ENTRY_DESCRIPTOR ||
           files_is_literal(file->files);
}

bool weir__file_classify(weir_file_t *file) {
    struct entry *entry = file->entry;
    bool is_regular = S_ISREG(file->status.st_mode);
    entry->type = is_regular
                      ? WEIR_ENTRY_FILE
                      : (uint8_t)weir__type_of_mode(file->status.st_mode);
    entry->size = is_regular ? (uint64_t)file->status.st_size : 0;
    if (accepts_any_type(file)) {
        return true;
    }
    bool is_readable =
        is_regular || (entry->type == WEIR_ENTRY_BLOCK_DEVICE && entry->named);
    if (entry->type == WEIR_ENTRY_DIRECTORY) {
        file_fail(file, EISDIR);
    } else if (entry->type == WEIR_ENTRY_SYMLINK) {
        file_fail(file, ELOOP);
    } else if (!is_readable) {
        entry->outcome = WEIR_FILE_SPECIAL;
    } else if (is_excluded(file->files, &file->status)) {
        entry->state = ENTRY_EXCLUDED;
    } else {
        return true;
    }
    return false;
}

void weir__file_classify_open(weir_file_t *file, int error) {
    if (error) {
        file_fail(file, error);
        refuse_unknown(file);
    } else if (!weir__file_classify(file)) {
        file_enter(file, FILE_REFUSED);
    } else {
        file_expect(file, file->entry->size);
    }
}

/* Asks for the status. Returns 0 or an errno value. */
static int stat_open(weir_file_t *file) {
    while (fstat(file->descriptor, &file->status) != 0) {
        if (errno != ESTALE || !weir__file_reopen(file)) {
            return errno;
        }
    }
    return 0;
}

void weir__file_ensure_classified(weir_file_t *file) {
    if (!file_is_classified(file) &&
        (file->state != FILE_UNOPENED || weir__file_open(file))) {
        weir__file_classify_open(file, stat_open(file));
        if (file->state != FILE_REFUSED) {
            file_enter(file, FILE_READABLE);
        }
    }
}
