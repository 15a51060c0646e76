/* run_job.c: calling the job of a file, and the outcome of the file. */
#include "files/file/open_file.h"

#include <unistd.h>

/* Compares the file with its former status. Returns 0 or an errno value. */
static int compare(weir_file_t *file) {
    struct entry *entry = file->entry;
    struct change *change = &file->change;
    if (change->state != CHANGE_WATCHED &&
        !(change->state == CHANGE_VERIFIED && file->is_lent)) {
        return 0;
    }
    bool is_whole = file->state == FILE_AT_END && !file->is_lent &&
                    entry->state == ENTRY_PATH;
    return weir__change_compare(change, file->descriptor, &file->status,
                                is_whole ? &entry->bytes : NULL);
}

/* Closes the file of a path, if it is open. */
static void close_path(weir_file_t *file) {
    if (file->descriptor >= 0) {
        close(file->descriptor);
        file->descriptor = -1;
    }
}

/* Called after the job. Changes the outcome if the file changed. */
static void verify_unchanged(weir_file_t *file) {
    struct entry *entry = file->entry;
    bool is_removed = false;
    if (file->change.state < CHANGE_WATCHED) {
        return;
    }
    int error = compare(file);
    if (!error && entry->state == ENTRY_PATH && file->status.st_nlink == 0) {
        close_path(file); /* its permit is now for the directory */
        error = weir__change_find_removal(
            entry_path(file->batch, entry), entry->root_length,
            entry->path_length, &file->status, &is_removed);
    }
    if (error) {
        file_fail(file, error);
    } else if (file->change.state == CHANGE_FOUND || is_removed) {
        entry->outcome = WEIR_FILE_CHANGED;
        entry->error = is_removed ? ENOENT : 0;
    }
}

static void set_outcome(weir_file_t *file, int error) {
    struct entry *entry = file->entry;
    if (file->state == FILE_REFUSED) {
        return;
    }
    if (error) {
        file_fail(file, error);
        return;
    }
    entry->outcome = WEIR_FILE_DONE;
    if (file->state == FILE_UNOPENED) {
        file->reader->unread++;
        return;
    }
    verify_unchanged(file);
    if (entry->type == WEIR_ENTRY_FILE) {
        entry->size = (uint64_t)file->status.st_size;
    }
}

/* Counts a file known by another name, or publishes a claimed memo. */
static void end_claim(weir_file_t *file, bool is_done) {
    if (file->claim.state == LINK_KNOWN) {
        bool is_unread = is_done && file->entry->bytes == 0;
        files_count(&file->files->counts.linked, is_unread);
    } else if (file->claim.link) {
        bool may_keep =
            is_done && weir__change_is_certain(&file->change, &file->status);
        weir__links_publish(file->files->links, &file->claim, &file->status,
                            &file->reader->memo, may_keep);
    }
}

static void run_job(weir_file_t *file) {
    const weir_files_options_t *options = &file->files->options;
    struct entry *entry = file->entry;
    struct bytes *output = &file->batch->output;
    entry->output = output->used;
    file->reader->bytes_at_offset = 0;
    int error = weir__mapped_end(
        file, options->job(options->user, file->reader->context, file));
    if (file->state != FILE_UNOPENED) {
        weir__file_ensure_classified(file);
    }
    set_outcome(file, file->is_given_up ? ECANCELED : error);
    bool is_done =
        file->state != FILE_REFUSED && entry->outcome == WEIR_FILE_DONE;
    end_claim(file, is_done);
    entry->bytes += file->reader->bytes_at_offset;
    if (is_done) {
        entry->output_length = output->used - entry->output;
        return;
    }
    output->used = entry->output;
    if (!error ||
        file->state == FILE_REFUSED) { /* the value explains no error */
        weir__entry_drop_value(file->batch, entry);
    }
}

void weir__file_run_path(weir_file_t *file) {
    bool is_late = file->files->options.flags & WEIR_FILES_OPEN_LATE;
    if (!is_late && weir__file_open(file) && file->state == FILE_STAT_FIRST) {
        weir__file_ensure_classified(file);
    }
    if (file->state != FILE_REFUSED) {
        run_job(file);
    }
    close_path(file);
}

void weir__file_run_descriptor(weir_file_t *file) {
    file->descriptor = file->entry->descriptor;
    file_enter(file, FILE_STAT_FIRST);
    file_count_opened(file);
    weir__file_ensure_classified(file);
    if (file->state != FILE_REFUSED) {
        run_job(file);
    }
}
