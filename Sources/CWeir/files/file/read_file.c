/*
 * read_file.c: reading one open file piece by piece.
 *
 * DESIGN. The kernel reads a file ahead that is read in order, at least as far
 * as the last read was long. So a lane that reads half a megabyte at a time has
 * the next half on its way while its job works on this one: over a file of 512
 * MiB on a virtual disk with a cold cache, a lane that hashes takes as long as
 * cat. Rejected: posix_fadvise. The call itself waits for room in the queue of
 * the disk, and in a warm cache it costs 10 us a megabyte.
 */
#include "files/file/open_file.h"

#include <poll.h>
#include <unistd.h>

/* A stop of the run is noticed within this time. */
#define WAIT_MS 100

/* The kernel copies half as fast again into a page-aligned buffer. */
static bool make_buffer(struct reader *reader, size_t size) {
    void *buffer = NULL;
    if (posix_memalign(&buffer, (size_t)sysconf(_SC_PAGESIZE), size) != 0) {
        return false;
    }
    reader->buffer = buffer;
    return true;
}

/* Reads on; by pread if the file may be a FIFO or a terminal. */
static ssize_t read_some(weir_file_t *file, size_t size) {
    bool is_known =
        file_is_classified(file) || file->entry->type == WEIR_ENTRY_FILE;
    file->needs_seek = !is_known;
    return is_known ? read(file->descriptor, file->reader->buffer, size)
                    : pread(file->descriptor, file->reader->buffer, size, 0);
}

/* Waits for bytes of a descriptor that does not block. False, with errno, for
   any other one, or if the run is stopped: then the file is given up. */
static bool wait_for_more(weir_file_t *file) {
    if (errno != EAGAIN || file->entry->state != ENTRY_DESCRIPTOR ||
        files_is_literal(file->files)) {
        return false;
    }
    struct pollfd more = {.fd = file->descriptor, .events = POLLIN};
    int ready = 0;
    while (ready == 0 && !files_is_stopped(file->files)) {
        ready = poll(&more, 1, WAIT_MS);
        ready = ready < 0 && errno == EINTR ? 0 : ready;
    }
    if (ready == 0) {
        file->is_given_up = true;
    }
    errno = ready == 0 ? ECANCELED : EAGAIN;
    return ready > 0;
}

/* Fills the buffer once. Returns 0 or an errno value. */
static int read_once(weir_file_t *file, size_t *length) {
    struct reader *reader = file->reader;
    size_t size = reader->is_added ? file->files->added_buffer_size
                                   : file->files->buffer_size;
    if (!reader->buffer && !make_buffer(reader, size)) {
        return ENOMEM;
    }
    ssize_t got;
    size = weir__mapped_limit(file, &reader->mapped, file->entry->bytes, size);
    do {
        got = read_some(file, size);
    } while (got < 0 && (errno == EINTR || wait_for_more(file)));
    *length = got < 0 ? 0 : (size_t)got;
    return got < 0 ? errno : 0;
}

static void count_piece(weir_file_t *file, size_t length) {
    file->entry->bytes += length;
    files_count(&file->files->counts.bytes, length);
}

/* True if no read has to ask for the end after a piece of this length. */
static bool is_last(const weir_file_t *file, size_t length) {
    const struct entry *entry = file->entry;
    return length == 0 ||
           (entry->state == ENTRY_PATH && S_ISREG(file->status.st_mode) &&
            entry->bytes > 0 && entry->bytes == (uint64_t)file->status.st_size);
}

/* Moves the descriptor to the bytes read. Returns 0 or an errno value. */
static int seek_to_bytes_read(const weir_file_t *file) {
    off_t offset = (off_t)file->entry->bytes;
    return lseek(file->descriptor, offset, SEEK_SET) < 0 ? errno : 0;
}

/* ---- watching for a change --------------------------------------------- */

/* Returns the worth of the times of an open file, asked for once a device. */
static enum weir__file_times file_times(struct devices *devices, uint64_t run,
                                        int fd, const struct stat *status) {
    if (devices->run != run) {
        devices->run = run;
        devices->count = 0;
    }
    size_t known =
        devices->count < DEVICES_KEPT ? devices->count : DEVICES_KEPT;
    for (size_t i = 0; i < known; i++) {
        if (devices->numbers[i] == status->st_dev) {
            return (enum weir__file_times)devices->times[i];
        }
    }
    size_t place = devices->count++ % DEVICES_KEPT;
    devices->numbers[place] = status->st_dev;
    devices->times[place] = (uint8_t)weir__file_times_of(fd);
    return (enum weir__file_times)devices->times[place];
}

