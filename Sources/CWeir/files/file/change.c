/*
 * change.c: detecting that a file changed while it was read.
 *
 * DESIGN. A status before and one after each file would cost a second fstat, 5
 * to 9 % of a run over small files. Instead the clock is read before a file is
 * opened, which is no system call, and the status once, after the first read. A
 * file whose time is older than the clock was not written to since the open.
 * The clock is CLOCK_REALTIME_COARSE, the one of the kernel's time stamps. The
 * time is st_ctime, which every write sets and no program can choose.
 *
 * A time that is not older may be that of a write just before or just after.
 * Then the lane waits until the clock has advanced, which takes one tick and
 * happens for few files, reads the same bytes again and compares. The same
 * bytes and times: the file did not change, and every later write will leave
 * another time. Rejected: to call the job again, which every job would have to
 * bear.
 *
 * A file that takes more than one read has its status compared at the end.
 * Another size or time of modification is a change, also for a log that has
 * grown. If only st_ctime differs, that is a change too, since a writer can set
 * st_mtime back. So a rename counts as a change, and another mode, owner or
 * number of links: a program that writes, sets st_mtime back and changes the
 * mode leaves the same status.
 *
 * A file that no name leads to any more was removed or replaced. A file without
 * links that was opened through /proc or /dev/stdin is still the one that its
 * path leads to.
 *
 * Times from elsewhere (file servers, FUSE, an unknown file system) cannot be
 * compared with a clock: such files have their status compared before and
 * after. In /proc and the like a file is taken as it is read.
 *
 * Some changes leave no trace in a time and go unseen: stores into a mapping
 * that was written to before; one write that began before and goes on; a clock
 * that was set back meanwhile; and, on file systems with times of a second or
 * two, a write that keeps the size within that second.
 */
#include "files/file/change.h"

#include <unistd.h>

#include "walk/open.h"

/* The number of comparisons before a file that keeps changing is given up. */
#define COMPARISONS_MAX 3

#define COMPARED_AT_ONCE ((size_t)65536)

/* ---- times ------------------------------------------------------------- */

static bool is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* True for a time of a file system that keeps whole or even seconds. */
static bool has_seconds_only(struct timespec time) {
    return time.tv_nsec % 10000000 == 0;
}

/* True if the file may have been written to since it was opened. */
static bool is_young(const struct stat *status, struct timespec opened) {
    struct timespec latest = status->st_ctim;
    if (has_seconds_only(latest)) {
        latest.tv_sec += 2;
    }
    return !is_before(latest, opened);
}

/* Returns the nanoseconds until the clock passes the time of the file; 0 if it
   has, or is more than a second away. */
static int64_t nanoseconds_until_older(const struct stat *status) {
    struct timespec now = weir__file_clock(), time = status->st_ctim;
    int64_t ahead = time.tv_nsec - now.tv_nsec + 1;
    if (time.tv_sec > now.tv_sec) {
        ahead += 1000000000;
    }
    bool is_near = time.tv_sec == now.tv_sec || time.tv_sec == now.tv_sec + 1;
    return is_near && ahead > 0 ? ahead : 0;
}

void weir__change_wait_out_tick(const struct stat *status) {
    const long tick = weir__file_clock_step();
    const struct timespec pause = {.tv_nsec = tick / 2};
    for (int i = 0; i < 8; i++) {
        int64_t left = nanoseconds_until_older(status);
        if (left == 0 || left > 2 * (int64_t)tick) {
            return;
        }
        nanosleep(&pause, NULL);
    }
}

bool weir__change_differs(const struct stat *before, const struct stat *after) {
    return before->st_size != after->st_size ||
           !weir__is_same_time(before->st_mtim, after->st_mtim) ||
           !weir__is_same_time(before->st_ctim, after->st_ctim);
}

/* ---- the first piece --------------------------------------------------- */

/* Reads the beginning of the file again. Returns 0 or an errno value. */
static int compare_bytes(int fd, const char *piece, size_t length,
                         bool *is_same) {
    char *bytes = malloc(COMPARED_AT_ONCE);
    size_t done = 0;
    int error = bytes ? 0 : ENOMEM;
    *is_same = true;
    while (!error && *is_same && done < length) {
        size_t left = length - done;
        ssize_t got =
            pread(fd, bytes, left < COMPARED_AT_ONCE ? left : COMPARED_AT_ONCE,
                  (off_t)done);
        if (got < 0) {
            error = errno == EINTR ? 0 : errno;
            continue;
        }
        *is_same = got > 0 && memcmp(bytes, piece + done, (size_t)got) == 0;
        done += (size_t)got;
    }
    free(bytes);
    return error;
}

/* Compares bytes until the status stays. Returns 0 or an errno value. */
static int compare_until_stable(struct change *change, int fd,
                                struct stat *status, const char *piece,
                                size_t length) {
    for (int i = 0; i < COMPARISONS_MAX; i++) {
        struct stat before = *status;
        bool is_same;
        weir__change_wait_out_tick(&before);
        int error = compare_bytes(fd, piece, length, &is_same);
        if (!error && fstat(fd, status) != 0) {
            error = errno;
        }
        if (error) {
            return error;
        }
        if (!is_same) {
            break;
        }
        if (!weir__change_differs(&before, status)) {
            return 0;
        }
    }
    change->state = CHANGE_FOUND;
    return 0;
}

/* True if st_size is the number of bytes to read. */
static bool has_size(const struct change *change, const struct stat *status) {
    return change->times == FILE_TIMES_LOCAL || status->st_blocks > 0;
}

int weir__change_check_piece(struct change *change, int fd, struct stat *status,
                             const char *piece, size_t length) {
    int error = 0;
    if (change->times == FILE_TIMES_FOREIGN ||
        is_young(status, change->opened)) {
        error = compare_until_stable(change, fd, status, piece, length);
    }
    off_t read = (off_t)length, size = status->st_size;
    if (read > size && has_size(change, status)) {
        change->state = CHANGE_FOUND;
    }
    if (read == size && change->state == CHANGE_WATCHED) {
        change->state = CHANGE_VERIFIED;
    }
    return error;
}

/* ---- the end ----------------------------------------------------------- */

int weir__change_compare(struct change *change, int fd, struct stat *status,
                         const uint64_t *bytes) {
    struct stat now;
    if (fstat(fd, &now) != 0) {
        if (errno != ESTALE) {
            return errno;
        }
        change->state = CHANGE_FOUND;
        return 0;
    }
    bool is_short_or_long =
        bytes && has_size(change, status) && *bytes != (uint64_t)now.st_size;
    if (weir__change_differs(status, &now) || is_short_or_long) {
        change->state = CHANGE_FOUND;
    }
    *status = now;
    return 0;
}

int weir__change_find_removal(const char *path, size_t root_length,
                              size_t length, const struct stat *status,
                              bool *is_removed) {
    struct stat now;
    int error = weir__stat_in_tree(path, root_length, length, &now);
    bool is_missing = error == ENOENT || error == ENOTDIR || error == ELOOP;
    /* A new file may have the inode of the old one, but has a link. */
    *is_removed = is_missing || (!error && (now.st_ino != status->st_ino ||
                                            now.st_dev != status->st_dev ||
                                            now.st_nlink > 0));
    return is_missing ? 0 : error;
}

bool weir__change_is_certain(const struct change *change,
                             const struct stat *status) {
    return change->state >= CHANGE_WATCHED &&
           !(has_seconds_only(status->st_ctim) &&
             is_young(status, change->opened));
}
