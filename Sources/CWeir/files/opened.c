/*
 * opened.c: one file: opening it, finding out what it is, reading it, and what
 * becomes of it.
 *
 * DESIGN. Four system calls for a small file: openat, read, fstat, close. The
 * fstat comes after the first read, and tells at once what it is, how big, and
 * whether all of it has been read; before the read, there would have to be a
 * second one to see whether the file changed meanwhile, and each is 5 to 9 %
 * of a run over small files. So a file is opened, and settled when its job
 * first asks. A job that never asks has its file settled when it has returned:
 * what is no regular file, or excluded, is so in any case, and what the job
 * said of it is dropped.
 *
 * Read before it is looked at is what the walk knows to be a regular file.
 * Where something else has taken its place since, the read does no harm: it is
 * opened O_NONBLOCK, so that a FIFO cannot hang anything. A name that nobody has
 * looked at is read with pread, which takes nothing out of a FIFO or a terminal.
 * Everything else is looked at first, also what has the inode number of one of
 * the excluded, and its job is not even called where it is nothing to be read.
 *
 * Opened late, a file is opened by the same steps, only in the middle of its job.
 * A job has been called by then, and so the type is told when it reads. Who wants
 * to know before asks for a look (look.c): that is one call, where open, fstat
 * and close are three, and a file that is as a former run has found it is not
 * opened at all. Rejected: to give the job what the walk knows instead of a look:
 * the walk knows no size and no time.
 *
 * ESTALE, which a server of files says of what it has replaced, is answered by
 * opening the path again, a few times; what was handed to the job already
 * stands only where it is the same file, unchanged.
 */
#include "files/reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "walk/open.h"

/* How long another process may take to give up a lease on a file: by default
   the kernel ends it after 45 seconds. */
#define LEASE_TRIES 12000
#define LEASE_PAUSE_MS 5

/* How long a run that was stopped may go unnoticed in a pipe. */
#define WAIT_MS 100

void weir__opened_fail(weir_file_t *file, int error) {
    file->entry->outcome = WEIR_FILE_FAILED;
    file->entry->error = error;
}

void weir__opened_refuse(weir_file_t *file, int error) {
    file->is_refused = true;
    weir__opened_fail(file, error);
}

/* ---- opening ----------------------------------------------------------- */

bool weir__opened_follows(const weir_file_t *file) {
    return file->entry->named ||
           (file->stride->files->options.flags & WEIR_FILES_FOLLOW);
}

static int open_flags(const weir_file_t *file) {
    return O_RDONLY | O_NOCTTY |
           (files_are_literal(file->stride->files) ? 0 : O_NONBLOCK) |
           (weir__opened_follows(file) ? 0 : O_NOFOLLOW);
}

static int open_once(weir_file_t *file, int directory) {
    struct entry *entry = file->entry;
    weir__change_begin(file);
    size_t offset = directory >= 0 ? entry->name_offset : 0;
    return weir__open(directory >= 0 ? directory : AT_FDCWD,
                      entry_path(file->stride, entry) + offset,
                      entry->path_length - offset, open_flags(file));
}

/* Opens a file, relative to its directory where that is open. A server of files
   may hold a lease on it for somebody; the first try has it called back, and
   without O_NONBLOCK open would wait for that. */
static int open_file(weir_file_t *file, int directory) {
    const struct timespec pause = {.tv_nsec = LEASE_PAUSE_MS * 1000000};
    int fd = open_once(file, directory);
    for (int i = 0; fd == -EAGAIN && i < LEASE_TRIES &&
                    !files_stopped(file->stride->files);
         i++) {
        nanosleep(&pause, NULL);
        fd = open_once(file, directory);
    }
    return fd;
}

/* Opens the path again. Whether that was possible; if not, errno says why. */
static bool reopen(weir_file_t *file) {
    if (file->entry->state != ENTRY_PATH || file->reopened == REOPENED_MAX) {
        errno = ESTALE;
        return false;
    }
    file->reopened++;
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    file->descriptor = open_file(file, -1);
    if (file->descriptor < 0) {
        errno = -file->descriptor;
        return errno == ESTALE && reopen(file);
    }
    return true;
}

