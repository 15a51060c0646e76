/*
 * feed.c: feeding a file processor.
 *
 * DESIGN. The caller of weir_files_run feeds: it walks, packs what it finds
 * into strides, and submits each. Before a stride is submitted it is admitted,
 * and has its place in the order of delivery, its permits (all in one wait, so
 * that two strides cannot each hold half of what both need) and then its place
 * in the backlog. The lanes never wait for any of that, so there is no circle to
 * wait in. Whoever takes what is delivered may need descriptors for it, and is
 * waited for in admit alone, before the permits: where the delivery waited for
 * him, the strides behind it in the backlog would hold what he needs.
 *
 * What needs no reading (a directory that cannot be read, a FIFO in a walk, a
 * note) is an entry of a stride like the files, so that it comes out in its
 * place in the order whatever the number of lanes.
 *
 * Names that are given one by one are often neighbours, as in a manifest. What
 * stands before the last component tells: where it is the same, the lane may
 * open the directory once, as for files that a walk has found.
 */
#include "files/feed.h"

#include <limits.h>

#include "files/turns.h"
#include "walk/open.h"

/* Paths, or notes, of a stride: it is cut early where they are long. */
#define STRIDE_BYTES ((size_t)65536)

/* ---- submitting -------------------------------------------------------- */

/* Waits until the caller wants more. */
static void admit(weir_files_t files) {
    if (files->options.admit && !files_stopped(files)) {
        uint64_t begun = weir__nanoseconds();
        int error = files->options.admit(files->options.user);
        weir__waits_add(&files->waits.delivery, begun);
        if (error) {
            weir__files_stop(files, error);
        }
    }
}

/* Nobody is to read it: what precedes the first that should be read stands. */
static void deliver_unread(weir_files_t files, struct stride *stride) {
    size_t count = 0;
    while (count < stride->count &&
           stride->entries[count].state == ENTRY_DECIDED) {
        count++;
    }
    stride->count = count;
    stride->cut_short = true;
    weir__delivery_finish(files, stride);
}

/* What is to be had for a stride before a lane may read it, and then its place in
   the backlog; false where the run is stopped, or memory is short. */
static bool submit(weir_files_t files, struct stride *stride) {
    if (!weir__turns_take(stride, true) ||
        !weir__files_take_permits(files, stride, true)) {
        return false;
    }
    uint64_t begun = weir__nanoseconds();
    int error = weir_lanes_async_f(files->lanes, stride, weir__reader_run);
    weir__waits_add(&files->waits.lanes, begun);
    return error == 0;
}

void weir__feed_submit(struct feeder *feeder) {
    weir_files_t files = feeder->files;
    struct stride *stride = feeder->stride;
    feeder->stride = NULL;
    if (!stride) {
        return;
    }
    if (stride->count == 0) {
        weir__delivery_give(files, stride);
        return;
    }
    admit(files);
    stride->turns = feeder->turns;
    stride->by_inode = feeder->by_inode;
    weir__delivery_enter(files, stride, NULL);
    if (stride->to_read == 0) {
        weir__delivery_finish(files, stride);
    } else if (!submit(files, stride)) {
        weir__files_stop(files, ENOMEM);
        weir__files_give_permits(files, stride);
        weir__turns_give(stride);
        deliver_unread(files, stride);
    }
}

/* ---- entries ----------------------------------------------------------- */

/* The note of what was found: its item's, or what is said about it. */
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

static struct stride *take_stride(struct feeder *feeder) {
    return feeder->by_inode ? weir__delivery_take_large(feeder->files)
                            : weir__delivery_take(feeder->files, true);
}

/* Files of a stride. */
static size_t stride_most(const struct feeder *feeder) {
    return feeder->by_inode ? feeder->files->stride_by_inode
                            : feeder->files->options.files_per_batch;
}

/* Adds an entry to the stride that is being filled. NULL where memory is
   short. */
static struct entry *add(struct feeder *feeder, const weir_walk_entry_t *found,
                         enum entry_state state) {
    if (!feeder->stride && !(feeder->stride = take_stride(feeder))) {
        return NULL;
    }
    size_t length;
    const void *note = note_of(feeder, found, state, &length);
    struct entry *entry = weir__stride_add(
        feeder->stride, found->path, found->path_length, found->name_offset);
    if (entry && length &&
        !weir__stride_add_note(feeder->stride, note, length)) {
        feeder->stride->count--; /* it is not there without its note */
        return NULL;
    }
    return entry;
}

