/* open_file.h: one file during its job: open, classify, read, verify. */
#pragma once

#include "files/file/change.h"
#include "files/file/links.h"
#include "files/file/mapped.h"
#include "files/processor/batch.h"

#include <assert.h>

/* The worth of times and sizes on the devices that a lane has met. */
#define DEVICES_KEPT 8

struct devices {
    uint64_t run; /* of which they are; a later run may mount others */
    size_t count;
    dev_t numbers[DEVICES_KEPT];
    uint8_t times[DEVICES_KEPT];
};

/* The part of a lane that its files use, one after the other. */
struct reader {
    void *context;     /* the user's */
    char *buffer;      /* made when first used */
    bool is_added;     /* the lane is not one of the first ones */
    bool stats_first;  /* files have their status asked for before a read */
    struct bytes memo; /* of the present file */
    struct mapped mapped;
    struct devices devices;
    uint64_t opened; /* these three are not in the counters yet */
    uint64_t bytes_expected;
    uint64_t unread;
    uint64_t bytes_at_offset; /* of the present file */
};

/* The directory of neighbouring files. */
struct open_directory {
    int descriptor; /* or -1 */
    uint64_t number;
    bool is_decided; /* for this number: it is open, or not worth it */
};

/* The states of a file during its job. Every state is entered by file_enter,
 * which checks the transition:
 *
 *     from        event                                         to
 *     UNOPENED    opened; the walk knows that it is regular     READ_FIRST
 *     UNOPENED    opened; any other, or a doubtful device       STAT_FIRST
 *     UNOPENED    the open failed, or the status of the path
 *                 is of nothing to be read                      REFUSED
 *     READ_FIRST  the first piece is read, and the status
 *                 asked for: classified                         READ_AHEAD
 *     READ_FIRST  the same, without a piece (it has no
 *                 offsets), or the job asked for the status     READABLE
 *     READ_FIRST  classified as nothing to be read, or an error REFUSED
 *     STAT_FIRST  the status is asked for: classified           READABLE
 *     STAT_FIRST  classified as nothing to be read, or an error REFUSED
 *     READ_AHEAD  the piece is handed to the job, or dropped    READABLE
 *     READ_AHEAD  the piece is handed out and is all there is   AT_END
 *     READABLE    all bytes were handed out                     AT_END
 *
 * UNOPENED may be the last state: a job need not open its file, if it is opened
 * late. In REFUSED the outcome is final, whatever the job returns. */
enum file_state {
    FILE_UNOPENED,
    FILE_READ_FIRST,
    FILE_STAT_FIRST,
    FILE_READABLE,
    FILE_READ_AHEAD, /* the buffer holds a piece that the job has not got */
    FILE_AT_END,
    FILE_REFUSED
};

struct weir_file_s {
    weir_files_t files;
    struct batch *batch;
    struct entry *entry;
    struct reader *reader;
    struct open_directory *directory;
    size_t index; /* of the entry in its batch */
    int descriptor;
    enum file_state state;
    int reopened;    /* times */
    bool needs_seek; /* the descriptor stands before the bytes read so far */
    bool is_lent;    /* the job has the descriptor */
    _Atomic bool is_given_up; /* a read failed because the run was stopped */
    _Atomic int window_error; /* of a mapped window: see mapped_file.c; or 0 */
    size_t piece;             /* in READ_AHEAD: its length */
    int piece_error;          /* in READ_AHEAD: the error of the read, or 0 */
    struct change change;
    struct link_claim claim;
    struct stat status; /* the last one, once classified */
};

/* The number of times that a path is opened again after ESTALE. */
#define REOPENED_MAX 3

static inline void file_enter(weir_file_t *file, enum file_state state) {
    static const uint8_t next[] = {
        [FILE_UNOPENED] =
            1 << FILE_READ_FIRST | 1 << FILE_STAT_FIRST | 1 << FILE_REFUSED,
        [FILE_READ_FIRST] =
            1 << FILE_READ_AHEAD | 1 << FILE_READABLE | 1 << FILE_REFUSED,
        [FILE_STAT_FIRST] = 1 << FILE_READABLE | 1 << FILE_REFUSED,
        [FILE_READABLE] = 1 << FILE_AT_END,
        [FILE_READ_AHEAD] = 1 << FILE_READABLE | 1 << FILE_AT_END,
        [FILE_AT_END] = 0,
        [FILE_REFUSED] = 0,
    };
    assert(next[file->state] & 1 << state);
    (void)next;
    file->state = state;
}

static inline bool file_is_classified(const weir_file_t *file) {
    return file->state >= FILE_READABLE;
}

static inline void file_fail(weir_file_t *file, int error) {
    file->entry->outcome = WEIR_FILE_FAILED;
    file->entry->error = error;
}

/* Called before a later read. True if the run was stopped some time ago: the
   file is given up, and the read fails with ECANCELED. */
