/*
 * reader.h: what the parts of reading share: the stride loop (reader.c), one
 * open file (opened.c), whether it changed (change.c), its other names
 * (links.c), and what a job can ask of it (file.c).
 */
#ifndef WEIR_INTERNAL_READER_H
#define WEIR_INTERNAL_READER_H

#include "files/change.h"
#include "files/processor.h"

/* What a lane is at, for who asks. */
struct busy {
    struct busy *next;
    size_t lane;
    _Atomic(struct stride *) stride; /* or NULL */
    _Atomic size_t index;            /* of the entry */
    _Atomic uint64_t since;          /* of CLOCK_MONOTONIC_COARSE */
};

/* What a lane owns. */
struct reader {
    struct busy busy;
    void *context; /* the user's */
    void (*destroy)(void *context);
    char *buffer;     /* made when first used */
    bool looks_first; /* files are looked at before they are read */
    struct devices devices;
    struct bytes memo;  /* of the file that it is at */
    struct bytes order; /* of the stride's files */
    struct bytes name;  /* of a directory */
    uint64_t opened;    /* what the figures do not have yet */
    uint64_t bytes_expected;
    uint64_t unread;
    uint64_t apart; /* bytes of its file that were read at an offset */
};

/* A directory that is open for the files of a stride. */
struct open_directory {
    int descriptor; /* or -1 */
    uint64_t number;
    bool decided; /* for this number: opened, or not worth it */
};

struct weir_file_s {
    struct stride *stride;
    struct entry *entry;
    struct reader *reader;
    size_t index;    /* of the entry in its stride */
    bool *may_split; /* whether the rest of the stride may be split off */
    struct open_directory *directory; /* in which its name may be */
    int descriptor;
    int reopened;     /* how many times */
    bool was_opened;  /* or it was tried */
    bool looks_first; /* it is looked at before it is read */
    bool is_settled;  /* status stands, or the file is refused */
    bool is_refused;  /* what became of it stands, whatever the job says */
    bool is_at_end;   /* nothing is left to read */
    bool has_piece;   /* the buffer holds a piece that was not handed out */
    size_t piece;     /* its length */
    int piece_error;  /* or why it could not be read */
    bool is_behind;   /* the descriptor is, of what was read */
    bool is_lent;     /* the descriptor was handed out */
    struct watch watch;
    struct linked linked;
    struct stat status; /* as last seen */
};

/* ---- reader.c ---------------------------------------------------------- */

/* A file of this size, or so much read, and the rest of the stride is split
   off. */
#define SPLIT_BYTES ((uint64_t)1 << 20)

/* Sees to it that the file's directory is open, where that is worth it and
   permitted. */
WEIR_HIDDEN void weir__reader_open_directory(weir_file_t *file);

/* The file's directory, or -1 where it is not open. */
static inline int file_directory(weir_file_t *file) {
    const struct open_directory *directory = file->directory;
    if (WEIR_UNLIKELY(!directory->decided ||
                      directory->number != file->entry->directory)) {
        weir__reader_open_directory(file);
    }
    return directory->descriptor;
}

/* What a lane has counted by itself is the figures', when there is something to
   it: more counters that all lanes write to for each small file would cost 2 %
   of a run. */
#define OPENED_UNCOUNTED_MAX 16
#define BYTES_UNCOUNTED_MAX ((uint64_t)65536)

WEIR_HIDDEN void weir__reader_flush(weir_file_t *file);

static inline void file_count_opened(weir_file_t *file) {
    if (++file->reader->opened >= OPENED_UNCOUNTED_MAX) {
        weir__reader_flush(file);
    }
}

/* So much is to be read or, negated, is not. */
static inline void file_expect(weir_file_t *file, uint64_t bytes) {
    file->reader->bytes_expected += bytes;
    if (bytes >= BYTES_UNCOUNTED_MAX) {
        weir__reader_flush(file);
    }
}

/* Splits off what is behind the file, unless that was done. */
WEIR_HIDDEN void weir__reader_split(weir_file_t *file);

/* ---- opened.c ---------------------------------------------------------- */

/* Opens the file, by its name in its directory where that is open, else by its
   path; calls the job; closes. The entry says what became of it. Where files are
   opened late the job comes first. */
WEIR_HIDDEN void weir__opened_path(weir_file_t *file);

/* The same for a descriptor of the caller's. */
WEIR_HIDDEN void weir__opened_descriptor(weir_file_t *file);

/* Opens the file if that was put off. */
WEIR_HIDDEN void weir__opened_open(weir_file_t *file);

/* Finds out what the file is, unless that is known. Opens it if need be. */
WEIR_HIDDEN void weir__opened_settle(weir_file_t *file);

/* Judges by its status what the file is. Whether it is to be read; if not, it is
   refused. */
WEIR_HIDDEN bool weir__opened_judge(weir_file_t *file);

/* Whether opening it would follow a symbolic link. */
WEIR_HIDDEN bool weir__opened_follows(const weir_file_t *file);

/* The same, and has read the first piece where that was as well done before. */
WEIR_HIDDEN void weir__opened_settle_ahead(weir_file_t *file);

/* Reads the next piece into the lane's buffer; at most its size. Returns 0 or
   an errno value. */
WEIR_HIDDEN int weir__opened_read(weir_file_t *file, size_t *length);

/* What was read and not handed out counts as not read. */
WEIR_HIDDEN void weir__opened_drop_piece(weir_file_t *file);

/* The job is to get the descriptor: it stands behind what was handed out. */
WEIR_HIDDEN void weir__opened_lend(weir_file_t *file);

WEIR_HIDDEN void weir__opened_fail(weir_file_t *file, int error);

/* The same, whatever the job says. */
WEIR_HIDDEN void weir__opened_refuse(weir_file_t *file, int error);

/* How often a path is tried again where the server of files says that what it
   led to is stale. */
#define REOPENED_MAX 3

/* ---- busy.c ------------------------------------------------------------ */

/* A lane that is to be asked what it is at. */
WEIR_HIDDEN void weir__busy_add(weir_files_t files, struct reader *reader,
                                size_t lane);

/* It is at that entry; or at nothing any more, before the stride is finished. */
WEIR_HIDDEN void weir__busy_at(struct reader *reader, struct stride *stride,
                               size_t index);
WEIR_HIDDEN void weir__busy_end(struct reader *reader);

/* ---- file.c ------------------------------------------------------------ */

/* What the job set is dropped. */
WEIR_HIDDEN void weir__file_drop_value(weir_file_t *file);

#endif /* WEIR_INTERNAL_READER_H */