/* What ends so is no file. */
#define NO_FILES                                                               \
    (1u << WEIR_FILE_NOTED | 1u << WEIR_FILE_DIRECTORY | 1u << WEIR_FILE_LINK)

static void submit_if_full(struct feeder *feeder) {
    const struct stride *stride = feeder->stride;
    if (stride->count >= stride_most(feeder) ||
        stride->paths.used >= STRIDE_BYTES ||
        stride->notes.used >= STRIDE_BYTES) {
        weir__feed_submit(feeder);
    }
}

/* Puts it into its place. Whether that was possible; if not, the run is
   stopped. */
static bool place(struct feeder *feeder, const weir_walk_entry_t *found,
                  struct entry what) {
    weir_files_t files = feeder->files;
    struct entry *entry = add(feeder, found, what.state);
    if (!entry) {
        weir__files_stop(files, ENOMEM);
        return false;
    }
    struct stride *stride = feeder->stride;
    entry->directory = feeder->directories + found->directory;
    entry->inode = found->inode;
    entry->source = (uint32_t)feeder->source;
    entry->named = found->depth == 0;
    entry->type = (uint8_t)found->type;
    entry->state = what.state;
    entry->outcome = what.outcome;
    entry->error = what.error;
    entry->descriptor = what.descriptor;
    stride->to_open += what.state == ENTRY_PATH;
    stride->to_read += what.state != ENTRY_DECIDED;
    files_count(&files->found, !(NO_FILES >> what.outcome & 1));
    return true;
}

static void feed(struct feeder *feeder, const weir_walk_entry_t *found,
                 struct entry what) {
    if (place(feeder, found, what)) {
        submit_if_full(feeder);
    }
}

static void feed_failure(struct feeder *feeder, const weir_walk_entry_t *found,
                         int error) {
    files_count(&feeder->files->failed, 1);
    feed(feeder, found,
         (struct entry){.state = ENTRY_DECIDED,
                        .outcome = WEIR_FILE_FAILED,
                        .error = error});
}

static void feed_special(struct feeder *feeder,
                         const weir_walk_entry_t *found) {
    files_count_special(feeder->files, found->depth == 0);
    feed(feeder, found,
         (struct entry){.state = ENTRY_DECIDED, .outcome = WEIR_FILE_SPECIAL});
}

static void feed_directory(struct feeder *feeder,
                           const weir_walk_entry_t *found) {
    weir_files_t files = feeder->files;
    files_count(&files->directories,
                files->options.max_depth == 0 ||
                    found->depth < files->options.max_depth);
    if (files_are_whole_trees(files)) {
        feed(feeder, found,
             (struct entry){.state = ENTRY_DECIDED,
                            .outcome = WEIR_FILE_DIRECTORY});
    }
}

/* Where it leads to is asked here and not by a lane, which would need a
   descriptor's permit for the stride. */
static void feed_link(struct feeder *feeder, const weir_walk_entry_t *found) {
    weir_files_t files = feeder->files;
    if (!files_are_whole_trees(files)) {
        files_count(&files->links, 1);
        return;
    }
    char target[PATH_MAX];
    ssize_t length = weir__readlink(found->path, found->path_length, target);
    if (length < 0) {
        feed_failure(feeder, found, (int)-length);
        return;
    }
    files_count(&files->links, 1);
    if (!place(feeder, found,
               (struct entry){.state = ENTRY_DECIDED,
                              .outcome = WEIR_FILE_LINK})) {
        return;
    }
    if (weir__stride_add_target(feeder->stride, target, (size_t)length)) {
        submit_if_full(feeder);
    } else {
        feeder->stride->count--;
        weir__files_stop(files, ENOMEM);
    }
}

