/*
 * look.c: looking at a file that is not open.
 *
 * DESIGN. One fstatat, by the file's name in the directory that the lane has
 * opened for the stride's files, as opening would have it. It is for jobs that
 * know the file from before: where size and time are as they were, it is left
 * alone. So a look promises nothing about what a later open gives; that is
 * judged again, by an fstat of the descriptor, as if nobody had looked.
 */
#include "files/reader.h"

#include <fcntl.h>

#include "walk/open.h"

static int look_in(weir_file_t *file, int directory, struct stat *status) {
    const struct entry *entry = file->entry;
    size_t offset = directory >= 0 ? entry->name_offset : 0;
    int error;
    do {
        error = weir__stat_at(directory >= 0 ? directory : AT_FDCWD,
                              entry_path(file->stride, entry) + offset,
                              entry->path_length - offset, status,
                              weir__opened_follows(file));
    } while (error == EINTR);
    return error;
}

/* By the path, where the directory, or what is in it, is stale. */
static int look(weir_file_t *file, struct stat *status) {
    int error = look_in(file, file_directory(file), status);
    for (int i = 0; error == ESTALE && i < REOPENED_MAX; i++) {
        error = look_in(file, -1, status);
    }
    return error;
}

/* Of one that is open, or was refused. */
static int look_at_known(weir_file_t *file, struct stat *status) {
    weir__opened_settle(file);
    *status = file->status;
    bool is_known = file->status.st_mode != 0;
    return is_known ? 0 : file->entry->error ? file->entry->error : ECANCELED;
}

int weir_file_stat_path(weir_file_t *file, struct stat *status) {
    if (file->was_opened || file->is_refused) {
        return look_at_known(file, status);
    }
    int error = look(file, status);
    if (!error) {
        file->status = *status;
        file->is_settled = !weir__opened_judge(file);
    }
    return error;
}
