/*
 * feed.c: finding the files of all sources: paths, trees, descriptors, items.
 *
 * DESIGN. The caller of weir_files_run is the feed: it walks, packs the files
 * it finds into batches (entries.c), and submits each (batch/submission.c).
 *
 * Names that are given one by one are often neighbours, as in a manifest. If
 * the part before the last component is the same, they count as files of one
 * directory, which a lane may open once, as for files that a walk has found.
 */
#include "files/feed/feeder.h"

#include "walk/ahead.h"
#include "walk/open.h"

/* Gives the following files a directory number of their own. */
static void leave_directory(struct feeder *feeder) {
    feeder->directories++;
    feeder->has_parent = false;
}

/* ---- names ------------------------------------------------------------- */

/* Leaves the directory unless the named file has the same parent as the one
   before. */
static void enter_parent(struct feeder *feeder,
                         const weir_walk_entry_t *found) {
    size_t length = found->name_offset;
    struct bytes *parent = &feeder->parent;
    if (feeder->has_parent && parent->used == length &&
        (length == 0 || memcmp(parent->data, found->path, length) == 0)) {
        return;
    }
    leave_directory(feeder);
    feeder->has_parent = weir__bytes_set(parent, found->path, length);
}

/* Returns the entry of a named file, whose path ends in NUL. */
static weir_walk_entry_t name_entry(struct feeder *feeder, const char *path,
                                    size_t length) {
    weir_walk_entry_t entry = {.path = path,
                               .path_length = length,
                               .name_offset =
                                   weir__last_component(path, length)};
    enter_parent(feeder, &entry);
    return entry;
}

/* Lanes on the caller, and a disk that has one reader, want no further thread
   for the walk. */
static unsigned walk_flags(const struct feeder *feeder) {
    const weir_files_options_t *options = &feeder->files->options;
    bool alone = options->jobs == WEIR_LANES_INLINE || feeder->is_by_inode;
    return (options->flags & WEIR_FILES_FOLLOW ? WEIR_WALK_FOLLOW : 0u) |
           (options->flags & WEIR_FILES_ONE_FILE_SYSTEM
                ? WEIR_WALK_ONE_FILE_SYSTEM
                : 0u) |
           (alone ? WEIR_WALK_ONE_THREAD : 0u);
}

static weir_selection_t select_entry(const struct feeder *feeder,
                                     const weir_walk_entry_t *found) {
    const weir_files_options_t *options = &feeder->files->options;
    if (!options->select) {
        return WEIR_SELECT_TAKE;
    }
    weir_walk_entry_t shown = *found;
    shown.directory += feeder->directories;
    return options->select(options->user, feeder->source, &shown);
}

/* Feeds an entry of a walk that `select` takes. */
static void feed_selected(struct feeder *feeder, weir_walk_t walk,
                          const weir_walk_entry_t *found) {
    weir_selection_t selection = select_entry(feeder, found);
    if (selection == WEIR_SELECT_TAKE) {
        weir__feed_found(feeder, found);
    } else if (selection == WEIR_SELECT_PRUNE) {
        weir_walk_skip(walk);
    } else if (found->type == WEIR_ENTRY_DIRECTORY && !found->error) {
        weir__feed_count_directory(feeder, found);
    }
}

/* What a walk has counted so far. */
struct walk_counts {
    uint64_t filtered;
    uint64_t listed_ahead;
};

static void count_walk(weir_files_t files, weir_walk_t walk,
                       struct walk_counts *counted) {
    const struct walk_counts now = {weir_walk_filtered(walk),
                                    weir_walk_listed_ahead(walk)};
    if (now.filtered > counted->filtered) {
        files_count(files, COUNTER_FILTERED, now.filtered - counted->filtered);
    }
    if (now.listed_ahead > counted->listed_ahead) {
        files_count(files, COUNTER_LISTED_AHEAD,
                    now.listed_ahead - counted->listed_ahead);
    }
    *counted = now;
}

static void feed_tree(struct feeder *feeder, const char *path, size_t length) {
    weir_files_t files = feeder->files;
    unsigned flags = walk_flags(feeder);
    weir_walk_entry_t entry = {0};
    struct walk_counts counted = {0};
    weir_walk_t walk = weir__walk_create(path, flags, files->options.max_depth,
                                         files->filters);
    if (!walk) {
        weir__files_stop(files, errno);
        return;
    }
    weir__walk_attach(walk, &files->stop_reason, files->own_gate);
    leave_directory(feeder);
    feeder->root_length = flags & WEIR_WALK_FOLLOW ? 0 : length;
    while (!files_is_stopped(files) && weir_walk_next(walk, &entry)) {
        count_walk(files, walk, &counted);
        feed_selected(feeder, walk, &entry);
    }
    count_walk(files, walk, &counted);
    feeder->directories += entry.directory + 1;
    feeder->root_length = 0;
    leave_directory(feeder);
    weir_walk_destroy(walk);
}