/* ---- opening first, or late ----------------------------------------- */

/* Whether the inode number is that of one. */
static bool may_be_excluded(weir_files_t files, uint64_t inode) {
    bool may_be = false;
    for (size_t i = 0; i < files->options.exclude_count; i++) {
        may_be = may_be || files->excluded[i].inode == inode;
    }
    return may_be;
}

static bool must_look_first(const weir_file_t *file) {
    const struct entry *entry = file->entry;
    weir_files_t files = file->stride->files;
    bool is_readable =
        entry->type == WEIR_ENTRY_FILE ||
        (entry->type == WEIR_ENTRY_UNKNOWN && !files_are_literal(files));
    return entry->state != ENTRY_PATH || !is_readable ||
           file->reader->looks_first || may_be_excluded(files, entry->inode);
}

/* A socket cannot be opened at all, and an error there says little. A device
   without a driver has the same error, but is known for what it is. */
static void explain_failure(weir_file_t *file, int error) {
    bool may_be_socket = file->entry->type != WEIR_ENTRY_BLOCK_DEVICE &&
                         file->entry->type != WEIR_ENTRY_CHARACTER_DEVICE;
    if (error == ENXIO && may_be_socket &&
        !files_are_literal(file->stride->files)) {
        file->entry->outcome = WEIR_FILE_SPECIAL;
        file->entry->type = WEIR_ENTRY_SOCKET;
    } else {
        weir__opened_fail(file, error);
    }
}

/* Opens the path for the first time. Whether it is open; if not, what became of
   it stands. */
static bool open_first(weir_file_t *file) {
    file->was_opened = true;
    file->descriptor = open_file(file, file_directory(file));
    if (file->descriptor == -ESTALE) {
        reopen(file);
    }
    if (file->descriptor < 0) {
        file->is_settled = file->is_refused = true;
        explain_failure(file, -file->descriptor);
        return false;
    }
    file_count_opened(file);
    file->looks_first = must_look_first(file);
    return true;
}

/* Opens the file if that was put off. */
static bool is_open(weir_file_t *file) {
    return file->was_opened || open_first(file);
}

void weir__opened_open(weir_file_t *file) { is_open(file); }

/* ---- what it is -------------------------------------------------------- */

static bool is_excluded(weir_files_t files, const struct stat *status) {
    for (size_t i = 0; i < files->options.exclude_count; i++) {
        if (files->excluded[i].inode == status->st_ino &&
            files->excluded[i].device == status->st_dev) {
            return true;
        }
    }
    return false;
}

/* What is read as it is, whatever that may be. */
static bool is_taken_as_it_is(const weir_file_t *file) {
    return file->entry->state == ENTRY_DESCRIPTOR ||
           files_are_literal(file->stride->files);
}

bool weir__opened_judge(weir_file_t *file) {
    struct entry *entry = file->entry;
    bool is_regular = S_ISREG(file->status.st_mode);
    entry->type = is_regular
                      ? WEIR_ENTRY_FILE
                      : (uint8_t)weir__type_of_mode(file->status.st_mode);
    entry->size = is_regular ? (uint64_t)file->status.st_size : 0;
    if (is_taken_as_it_is(file)) {
        return true;
    }
    bool is_readable =
        is_regular || (entry->type == WEIR_ENTRY_BLOCK_DEVICE && entry->named);
    if (entry->type == WEIR_ENTRY_DIRECTORY) {
        weir__opened_refuse(file, EISDIR);
    } else if (entry->type == WEIR_ENTRY_SYMLINK) {
        weir__opened_refuse(file, ELOOP);
    } else if (!is_readable) {
        file->is_refused = true;
        entry->outcome = WEIR_FILE_SPECIAL;
    } else if (is_excluded(file->stride->files, &file->status)) {
        file->is_refused = true;
        entry->state = ENTRY_EXCLUDED;
    }
    return !file->is_refused;
}

