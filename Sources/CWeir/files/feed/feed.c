/*
 * feed.c: finding the files of all sources: paths, trees, descriptors, items.
 *
 * DESIGN. The caller of weir_files_run is the feed: it walks, packs the files
 * it finds into batches (entries.c), and submits each (batch/submission.c).
 */
#include "files/feed/feeder.h"

#include "files/batch/submission.h"

static void feed_descriptor(struct feeder *feeder, const char *path,
                            size_t length, int descriptor) {
    const weir_walk_entry_t entry = {.path = path, .path_length = length};
    const struct entry kind = {.state = ENTRY_DESCRIPTOR,
                               .descriptor = descriptor};
    uint64_t bit = (uint64_t)1 << ((unsigned)descriptor & 63);
    if (files_is_literal(feeder->files)) {
        weir__feed_alone(feeder, &entry, kind);
        weir__feed_leave_directory(feeder);
        return;
    }
    /* A batch of its own: a pipe may take forever. */
    weir__feed_submit(feeder);
    if (feeder->descriptors & bit) { /* two lanes would share its bytes */
        weir__batches_await(feeder->files);
    }
    feeder->descriptors |= bit;
    weir__feed_entry(feeder, &entry, kind);
    weir__feed_submit(feeder);
    weir__feed_leave_directory(feeder);
}

/* ---- items ------------------------------------------------------------- */

static void feed_item(struct feeder *feeder, const weir_files_item_t *item) {
    size_t length = item->path_length;
    const char *path = weir__bytes_set(&feeder->path, item->path, length);
    if (!path || !weir__reserves_zero(item)) {
        weir__files_stop(feeder->files, path ? EINVAL : ENOMEM);
        return;
    }
    const weir_walk_entry_t entry = {.path = path, .path_length = length};
    switch (item->kind) {
    case WEIR_ITEM_PATH:
        weir__feed_name(feeder, path, length);
        break;
    case WEIR_ITEM_DESCRIPTOR:
        feed_descriptor(feeder, path, length, item->descriptor);
        break;
    case WEIR_ITEM_NOTE:
        weir__feed_entry(feeder, &entry, entry_decided(WEIR_FILE_NOTED, 0));
        break;
    case WEIR_ITEM_FAILURE:
        weir__feed_failure(feeder, &entry, item->error);
        break;
    case WEIR_ITEM_FILE:
        weir__feed_file(feeder, path, length);
        break;
    case WEIR_ITEM_FOUND:
        weir__feed_found_before(feeder, path, length, item->root_length);
        break;
    case WEIR_ITEM_FLUSH:
        weir__feed_submit(feeder);
        break;
    default:
        weir__files_stop(feeder->files, EINVAL);
    }
}

static void feed_items(struct feeder *feeder,
                       const weir_files_source_t *source) {
    weir_files_item_t item = {0};
    while (!files_is_stopped(feeder->files) &&
           source->next(source->context, &item)) {
        feeder->note = item.note;
        feeder->note_length = item.note_length;
        feed_item(feeder, &item);
        item = (weir_files_item_t){0};
    }
    feeder->note_length = 0;
}

/* ---- sources ----------------------------------------------------------- */

/* Sources that are read in different ways do not share a batch. */
static void begin_source(struct feeder *feeder,
                         const weir_files_source_t *source) {
    struct device_slots *slots = weir__device_slots_of(feeder->files, source);
    bool is_by_inode = source->flags & WEIR_SOURCE_BY_INODE;
    if (slots != feeder->slots || is_by_inode != feeder->is_by_inode) {
        weir__feed_submit(feeder);
        weir__feed_leave_directory(feeder);
    }
    feeder->slots = slots;
    feeder->is_by_inode = is_by_inode;
    feeder->is_list = source->kind == WEIR_SOURCE_LIST ||
                      source->kind == WEIR_SOURCE_LIST_FILE;
}

static void feed_source(struct feeder *feeder,
                        const weir_files_source_t *source) {
    begin_source(feeder, source);
    switch (source->kind) {
    case WEIR_SOURCE_PATH:
        weir__feed_name(feeder, source->path, strlen(source->path));
        break;
    case WEIR_SOURCE_DESCRIPTOR:
        feed_descriptor(feeder, source->path, strlen(source->path),
                        source->descriptor);
        break;
    case WEIR_SOURCE_LIST:
    case WEIR_SOURCE_LIST_FILE:
        weir__feed_list(feeder, source);
        break;
    case WEIR_SOURCE_ITEMS:
        feed_items(feeder, source);
        break;
    }
}

void weir__feed_sources(weir_files_t files, const weir_files_source_t *sources,
                        size_t count) {
    struct feeder feeder = {.files = files};
    for (size_t i = 0; i < count && !files_is_stopped(files); i++) {
        feeder.source = i;
        feed_source(&feeder, &sources[i]);
    }
    weir__feed_submit(&feeder);
    free(feeder.path.data);
    free(feeder.parent.data);
}
