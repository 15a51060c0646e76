/*
 * names.c: feeds names that the user gave: files, and trees to walk.
 *
 * DESIGN. Names that are given one by one are often neighbours, as in a
 * manifest. Names with one parent count as files of one directory, which a lane
 * may open once.
 */
#include "files/feed/feeder.h"

#include "files/batch/submission.h"
#include "walk/ahead.h"
#include "walk/open.h"

void weir__feed_leave_directory(struct feeder *feeder) {
    feeder->directories++;
    feeder->has_parent = false;
}

/* Leaves the directory unless the named file has the same parent. */
static void enter_parent(struct feeder *feeder,
                         const weir_walk_entry_t *found) {
    size_t length = found->name_offset;
    struct bytes *parent = &feeder->parent;
    if (feeder->has_parent && parent->used == length &&
        (length == 0 || memcmp(parent->data, found->path, length) == 0)) {
        return;
    }
    weir__feed_leave_directory(feeder);
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

/* Lanes on the caller, and a disk with one reader, want no more threads. */
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
        files_count(&files->counts.filtered, now.filtered - counted->filtered);
    }
    if (now.listed_ahead > counted->listed_ahead) {
        files_count(&files->counts.listed_ahead,
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
    weir__feed_leave_directory(feeder);
    feeder->root_length = flags & WEIR_WALK_FOLLOW ? 0 : length;
    while (!files_is_stopped(files) && weir_walk_next(walk, &entry)) {
        count_walk(files, walk, &counted);
        feed_selected(feeder, walk, &entry);
    }
    count_walk(files, walk, &counted);
    feeder->directories += entry.directory + 1;
    feeder->root_length = 0;
    weir__feed_leave_directory(feeder);
    weir_walk_destroy(walk);
}

void weir__feed_alone(struct feeder *feeder, const weir_walk_entry_t *found,
                      struct entry kind) {
    weir__feed_submit(feeder);
    weir__batches_await(feeder->files);
    weir__feed_entry(feeder, found, kind);
    weir__feed_submit(feeder);
    weir__batches_await(feeder->files);
}

/* Feeds a name under WEIR_FILES_LITERAL. */
static void feed_literal_name(struct feeder *feeder,
                              const weir_walk_entry_t *found) {
    struct entry kind = {.state = ENTRY_PATH};
    if (found->error || found->type == WEIR_ENTRY_FILE ||
        found->type == WEIR_ENTRY_DIRECTORY) {
        weir__feed_entry(feeder, found, kind);
    } else {
        weir__feed_alone(feeder, found, kind);
    }
}

/* True for a listed link to a directory, which is skipped as in a walk. */
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

void weir__feed_file(struct feeder *feeder, const char *path, size_t length) {
    if (files_is_literal(feeder->files) || strlen(path) != length) {
        weir__feed_name(feeder, path, length);
        return;
    }
    const weir_walk_entry_t entry = name_entry(feeder, path, length);
    weir__feed_entry(feeder, &entry, (struct entry){.state = ENTRY_PATH});
}

void weir__feed_found_before(struct feeder *feeder, const char *path,
                             size_t length, size_t root_length) {
    weir_walk_entry_t entry = name_entry(feeder, path, length);
    entry.depth = 1;
    entry.type = WEIR_ENTRY_FILE;
    feeder->root_length = root_length < length ? root_length : 0;
    weir__feed_entry(feeder, &entry, (struct entry){.state = ENTRY_PATH});
    feeder->root_length = 0;
}