/* Feeds a file that is read after all files before it, and before all that
   follow. */
static void feed_alone(struct feeder *feeder, const weir_walk_entry_t *found,
                       struct entry kind) {
    weir__feed_submit(feeder);
    weir_lanes_wait(feeder->files->lanes, DISPATCH_TIME_FOREVER);
    weir__feed_entry(feeder, found, kind);
    weir__feed_submit(feeder);
    weir_lanes_wait(feeder->files->lanes, DISPATCH_TIME_FOREVER);
}

/* Feeds a name under WEIR_FILES_LITERAL. */
static void feed_literal_name(struct feeder *feeder,
                              const weir_walk_entry_t *found) {
    struct entry kind = {.state = ENTRY_PATH};
    if (found->error || found->type == WEIR_ENTRY_FILE ||
        found->type == WEIR_ENTRY_DIRECTORY) {
        weir__feed_entry(feeder, found, kind);
    } else {
        feed_alone(feeder, found, kind);
    }
}

/* True for a listed link to a directory, which is skipped as in a walk: a list of
   the files of a tree names the link and the files of the directory. */
static bool is_listed_link(const struct feeder *feeder, const char *path,
                           size_t length) {
    struct stat status;
    return feeder->is_list && !files_is_literal(feeder->files) &&
           !(feeder->files->options.flags & WEIR_FILES_FOLLOW) &&
           weir__stat_at(AT_FDCWD, path, length, &status, false) == 0 &&
           S_ISLNK(status.st_mode);
}

void weir__feed_name(struct feeder *feeder, const char *path, size_t length) {
    if (strlen(path) != length) {
        const weir_walk_entry_t entry = {.path = path, .path_length = length};
        weir__feed_failure(feeder, &entry, EINVAL);
        return;
    }
    weir_walk_entry_t entry = name_entry(feeder, path, length);
    struct stat status;
    entry.error = length ? weir__stat(path, length, &status) : ENOENT;
    if (!entry.error) {
        entry.type = weir__type_of_mode(status.st_mode);
        entry.inode = status.st_ino;
    }
    if (entry.type == WEIR_ENTRY_DIRECTORY &&
        is_listed_link(feeder, path, length)) {
        entry.type = WEIR_ENTRY_SYMLINK;
    }
    if (entry.type == WEIR_ENTRY_DIRECTORY &&
        !files_is_literal(feeder->files)) {
        feed_tree(feeder, path, length);
    } else if (select_entry(feeder, &entry) != WEIR_SELECT_TAKE) {
        return;
    } else if (files_is_literal(feeder->files)) {
        feed_literal_name(feeder, &entry);
    } else {
        weir__feed_found(feeder, &entry);
    }
}

/* Feeds a name without asking for its status. */
static void feed_file(struct feeder *feeder, const char *path, size_t length) {
    if (files_is_literal(feeder->files) || strlen(path) != length) {
        weir__feed_name(feeder, path, length);
        return;
    }
    const weir_walk_entry_t entry = name_entry(feeder, path, length);
    weir__feed_entry(feeder, &entry, (struct entry){.state = ENTRY_PATH});
}

static void feed_descriptor(struct feeder *feeder, const char *path,
                            size_t length, int descriptor) {
    const weir_walk_entry_t entry = {.path = path, .path_length = length};
    const struct entry kind = {.state = ENTRY_DESCRIPTOR,
                               .descriptor = descriptor};
    uint64_t bit = (uint64_t)1 << ((unsigned)descriptor & 63);
    if (files_is_literal(feeder->files)) {
        feed_alone(feeder, &entry, kind);
        leave_directory(feeder);
        return;
    }
    /* A batch of its own: a pipe may take forever, and no file before it
       should wait for that. */
    weir__feed_submit(feeder);
    if (feeder->descriptors & bit) { /* two lanes would share its bytes */
        weir_lanes_wait(feeder->files->lanes, DISPATCH_TIME_FOREVER);
    }
    feeder->descriptors |= bit;
    weir__feed_entry(feeder, &entry, kind);
    weir__feed_submit(feeder);
    leave_directory(feeder);
}

/* ---- items ------------------------------------------------------------- */

static void feed_item(struct feeder *feeder, const weir_files_item_t *item) {
    size_t length = item->path_length;
    const char *path = weir__bytes_set(&feeder->path, item->path, length);
    if (!path) {
        weir__files_stop(feeder->files, ENOMEM);
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
        weir__feed_entry(
            feeder, &entry,
            (struct entry){.state = ENTRY_DECIDED, .outcome = WEIR_FILE_NOTED});
        break;
    case WEIR_ITEM_FAILURE:
        weir__feed_failure(feeder, &entry, item->error);
        break;
    case WEIR_ITEM_FILE:
        feed_file(feeder, path, length);
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
        leave_directory(feeder);
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
