/*
 * entries.c: adding the files that were found to batches.
 *
 * DESIGN. A result without a read (a directory that cannot be read, a FIFO in a
 * walk, a note) is an entry of a batch like the files, so that it is delivered
 * in its place whatever the number of lanes.
 */
#include "files/feed/feeder.h"

#include <limits.h>

#include "files/batch/delivery.h"
#include "files/batch/submission.h"
#include "walk/open.h"

/* The bytes of paths, or of notes, at which a batch is full. */
#define BATCH_BYTES ((size_t)65536)

/* The outcomes of entries that are no files. */
#define NO_FILES                                                               \
    (1u << WEIR_FILE_NOTED | 1u << WEIR_FILE_DIRECTORY | 1u << WEIR_FILE_LINK)

void weir__feed_submit(struct feeder *feeder) {
    struct batch *batch = feeder->batch;
    feeder->batch = NULL;
    if (batch && batch->count == 0) {
        weir__delivery_release(feeder->files, batch);
    } else if (batch) {
        batch->slots = feeder->slots;
        batch->is_by_inode = feeder->is_by_inode;
        weir__batch_submit(batch);
    }
}

static void submit_if_full(struct feeder *feeder) {
    weir_files_t files = feeder->files;
    const struct batch *batch = feeder->batch;
    size_t most = feeder->is_by_inode ? files->files_per_inode_batch
                                      : files->options.files_per_batch;
    if (batch->count >= most || batch->paths.used >= BATCH_BYTES ||
        batch->notes.used >= BATCH_BYTES) {
        weir__feed_submit(feeder);
    }
}

/* Returns the note of an entry: its item's, or else one from `annotate`. */
static const void *note_of(struct feeder *feeder,
                           const weir_walk_entry_t *found,
                           enum entry_state state, size_t *length) {
    const weir_files_options_t *options = &feeder->files->options;
    *length = feeder->note_length;
    if (*length || state != ENTRY_PATH || !options->annotate) {
        return feeder->note;
    }
    weir_walk_entry_t shown = *found;
    shown.directory += feeder->directories;
    const void *note =
        options->annotate(options->user, feeder->source, &shown, length);
    *length = note ? *length : 0;
    return note;
}

/* Adds an entry, with its note, to the batch. NULL if memory is short. */
static struct entry *add(struct feeder *feeder, const weir_walk_entry_t *found,
                         enum entry_state state) {
    if (!feeder->batch) {
        feeder->batch = feeder->is_by_inode
                            ? weir__delivery_take_large(feeder->files)
                            : weir__delivery_take(feeder->files);
    }
    if (!feeder->batch) {
        return NULL;
    }
    size_t length;
    const void *note = note_of(feeder, found, state, &length);
    struct entry *entry = weir__batch_add(
        feeder->batch, found->path, found->path_length, found->name_offset);
    if (entry && length && !weir__batch_add_note(feeder->batch, note, length)) {
        feeder->batch->count--;
        return NULL;
    }
    return entry;
}

/* Adds an entry. False if memory is short: the run is stopped. */
static bool place(struct feeder *feeder, const weir_walk_entry_t *found,
                  struct entry kind) {
    weir_files_t files = feeder->files;
    struct entry *entry = add(feeder, found, kind.state);
    if (!entry) {
        weir__files_stop(files, ENOMEM);
        return false;
    }
    struct batch *batch = feeder->batch;
    entry->directory = feeder->directories + found->directory;
    entry->inode = found->inode;
    entry->source = (uint32_t)feeder->source;
    entry->named = found->depth == 0;
    entry->root_length = entry->named ? 0 : (uint32_t)feeder->root_length;
    entry->type = (uint8_t)found->type;
    entry->state = kind.state;
    entry->outcome = kind.outcome;
    entry->error = kind.error;
    entry->descriptor = kind.descriptor;
    batch->to_open += kind.state == ENTRY_PATH;
    batch->to_read += kind.state != ENTRY_DECIDED;
    files_count(&files->counts.found, !(NO_FILES >> kind.outcome & 1));
    return true;
}

void weir__feed_entry(struct feeder *feeder, const weir_walk_entry_t *found,
                      struct entry kind) {
    if (place(feeder, found, kind)) {
        submit_if_full(feeder);
    }
}

void weir__feed_failure(struct feeder *feeder, const weir_walk_entry_t *found,
                        int error) {
    files_count(&feeder->files->counts.failed, 1);
    weir__feed_entry(feeder, found, entry_decided(WEIR_FILE_FAILED, error));
}

void weir__feed_count_directory(struct feeder *feeder,
                                const weir_walk_entry_t *found) {
    weir_files_t files = feeder->files;
    files_count(&files->counts.directories,
                files->options.max_depth == 0 ||
                    found->depth < files->options.max_depth);
}

static void feed_directory(struct feeder *feeder,
                           const weir_walk_entry_t *found) {
    weir_files_t files = feeder->files;
    weir__feed_count_directory(feeder, found);
    if (files_has_whole_trees(files)) {
        weir__feed_entry(feeder, found, entry_decided(WEIR_FILE_DIRECTORY, 0));
    }
}

/* The feed reads the target of a link, since a lane would need the permit of a
   descriptor for that. */
static void feed_link(struct feeder *feeder, const weir_walk_entry_t *found) {
    weir_files_t files = feeder->files;
    char target[PATH_MAX];
    ssize_t length = 0;
    if (files_has_whole_trees(files)) {
        length = weir__readlink(found->path, feeder->root_length,
                                found->path_length, target);
    }
    if (length < 0) {
        /* EINVAL: the link is gone, and something else is there. */
        int error = length == -EINVAL ? ENOENT : (int)-length;
        weir__feed_failure(feeder, found, error);
        return;
    }
    files_count(&files->counts.links, 1);
    if (!files_has_whole_trees(files) ||
        !place(feeder, found, entry_decided(WEIR_FILE_LINK, 0))) {
        return;
    }
    if (weir__batch_add_target(feeder->batch, target, (size_t)length)) {
        submit_if_full(feeder);
    } else {
        feeder->batch->count--;
        weir__files_stop(files, ENOMEM);
    }
}

void weir__feed_found(struct feeder *feeder, const weir_walk_entry_t *found) {
    if (found->error) {
        weir__feed_failure(feeder, found, found->error);
        return;
    }
    bool is_named = found->depth == 0;
    switch (found->type) {
    case WEIR_ENTRY_DIRECTORY:
        feed_directory(feeder, found);
        break;
    case WEIR_ENTRY_SYMLINK:
        feed_link(feeder, found);
        break;
    default:
        if (found->type == WEIR_ENTRY_FILE ||
            (found->type == WEIR_ENTRY_BLOCK_DEVICE && is_named)) {
            weir__feed_entry(feeder, found,
                             (struct entry){.state = ENTRY_PATH});
        } else {
            files_count_special(feeder->files, is_named);
            weir__feed_entry(feeder, found,
                             entry_decided(WEIR_FILE_SPECIAL, 0));
        }
    }
}