/* What is done with an open file depends on what it turns out to be. */
static void sort_out(weir_file_t *file) {
    if (weir__opened_judge(file)) {
        file_expect(file, file->entry->size);
        if (file->entry->size >= SPLIT_BYTES && !is_taken_as_it_is(file)) {
            weir__reader_split(file);
        }
    }
}

/* Asks for the status. Returns 0 or an errno value. */
static int look(weir_file_t *file) {
    while (fstat(file->descriptor, &file->status) != 0) {
        if (errno != ESTALE || !reopen(file)) {
            return errno;
        }
    }
    return 0;
}

void weir__opened_settle(weir_file_t *file) {
    if (file->is_settled || !is_open(file)) {
        return;
    }
    file->is_settled = true;
    int error = look(file);
    if (error) {
        weir__opened_refuse(file, error);
    } else {
        sort_out(file);
    }
}

/* ---- reading ----------------------------------------------------------- */

/* The kernel copies into a page-aligned buffer half as fast again as into one
   of malloc's, which begins 16 bytes into a page. */
static bool make_buffer(struct reader *reader, size_t size) {
    void *buffer = NULL;
    if (posix_memalign(&buffer, (size_t)sysconf(_SC_PAGESIZE), size) != 0) {
        return false;
    }
    reader->buffer = buffer;
    return true;
}

/* Reads from where the descriptor stands, or first, where it is not known what
   that is, from the beginning. */
static ssize_t read_some(weir_file_t *file, size_t size) {
    bool is_known = file->is_settled || file->entry->type == WEIR_ENTRY_FILE;
    file->is_behind = !is_known;
    return is_known ? read(file->descriptor, file->reader->buffer, size)
                    : pread(file->descriptor, file->reader->buffer, size, 0);
}

/* Whether a read is to be tried again, of a descriptor of the caller's that does
   not block and had nothing to give just now. */
static bool waits_for_more(const weir_file_t *file) {
    weir_files_t files = file->stride->files;
    if (errno != EAGAIN || file->entry->state != ENTRY_DESCRIPTOR ||
        files_are_literal(files)) {
        return false;
    }
    struct pollfd more = {.fd = file->descriptor, .events = POLLIN};
    int ready = 0;
    while (ready == 0 && !files_stopped(files)) {
        ready = poll(&more, 1, WAIT_MS);
        ready = ready < 0 && errno == EINTR ? 0 : ready;
    }
    errno = ready == 0 ? ECANCELED : EAGAIN;
    return ready > 0;
}

/* Fills the buffer once. Returns 0 or an errno value. */
static int read_once(weir_file_t *file, size_t *length) {
    struct reader *reader = file->reader;
    size_t size = file->stride->files->buffer_size;
    if (!reader->buffer && !make_buffer(reader, size)) {
        return ENOMEM;
    }
    ssize_t got;
    do {
        got = read_some(file, size);
    } while (got < 0 && (errno == EINTR || waits_for_more(file)));
    *length = got < 0 ? 0 : (size_t)got;
    return got < 0 ? errno : 0;
}

/* Counts what was read, and sees whether that is all: then there is no need to
   ask for the end. */
static void count_read(weir_file_t *file, size_t length) {
    struct entry *entry = file->entry;
    entry->bytes += length;
    files_count(&file->stride->files->bytes, length);
    file->is_at_end =
        length == 0 ||
        (entry->state == ENTRY_PATH && S_ISREG(file->status.st_mode) &&
         entry->bytes > 0 && entry->bytes == (uint64_t)file->status.st_size);
}

/* Whether what is open now, instead of something stale, is that file still;
   then it stands where the other one stood. */
static bool resume(weir_file_t *file) {
    struct stat status;
    if (!reopen(file) || fstat(file->descriptor, &status) != 0) {
        return false;
    }
    const struct stat *before = &file->status;
    if (status.st_dev != before->st_dev || status.st_ino != before->st_ino ||
        weir__change_differs(before, &status)) {
        errno = ESTALE;
        return false;
    }
    return lseek(file->descriptor, (off_t)file->entry->bytes, SEEK_SET) >= 0;
}