/* Decides how to watch the file, which is classified. True if it is watched. */
static bool watch(weir_file_t *file) {
    struct change *change = &file->change;
    change->state = CHANGE_IGNORED;
    if (S_ISREG(file->status.st_mode) && !files_is_literal(file->files)) {
        change->times = file_times(&file->reader->devices, file->files->run,
                                   file->descriptor, &file->status);
        if (change->times != FILE_TIMES_NONE) {
            change->state = CHANGE_WATCHED;
            file->reader->stats_first = change->times == FILE_TIMES_FOREIGN;
        }
    }
    return change->state == CHANGE_WATCHED;
}

static void watch_before_read(weir_file_t *file) {
    if (file->change.state == CHANGE_UNDECIDED && watch(file) &&
        file->entry->state == ENTRY_PATH) {
        weir__change_wait_out_tick(&file->status);
    }
}

/* ---- pieces ------------------------------------------------------------ */

/* Reads first, then asks for the status. */
static void read_ahead(weir_file_t *file) {
    int error = 0, stat_error = 0;
    do {
        error = read_once(file, &file->piece);
        stat_error = fstat(file->descriptor, &file->status) != 0 ? errno : 0;
    } while ((error == ESTALE || stat_error == ESTALE) &&
             weir__file_reopen(file));
    weir__file_classify_open(file, file->descriptor < 0 ? errno : stat_error);
    if (file->state == FILE_REFUSED) {
        return;
    }
    if (error == ESPIPE) { /* it has no offsets, so nothing was read */
        file->needs_seek = false;
        file_enter(file, FILE_READABLE);
        return;
    }
    file_enter(file, FILE_READ_AHEAD);
    if (!error && watch(file)) {
        error = weir__change_check_piece(&file->change, file->descriptor,
                                         &file->status, file->reader->buffer,
                                         file->piece);
    }
    file->piece_error = error;
    if (!error) {
        count_piece(file, file->piece);
    }
}

void weir__file_ensure_classified_ahead(weir_file_t *file) {
    if (file->state == FILE_UNOPENED) {
        weir__file_open(file);
    }
    if (file->state == FILE_READ_FIRST) {
        read_ahead(file);
    } else {
        weir__file_ensure_classified(file);
    }
}

/* Opens the same file again instead of a stale descriptor, if it is there. */
static int resume(weir_file_t *file) {
    struct stat status;
    if (!weir__file_reopen(file) || fstat(file->descriptor, &status) != 0) {
        return errno;
    }
    const struct stat *before = &file->status;
    if (status.st_dev != before->st_dev || status.st_ino != before->st_ino ||
        weir__change_differs(before, &status)) {
        return ESTALE;
    }
    return seek_to_bytes_read(file);
}

static int read_next(weir_file_t *file, const void **bytes, size_t *length) {
    int error = 0;
    if (file_give_up(file)) {
        return ECANCELED;
    }
    watch_before_read(file);
    if (weir__mapped_next(file, bytes, length, &error)) {
        count_piece(file, *length);
        return error;
    }
    error = file->needs_seek ? seek_to_bytes_read(file) : 0;
    error = error ? error : read_once(file, length);
    *bytes = file->reader->buffer;
    /* A descriptor of the caller has no path to open again. */
    while (error == ESTALE && file->entry->state == ENTRY_PATH &&
           file->reopened < REOPENED_MAX) {
        error = resume(file);
        error = error ? error : read_once(file, length);
    }
    if (!error) {
        count_piece(file, *length);
    }
    return error;
}

int weir__file_next_piece(weir_file_t *file, const void **bytes,
                          size_t *length) {
    int error;
    if (file->state == FILE_READ_AHEAD) {
        *bytes = file->reader->buffer;
        *length = file->piece;
        error = file->piece_error;
        file_enter(file, FILE_READABLE);
    } else {
        error = read_next(file, bytes, length);
    }
    if (!error && is_last(file, *length)) {
        file_enter(file, FILE_AT_END);
    }
    return error;
}

void weir__file_drop_piece(weir_file_t *file) {
    /* An error of reading ahead is kept for the next read. */
    if (file->state == FILE_READ_AHEAD && !file->piece_error) {
        count_piece(file, -file->piece);
        file->needs_seek = true;
        if (file->change.state == CHANGE_VERIFIED) {
            file->change.state = CHANGE_WATCHED;
        }
        file_enter(file, FILE_READABLE);
    }
    file->needs_seek = file->needs_seek && seek_to_bytes_read(file) != 0;
}

void weir__file_lend(weir_file_t *file) {
    if (file->state != FILE_REFUSED) {
        weir__file_drop_piece(file);
        watch_before_read(file);
        file->is_lent = !file->needs_seek;
    }
}