/* Decides what becomes of something that was found. */
static void sort_out(struct feeder *feeder, const weir_walk_entry_t *found) {
    if (found->error) {
        feed_failure(feeder, found, found->error);
        return;
    }
    switch (found->type) {
    case WEIR_ENTRY_FILE:
        feed(feeder, found, (struct entry){.state = ENTRY_PATH});
        break;
    case WEIR_ENTRY_DIRECTORY:
        feed_directory(feeder, found);
        break;
    case WEIR_ENTRY_SYMLINK:
        feed_link(feeder, found);
        break;
    case WEIR_ENTRY_BLOCK_DEVICE:
        if (found->depth == 0) {
            feed(feeder, found, (struct entry){.state = ENTRY_PATH});
            break;
        }
        feed_special(feeder, found);
        break;
    default:
        feed_special(feeder, found);
    }
}

/* ---- what is named ----------------------------------------------------- */

/* A number of its own for what follows. */
static void leave_directory(struct feeder *feeder) {
    feeder->directories++;
    feeder->is_beside = false;
}

/* Finds out whether it stands beside the named file that was fed before. */
static void look_beside(struct feeder *feeder, const weir_walk_entry_t *found) {
    size_t length = found->name_offset;
    struct bytes *beside = &feeder->beside;
    if (feeder->is_beside && beside->used == length &&
        (length == 0 || memcmp(beside->data, found->path, length) == 0)) {
        return;
    }
    leave_directory(feeder);
    beside->used = 0;
    char *copy = length ? weir__bytes_reserve(beside, length) : NULL;
    if (copy) {
        memcpy(copy, found->path, length);
        beside->used = length;
    }
    feeder->is_beside = length == 0 || copy;
}

/* An entry that is named; the path ends in NUL. */
static weir_walk_entry_t named(struct feeder *feeder, const char *path,
                               size_t length) {
    weir_walk_entry_t entry = {.path = path,
                               .path_length = length,
                               .name_offset =
                                   weir__last_component(path, length)};
    look_beside(feeder, &entry);
    return entry;
}

static void feed_tree(struct feeder *feeder, const char *path) {
    weir_files_t files = feeder->files;
    unsigned flags = 0;
    flags |= files->options.flags & WEIR_FILES_FOLLOW ? WEIR_WALK_FOLLOW : 0;
    flags |= files->options.flags & WEIR_FILES_ONE_FILE_SYSTEM
                 ? WEIR_WALK_ONE_FILE_SYSTEM
                 : 0;
    weir_walk_entry_t entry = {0};
    uint64_t filtered = 0;
    weir_walk_t walk = weir__walk_create(path, flags, files->options.max_depth,
                                         files->filters);
    if (!walk) {
        weir__files_stop(files, errno);
        return;
    }
    leave_directory(feeder);
    while (!files_stopped(files) && weir_walk_next(walk, &entry)) {
        files_count(&files->filtered, weir_walk_filtered(walk) - filtered);
        filtered = weir_walk_filtered(walk);
        sort_out(feeder, &entry);
    }
    files_count(&files->filtered, weir_walk_filtered(walk) - filtered);
    feeder->directories += entry.directory + 1;
    leave_directory(feeder);
    weir_walk_destroy(walk);
}

/* Between what is before it and what is behind. */
static void feed_alone(struct feeder *feeder, const weir_walk_entry_t *found,
                       struct entry what) {
    weir__feed_submit(feeder);
    weir_lanes_wait(feeder->files->lanes, DISPATCH_TIME_FOREVER);
    feed(feeder, found, what);
    weir__feed_submit(feeder);
    weir_lanes_wait(feeder->files->lanes, DISPATCH_TIME_FOREVER);
}

/* What open makes of it. */
static void feed_literally(struct feeder *feeder,
                           const weir_walk_entry_t *found) {
    struct entry what = {.state = ENTRY_PATH};
    if (found->error || found->type == WEIR_ENTRY_FILE ||
        found->type == WEIR_ENTRY_DIRECTORY) {
        feed(feeder, found, what);
    } else {
        feed_alone(feeder, found, what);
    }
}

void weir__feed_failed_name(struct feeder *feeder, const char *path,
                            size_t length, int error) {
    const weir_walk_entry_t entry = {.path = path, .path_length = length};
    feed_failure(feeder, &entry, error);
}

