/*
 * lane.c: the work of a lane: the files of a batch, one after the other.
 *
 * The first lanes share 4 MiB of buffers, and lanes that readers.c adds have
 * 32 KiB each: 64 lanes with the buffers of the first would hold 16 MiB.
 * 512 KiB in place of 1 MiB for each of eight lanes take the same time.
 */
#include "files/lane/lane.h"
#include "files/readers/readers.h"

#include <unistd.h>

void *weir__lane_create(void *user, size_t number) {
    weir_files_t files = user;
    const weir_files_options_t *options = &files->options;
    bool is_added = number >= files->first_lanes && files->first_lanes > 0;
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane) {
        if (!is_added) {
            files->lacks_lane = true;
        }
        return NULL;
    }
    if (options->lane_create) {
        lane->reader.context = options->lane_create(options->user, number);
    }
    if (is_added && options->lane_create && !lane->reader.context) {
        free(lane);
        return NULL;
    }
    lane->destroy = options->lane_destroy;
    lane->reader.is_added = is_added;
    weir__busy_add(files, lane, number);
    return lane;
}

void weir__lane_destroy(void *context) {
    struct lane *lane = context;
    if (lane) {
        if (lane->destroy) {
            lane->destroy(lane->reader.context);
        }
        weir__window_return(lane->reader.mapped.window);
        free(lane->reader.buffer);
        free(lane->reader.memo.data);
        free(lane->order.data);
        free(lane);
    }
}

static void count_outcome(weir_files_t files, const struct entry *entry) {
    if (entry->state == ENTRY_EXCLUDED) {
        files_count(&files->counts.excluded, 1);
    } else if (entry->outcome == WEIR_FILE_DONE) {
        files_count(&files->counts.files, 1);
    } else if (entry->outcome == WEIR_FILE_SPECIAL) {
        files_count_special(files, entry->named);
    } else if (entry->outcome == WEIR_FILE_CHANGED) {
        files_count(&files->counts.changed, 1);
    } else {
        files_count(&files->counts.failed, 1);
    }
}

static void read_entry(weir_file_t *file) {
    if (!file->reader) {
        file_fail(file, ENOMEM);
    } else if (file->entry->state == ENTRY_PATH) {
        weir__file_run_path(file);
    } else {
        weir__file_run_descriptor(file);
    }
}

static void flush(weir_files_t files, struct lane *lane) {
    if (lane) {
        weir__reader_flush(files, &lane->reader);
    }
    weir__busy_end(lane);
}

/* Calls a lane without work, if no other is called and there is a rest. */
static void share_rest(const struct batch *batch) {
    weir_files_t files = batch->files;
    if (load_relaxed(&files->busy_lanes) < weir__readers_allowed(files) &&
        load_relaxed(&files->queued) == 0 &&
        !load_relaxed(&files->has_seeker) && !batch->is_by_inode &&
        batch_rest(batch) > 0) {
        files->call_seeker(files);
    }
}

/* Reads the entries, and returns how many: fewer if the run was stopped. */
static size_t read_entries(struct lane *lane, struct batch *batch,
                           struct open_directory *directory) {
    weir_files_t files = batch->files;
    const uint32_t *order = batch->order;
    size_t n;
    while (batch_take_place(batch, &n)) {
        size_t i = order ? order[n] : n;
        struct entry *entry = &batch->entries[i];
        if (entry->state == ENTRY_DECIDED) {
            continue;
        }
        if (files_is_paused(files)) {
            flush(files, lane);
            weir__files_wait_while_paused(files);
            weir__readers_restart(files);
        }
        if (files_is_stopped(files)) {
            return n;
        }
        batch->position = n;
        uint64_t now = weir__busy_set(lane, batch, i);
        weir__readers_check(files, now);
        share_rest(batch);
        weir_file_t file = {.files = files,
                            .batch = batch,
                            .entry = entry,
                            .reader = lane ? &lane->reader : NULL,
                            .directory = directory,
                            .index = i,
                            .descriptor = -1};
        read_entry(&file);
        if (file.is_given_up) {
            return n;
        }
        count_outcome(files, entry);
        if (entry->state != ENTRY_EXCLUDED && files->options.done &&
            entry->outcome == WEIR_FILE_DONE) {
            files->options.done(files->options.user, file.reader->context,
                                entry->value);
        }
    }
    return n;
}

size_t weir__lane_read_batch(struct lane *lane, struct batch *batch) {
    struct open_directory directory = {.descriptor = -1};
    if (batch->is_by_inode) {
        batch_set_range(batch, batch->order ? batch->ordered : batch->count);
    }
    size_t read = read_entries(lane, batch, &directory);
    size_t end = batch_close_range(batch);
    batch->count = batch->order ? batch->count : end;
    flush(batch->files, lane);
    if (directory.descriptor >= 0) {
        close(directory.descriptor);
    }
    return read;
}
