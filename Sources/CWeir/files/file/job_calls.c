/* job_calls.c: the calls that a job makes on its file (weir/file.h). */
#include "files/file/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "walk/open.h"

const char *weir_file_path(const weir_file_t *file, size_t *length) {
    if (length) {
        *length = file->entry->path_length;
    }
    return entry_path(file->batch, file->entry);
}

const void *weir_file_note(const weir_file_t *file, size_t *length) {
    if (length) {
        *length = file->entry->note_length;
    }
    return entry_note(file->batch, file->entry);
}

int weir_file_descriptor(const weir_file_t *file) {
    weir_file_t *asked = (weir_file_t *)file;
    weir__file_ensure_classified(asked);
    weir__file_lend(asked);
    bool is_ready = file->is_lent || file->state == FILE_REFUSED;
    return is_ready ? file->descriptor : -1;
}

const struct stat *weir_file_status(const weir_file_t *file) {
    weir__file_ensure_classified((weir_file_t *)file);
    return &file->status;
}

/* Returns an error to report for a file that is refused. */
static int error_of_refused(const weir_file_t *file) {
    return file->entry->error ? file->entry->error : ECANCELED;
}

/* ---- the status of the path -------------------------------------------- */

/* Asks for the status, relative to the file's directory if that is open. */
static int stat_in(const weir_file_t *file, int directory,
                   struct stat *status) {
    const struct entry *entry = file->entry;
    const char *path = entry_path(file->batch, entry);
    size_t offset = entry->name_offset, length = entry->path_length;
    int error;
    do {
        error =
            directory < 0
                ? weir__stat_in_tree(path, entry->root_length, length, status)
                : weir__stat_at(directory, path + offset, length - offset,
                                status, entry_follows_links(entry));
    } while (error == EINTR);
    return error;
}

int weir_file_stat_path(weir_file_t *file, struct stat *status) {
    if (file->state != FILE_UNOPENED) {
        weir__file_ensure_classified(file);
        *status = file->status;
        return file->status.st_mode != 0 ? 0 : error_of_refused(file);
    }
    int error = stat_in(file, weir__file_directory(file), status);
    for (int i = 0; error == ESTALE && i < REOPENED_MAX; i++) {
        weir__file_leave_directory(file); /* it may be stale */
        error = stat_in(file, -1, status);
    }
    if (!error) {
        file->status = *status;
        if (!weir__file_classify(file)) {
            file_enter(file, FILE_REFUSED);
        }
    }
    return error;
}

/* ---- reading ----------------------------------------------------------- */

int weir_file_read(weir_file_t *file, const void **bytes, size_t *length) {
    *bytes = NULL;
    *length = 0;
    weir__file_ensure_classified_ahead(file);
    if (file->state == FILE_REFUSED) {
        return error_of_refused(file);
    }
    if (file->state == FILE_AT_END) {
        return 0;
    }
    return weir__file_next_piece(file, bytes, length);
}

/* Other threads call this too, so nothing but atomic fields is written to. */
int weir_file_read_at(const weir_file_t *file, uint64_t offset, void *bytes,
                      size_t size, size_t *length) {
    *length = 0;
    if (!file->is_lent) {
        return EBADF;
    }
    if (file_give_up((weir_file_t *)file)) {
        return ECANCELED;
    }
    ssize_t got;
    do {
        got = pread(file->descriptor, bytes, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno;
    }
    *length = (size_t)got;
    file_count_at_offset(file, (size_t)got);
    return 0;
}

/* ---- output ------------------------------------------------------------ */

char *weir_file_reserve(weir_file_t *file, size_t length) {
    return weir__bytes_reserve(&file->batch->output, length);
}

void weir_file_commit(weir_file_t *file, size_t length) {
    struct bytes *output = &file->batch->output;
    if (length > output->capacity - output->used) {
        weir__misuse("a job of the file processor \"%s\" committed %zu bytes "
                     "of output where %zu were reserved",
                     file->files->object.label, length,
                     output->capacity - output->used);
    }
    output->used += length;
}

int weir_file_write(weir_file_t *file, const void *bytes, size_t length) {
    char *room = weir_file_reserve(file, length);
    if (!room) {
        return ENOMEM;
    }
    if (length > 0) {
        memcpy(room, bytes, length);
    }
    weir_file_commit(file, length);
    return 0;
}

void weir_file_set_value(weir_file_t *file, void *value) {
    weir__entry_drop_value(file->batch, file->entry);
    file->entry->value = value;
}

/* ---- other names ------------------------------------------------------- */

/* Returns the status if the file is known to have other names, else NULL. */
static const struct stat *status_if_linked(const weir_file_t *file) {
    bool is_linked = file->status.st_nlink > 1 && file->state != FILE_REFUSED &&
                     file->entry->state == ENTRY_PATH &&
                     S_ISREG(file->status.st_mode) &&
                     !files_is_literal(file->files);
    return is_linked ? &file->status : NULL;
}

static void ask_for_memo(weir_file_t *file) {
    struct links *links = file->files->links;
    struct link_claim *claim = &file->claim;
    uint64_t inode = file->entry->inode;
    if (file->state == FILE_READ_FIRST && inode != 0) {
        if (weir__links_may_read(links, claim, inode)) {
            weir__file_ensure_classified_ahead(file);
            weir__links_claim(links, claim, status_if_linked(file));
            return;
        }
    } else if (file->state == FILE_READ_FIRST && !weir__links_is_used(links)) {
        weir__file_ensure_classified_ahead(file);
    }
    weir__file_ensure_classified(file);
    weir__links_resolve(links, claim, status_if_linked(file),
                        &file->reader->memo);
    if (claim->state == LINK_KNOWN) {
        weir__file_drop_piece(file);
    }
}

const void *weir_file_remembered(weir_file_t *file, size_t *length) {
    struct link_claim *claim = &file->claim;
    if (claim->state == LINK_NOT_ASKED) {
        claim->state = LINK_NONE;
        /* Before the marks: a lane may wait for one that reads, not for an
           open. */
        if (file->state == FILE_UNOPENED) {
            weir__file_open(file);
        }
        ask_for_memo(file);
        if (claim->state == LINK_KNOWN) {
            file_expect(file, -file->entry->size);
        }
    }
    bool is_known = claim->state == LINK_KNOWN;
    *length = is_known ? file->reader->memo.used : 0;
    return is_known ? file->reader->memo.data : NULL;
}

bool weir_file_is_awaited(const weir_file_t *file) {
    return file->claim.link != NULL;
}

void weir_file_remember(weir_file_t *file, const void *bytes, size_t length) {
    weir__links_remember(&file->claim, &file->reader->memo, bytes, length);
}