void weir__feed_name(struct feeder *feeder, const char *path, size_t length) {
    if (strlen(path) != length) {
        weir__feed_failed_name(feeder, path, length, EINVAL);
        return;
    }
    weir_walk_entry_t entry = named(feeder, path, length);
    struct stat status;
    /* An empty name is nobody's. */
    entry.error = length ? weir__stat(path, length, &status) : ENOENT;
    if (!entry.error) {
        entry.type = weir__type_of_mode(status.st_mode);
        entry.inode = status.st_ino;
    }
    if (files_are_literal(feeder->files)) {
        feed_literally(feeder, &entry);
    } else if (entry.type == WEIR_ENTRY_DIRECTORY) {
        feed_tree(feeder, path);
    } else {
        sort_out(feeder, &entry);
    }
}

/* A name that is not looked at. */
static void feed_file(struct feeder *feeder, const char *path, size_t length) {
    if (files_are_literal(feeder->files) || strlen(path) != length) {
        weir__feed_name(feeder, path, length);
        return;
    }
    const weir_walk_entry_t entry = named(feeder, path, length);
    feed(feeder, &entry, (struct entry){.state = ENTRY_PATH});
}

static void feed_descriptor(struct feeder *feeder, const char *path,
                            size_t length, int descriptor) {
    const weir_walk_entry_t entry = {.path = path, .path_length = length};
    const struct entry what = {.state = ENTRY_DESCRIPTOR,
                               .descriptor = descriptor};
    uint64_t bit = (uint64_t)1 << ((unsigned)descriptor & 63);
    if (files_are_literal(feeder->files)) {
        feed_alone(feeder, &entry, what);
        leave_directory(feeder);
        return;
    }
    /* A stride of its own: what comes out of a pipe may take for ever, and
       nothing before it should wait for that. */
    weir__feed_submit(feeder);
    if (feeder->descriptors & bit) { /* two lanes would share what it gives */
        weir_lanes_wait(feeder->files->lanes, DISPATCH_TIME_FOREVER);
    }
    feeder->descriptors |= bit;
    feed(feeder, &entry, what);
    weir__feed_submit(feeder);
    leave_directory(feeder);
}

/* ---- items ------------------------------------------------------------- */

/* The item's path with a NUL behind it; NULL where memory is short. */
static const char *terminated(struct feeder *feeder, const char *path,
                              size_t length) {
    feeder->path.used = 0;
    char *copy = length < SIZE_MAX / 4
                     ? weir__bytes_reserve(&feeder->path, length + 1)
                     : NULL;
    if (copy) {
        memcpy(copy, length ? path : "", length);
        copy[length] = '\0';
    }
    return copy;
}

static void feed_item(struct feeder *feeder, const weir_files_item_t *item) {
    size_t length = item->path_length;
    const char *path = terminated(feeder, item->path, length);
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
        feed(
            feeder, &entry,
            (struct entry){.state = ENTRY_DECIDED, .outcome = WEIR_FILE_NOTED});
        break;
    case WEIR_ITEM_FAILURE:
        feed_failure(feeder, &entry, item->error);
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
    while (!files_stopped(feeder->files) &&
           source->next(source->context, &item)) {
        feeder->note = item.note;
        feeder->note_length = item.note_length;
        feed_item(feeder, &item);
        item = (weir_files_item_t){0};
    }
    feeder->note_length = 0;
}

/* ---- sources ----------------------------------------------------------- */

/* What lies elsewhere is not in one stride with what was before. */
static void begin_source(struct feeder *feeder,
                         const weir_files_source_t *source) {
    struct turns *turns = weir__turns_of(feeder->files, source);
    bool by_inode = source->flags & WEIR_SOURCE_BY_INODE;
    if (turns != feeder->turns || by_inode != feeder->by_inode) {
        weir__feed_submit(feeder);
        leave_directory(feeder);
    }
    feeder->turns = turns;
    feeder->by_inode = by_inode;
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

void weir__files_feed(weir_files_t files, const weir_files_source_t *sources,
                      size_t count) {
    struct feeder feeder = {.files = files};
    for (size_t i = 0; i < count && !files_stopped(files); i++) {
        feeder.source = i;
        feed_source(&feeder, &sources[i]);
    }
    weir__feed_submit(&feeder);
    free(feeder.path.data);
    free(feeder.beside.data);
}
