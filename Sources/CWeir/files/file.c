/*
 * file.c: what a job can ask of its file, and what it can leave for the
 * delivery.
 */
#include "files/reader.h"

#include <unistd.h>

const char *weir_file_path(const weir_file_t *file, size_t *length) {
    if (length) {
        *length = file->entry->path_length;
    }
    return entry_path(file->stride, file->entry);
}

const void *weir_file_note(const weir_file_t *file, size_t *length) {
    if (length) {
        *length = file->entry->note_length;
    }
    return entry_note(file->stride, file->entry);
}

int weir_file_descriptor(const weir_file_t *file) {
    weir_file_t *asked = (weir_file_t *)file;
    weir__opened_settle(asked);
    weir__opened_lend(asked);
    return file->descriptor;
}

const struct stat *weir_file_status(const weir_file_t *file) {
    weir__opened_settle((weir_file_t *)file);
    return &file->status;
}

/* ---- reading ----------------------------------------------------------- */

/* Of a file that is not to be read: what a job returns counts for nothing. */
static int error_of_refused(const weir_file_t *file) {
    return file->entry->error ? file->entry->error : ECANCELED;
}

int weir_file_read(weir_file_t *file, const void **bytes, size_t *length) {
    *bytes = NULL;
    *length = 0;
    weir__opened_settle_ahead(file);
    if (file->is_refused) {
        return error_of_refused(file);
    }
    if (file->has_piece) {
        file->has_piece = false;
        *length = file->piece;
        *bytes = file->reader->buffer;
        return file->piece_error;
    }
    if (file->is_at_end) {
        return 0;
    }
    int error = weir__opened_read(file, length);
    *bytes = file->reader->buffer;
    return error;
}

/* Nothing but a count is written to: other threads are here too. The entry's own
   count says where reading on and on stands. */
int weir_file_read_at(const weir_file_t *file, uint64_t offset, void *bytes,
                      size_t size, size_t *length) {
    *length = 0;
    if (!file->is_lent) {
        return EBADF;
    }
    ssize_t got;
    do {
        got = pread(file->descriptor, bytes, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno;
    }
    *length = (size_t)got;
    __atomic_fetch_add(&file->reader->apart, (uint64_t)got, __ATOMIC_RELAXED);
    files_count(&file->stride->files->bytes, (uint64_t)got);
    return 0;
}

/* ---- output ------------------------------------------------------------ */

char *weir_file_reserve(weir_file_t *file, size_t length) {
    return weir__bytes_reserve(&file->stride->output, length);
}

void weir_file_commit(weir_file_t *file, size_t length) {
    struct bytes *output = &file->stride->output;
    if (length > output->capacity - output->used) {
        weir__misuse("a job of the file processor \"%s\" committed %zu bytes "
                     "of output where %zu were reserved",
                     file->stride->files->object.label, length,
                     output->capacity - output->used);
    }
    output->used += length;
}

int weir_file_write(weir_file_t *file, const void *bytes, size_t length) {
    char *room = weir_file_reserve(file, length);
    if (!room) {
        return ENOMEM;
    }
    memcpy(room, bytes, length);
    weir_file_commit(file, length);
    return 0;
}

/* ---- the value --------------------------------------------------------- */

void weir__file_drop_value(weir_file_t *file) {
    weir_files_t files = file->stride->files;
    void *value = file->entry->value;
    file->entry->value = NULL;
    if (value && files->options.value_drop) {
        files->options.value_drop(files->options.user, value);
    }
}

void weir_file_set_value(weir_file_t *file, void *value) {
    weir__file_drop_value(file);
    file->entry->value = value;
}