int weir__opened_read(weir_file_t *file, size_t *length) {
    weir__change_before_reading(file);
    if (file->is_behind) {
        lseek(file->descriptor, (off_t)file->entry->bytes, SEEK_SET);
    }
    int error = read_once(file, length);
    while (error == ESTALE) {
        error = resume(file) ? read_once(file, length) : errno;
        if (error != ESTALE || file->reopened == REOPENED_MAX) {
            break;
        }
    }
    if (!error) {
        count_read(file, *length);
    }
    return error;
}

/* Reads, and then looks at what that was. */
static void settle_by_reading(weir_file_t *file) {
    int error = 0, looked = 0;
    do {
        error = read_once(file, &file->piece);
        looked = fstat(file->descriptor, &file->status) != 0 ? errno : 0;
    } while ((error == ESTALE || looked == ESTALE) && reopen(file));
    file->is_settled = true;
    if (file->descriptor < 0 || looked) {
        weir__opened_refuse(file,
                            file->descriptor < 0 ? -file->descriptor : looked);
        return;
    }
    sort_out(file);
    if (!file->is_refused && error == ESPIPE) {
        file->is_behind = false; /* a file that can only be read on and on */
    } else if (!file->is_refused) {
        file->has_piece = true;
        file->piece_error = error ? error : weir__change_after_piece(file);
        if (!file->piece_error) {
            count_read(file, file->piece);
        }
    }
}

void weir__opened_settle_ahead(weir_file_t *file) {
    if (!file->is_settled && is_open(file)) {
        if (file->looks_first) {
            weir__opened_settle(file);
        } else {
            settle_by_reading(file);
        }
    }
}

void weir__opened_drop_piece(weir_file_t *file) {
    if (file->has_piece && !file->piece_error) {
        file->entry->bytes -= file->piece;
        files_count(&file->stride->files->bytes, -(uint64_t)file->piece);
        file->has_piece = file->is_at_end = false;
        file->watch.is_certain = false; /* of what is read once more */
        file->is_behind = true;
    }
    if (file->is_behind) {
        lseek(file->descriptor, (off_t)file->entry->bytes, SEEK_SET);
        file->is_behind = false;
    }
}

void weir__opened_lend(weir_file_t *file) {
    if (file->is_refused) {
        return;
    }
    weir__opened_drop_piece(file);
    weir__change_before_reading(file);
    file->is_lent = true;
}

/* ---- one file ---------------------------------------------------------- */

static void run_job(weir_file_t *file) {
    weir_files_t files = file->stride->files;
    struct entry *entry = file->entry;
    struct bytes *output = &file->stride->output;
    entry->output = output->used;
    file->reader->apart = 0;
    int error =
        files->options.job(files->options.user, file->reader->context, file);
    if (file->was_opened && !file->is_settled) {
        weir__opened_settle(file);
    }
    if (file->is_refused) {
        /* stands */
    } else if (error) {
        weir__opened_fail(file, error);
    } else if (!file->was_opened) {
        entry->outcome = WEIR_FILE_DONE;
        file->reader->unread++;
    } else {
        entry->outcome = WEIR_FILE_DONE;
        weir__change_end(file);
        if (entry->type == WEIR_ENTRY_FILE) {
            entry->size = (uint64_t)file->status.st_size;
        }
    }
    if (file->linked.claim || file->linked.is_known) {
        weir__links_end(file);
    }
    entry->bytes += file->reader->apart;
    if (!file->is_refused && entry->outcome == WEIR_FILE_DONE) {
        entry->output_length = output->used - entry->output;
    } else {
        output->used = entry->output;
        weir__file_drop_value(file);
    }
}

void weir__opened_path(weir_file_t *file) {
    if (files_open_late(file->stride->files)) {
        run_job(file);
    } else if (open_first(file)) {
        if (file->looks_first) {
            weir__opened_settle(file);
        }
        if (!file->is_refused) {
            run_job(file);
        }
    }
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
}

void weir__opened_descriptor(weir_file_t *file) {
    file->was_opened = true;
    file->descriptor = file->entry->descriptor;
    file_count_opened(file);
    weir__opened_settle(file);
    if (!file->is_refused) {
        run_job(file);
    }
}