static inline bool file_give_up(weir_file_t *file) {
    if (files_is_stopped(file->files) &&
        weir__files_is_grace_over(file->files)) {
        store_relaxed(&file->is_given_up, true);
    }
    return WEIR_UNLIKELY(load_relaxed(&file->is_given_up));
}

/* ---- counting: open_file.c --------------------------------------------- */

/* More counters that all lanes write to would cost 2 % of a run. */
#define OPENED_UNCOUNTED_MAX 16
#define BYTES_UNCOUNTED_MAX ((uint64_t)65536)

/* Adds the counts of a lane to those of the run. */
WEIR_HIDDEN void weir__reader_flush(weir_files_t files, struct reader *reader);

static inline void file_count_opened(weir_file_t *file) {
    if (++file->reader->opened >= OPENED_UNCOUNTED_MAX) {
        weir__reader_flush(file->files, file->reader);
    }
}

/* Adds to the bytes expected; a negated number subtracts. */
static inline void file_expect(weir_file_t *file, uint64_t bytes) {
    file->reader->bytes_expected += bytes;
    if (bytes >= BYTES_UNCOUNTED_MAX) {
        weir__reader_flush(file->files, file->reader);
    }
}

/* ---- opening and classifying: open_file.c ------------------------------ */

/* Returns the descriptor of the file's directory, perhaps opened now, or -1. */
WEIR_HIDDEN int weir__file_directory(weir_file_t *file);

/* Closes the directory, if it is open; the next file decides anew. */
WEIR_HIDDEN void weir__file_leave_directory(weir_file_t *file);

/* Opens the path for the first time. False if the file is refused. */
WEIR_HIDDEN bool weir__file_open(weir_file_t *file);

/* Opens the path again. False with errno if that failed. */
WEIR_HIDDEN bool weir__file_reopen(weir_file_t *file);

/* Classifies the file by `status`: true if it may be read. Else its outcome is
   final, and the caller has to refuse it. */
WEIR_HIDDEN bool weir__file_classify(weir_file_t *file);

/* Opens the file if need be, and classifies it by fstat, once. */
WEIR_HIDDEN void weir__file_ensure_classified(weir_file_t *file);

/* Called after the status of an open file was asked for, with its errno value
   or 0: classifies the file, or refuses it. */
WEIR_HIDDEN void weir__file_classify_open(weir_file_t *file, int error);

/* ---- reading: read_file.c ---------------------------------------------- */

/* Like weir__file_ensure_classified, but may read the first piece ahead. */
WEIR_HIDDEN void weir__file_ensure_classified_ahead(weir_file_t *file);

/* Returns the piece that was read ahead, or the next one. */
WEIR_HIDDEN int weir__file_next_piece(weir_file_t *file, const void **bytes,
                                      size_t *length);

/* Moves the descriptor to the bytes handed out, or sets needs_seek. */
WEIR_HIDDEN void weir__file_drop_piece(weir_file_t *file);

/* Lends the job the descriptor, unless the file is refused or a seek fails. */
WEIR_HIDDEN void weir__file_lend(weir_file_t *file);

/* Counts bytes that the job got from an offset of its own. */
static inline void file_count_at_offset(const weir_file_t *file,
                                        size_t length) {
    __atomic_fetch_add(&file->reader->bytes_at_offset, (uint64_t)length,
                       __ATOMIC_RELAXED);
    files_count(&file->files->counts.bytes, (uint64_t)length);
}

/* ---- mapping: mapped_file.c -------------------------------------------- */

/* True if the next piece is mapped, with its bytes; or with an error, if an
   earlier one could not be had. */
WEIR_HIDDEN bool weir__mapped_next(weir_file_t *file, const void **bytes,
                                   size_t *length, int *error);

/* Maps at most a window from `offset`. False: the bytes are to be read. */
WEIR_HIDDEN bool weir__mapped_open(const weir_file_t *file,
                                   struct mapped *mapped, uint64_t offset,
                                   uint64_t end);

/* Ends the window, if any, and keeps the reason for missing bytes. */
WEIR_HIDDEN void weir__mapped_close(weir_file_t *file, struct mapped *mapped);

/* Returns the size of a read: less if a window may begin before its end. */
WEIR_HIDDEN size_t weir__mapped_limit(const weir_file_t *file,
                                      const struct mapped *mapped,
                                      uint64_t offset, size_t size);

/* Called after the job, with its error. Returns that of the file. */
WEIR_HIDDEN int weir__mapped_end(weir_file_t *file, int error);

/* ---- the job: run_job.c ------------------------------------------------ */

/* Opens the file of a path, calls the job (with WEIR_FILES_OPEN_LATE first),
   and closes it. The entry has the outcome, unless the file was given up. */
WEIR_HIDDEN void weir__file_run_path(weir_file_t *file);

/* Does the same for a descriptor of the caller. */
WEIR_HIDDEN void weir__file_run_descriptor(weir_file_t *file);
