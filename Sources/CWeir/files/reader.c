/*
 * reader.c: what a lane does with a stride: its files, one after the other.
 *
 * DESIGN. Where a stride has several files of one directory, that directory is
 * opened once and they relative to it; where there are few, opening it would
 * cost more than the longer paths do. It is opened by the lane, not handed over
 * by the walk, so that whoever waits in the backlog holds permits and not
 * descriptors.
 *
 * Splitting. A stride is cut by count, since nobody has looked at sizes yet (a
 * stat in the walk would cost a third of the time of a small file). So the
 * lane looks: where a file turns out to be big, and when it has read much, it
 * splits the rest of its stride off, to the front of the FIFO, for another
 * lane. That must wait for nothing, since this lane holds permits; where there
 * is no free stride or no permit, it goes on alone.
 */
#include "files/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include "files/inodes.h"
#include "files/turns.h"
#include "walk/open.h"

/* From so many files of one directory on it is opened for them. */
#define DIRECTORY_FILES_MIN 8

/* ---- the processor's part ---------------------------------------------- */

void weir__reading_create(weir_files_t files) {
    pthread_cond_init(&files->reading.resumed, NULL);
    weir__links_create(&files->reading.links);
}

void weir__reading_destroy(weir_files_t files) {
    weir__links_destroy(&files->reading.links);
    pthread_cond_destroy(&files->reading.resumed);
}

void weir__reading_begin(weir_files_t files) {
    struct reading *reading = &files->reading;
    reading->run++;
    reading->changed = reading->linked = reading->opened = 0;
    reading->bytes_expected = reading->unread = 0;
}

void weir__reading_end(weir_files_t files) {
    weir__links_clear(&files->reading.links);
}

void weir__reading_figures(weir_files_t files, weir_files_stats_t *figures) {
    struct reading *reading = &files->reading;
    figures->changed = atomic_load(&reading->changed);
    figures->linked = atomic_load(&reading->linked);
    figures->opened = atomic_load(&reading->opened);
    figures->bytes_expected = atomic_load(&reading->bytes_expected);
    figures->unread = atomic_load(&reading->unread);
}

/* ---- the lane's context ------------------------------------------------ */

void *weir__reader_create(void *user, size_t lane) {
    weir_files_t files = user;
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader) {
        weir__busy_add(files, reader, lane);
        reader->destroy = files->options.lane_destroy;
        if (files->options.lane_create) {
            reader->context =
                files->options.lane_create(files->options.user, lane);
        }
    }
    return reader;
}

void weir__reader_destroy(void *context) {
    struct reader *reader = context;
    if (reader) {
        if (reader->destroy) {
            reader->destroy(reader->context);
        }
        free(reader->buffer);
        free(reader->memo.data);
        free(reader->order.data);
        free(reader->name.data);
        free(reader);
    }
}

/* ---- counting ---------------------------------------------------------- */

static void flush_counts(weir_files_t files, struct reader *reader) {
    if (reader && (reader->opened || reader->bytes_expected)) {
        files_count(&files->reading.opened, reader->opened);
        files_count(&files->reading.bytes_expected, reader->bytes_expected);
        reader->opened = reader->bytes_expected = 0;
    }
    if (reader && reader->unread) {
        files_count(&files->reading.unread, reader->unread);
        reader->unread = 0;
    }
}

void weir__reader_flush(weir_file_t *file) {
    flush_counts(file->stride->files, file->reader);
}

/* ---- splitting --------------------------------------------------------- */

/* A stride that came to nothing. */
static void give_back(weir_files_t files, struct stride *stride) {
    weir__files_give_permits(files, stride);
    weir__turns_give(stride);
    weir__delivery_give(files, stride);
}

static void split_rest(struct stride *stride, size_t first) {
    weir_files_t files = stride->files;
    if (first >= stride->count) {
        return;
    }
    struct stride *rest = weir__delivery_take(files, false);
    if (!rest) {
        return;
    }
    rest->to_open = stride->to_open; /* at most */
    rest->turns = stride->turns;
    if (!weir__turns_take(rest, false)) {
        weir__delivery_give(files, rest);
        return;
    }
    if (!weir__files_take_permits(files, rest, false)) {
        give_back(files, rest);
        return;
    }
    if (!weir__stride_move_rest(stride, first, rest)) {
        give_back(files, rest);
        return;
    }
    weir__delivery_enter(files, rest, stride);
    if (weir__lanes_async_front_f(files->lanes, rest, weir__reader_run) != 0) {
        /* No memory for a place in the FIFO: take it all back. */
        weir__delivery_withdraw(files, rest, stride);
        if (!weir__stride_move_rest(rest, 0, stride)) {
            weir__files_stop(files, ENOMEM);
        }
        give_back(files, rest);
    }
}

void weir__reader_split(weir_file_t *file) {
    if (*file->may_split) {
        *file->may_split = false;
        split_rest(file->stride, file->index + 1);
    }
}

/* ---- one stride -------------------------------------------------------- */

static size_t files_of_directory(const struct stride *stride, size_t first) {
    size_t count = 0;
    uint64_t directory = stride->entries[first].directory;
    const uint32_t *order = stride->order;
    size_t end = order ? stride->ordered : stride->count;
    for (size_t i = order ? stride->at : first; i < end; i++) {
        const struct entry *entry = &stride->entries[order ? order[i] : i];
        if (entry->directory != directory) {
            break;
        }
        count += entry->state == ENTRY_PATH;
    }
    return count;
}

static void close_directory(struct open_directory *directory) {
    if (directory->descriptor >= 0) {
        close(directory->descriptor);
        directory->descriptor = -1;
    }
}

/* Opens what the path names before its last component. The path itself is left
   alone: somebody may ask what the lane is at. */
static int open_beside(struct reader *reader, const struct stride *stride,
                       const struct entry *entry) {
    struct bytes *name = &reader->name;
    name->used = 0;
    char *path = weir__bytes_reserve(name, (size_t)entry->name_offset + 1);
    if (!path) {
        return -1;
    }
    memcpy(path, entry_path(stride, entry), entry->name_offset);
    path[entry->name_offset] = '\0';
    return weir__open(AT_FDCWD, path, entry->name_offset,
                      WEIR_OPEN_REFERENCE | O_DIRECTORY);
}

/* Where it cannot be opened, the paths will tell. */
void weir__reader_open_directory(weir_file_t *file) {
    struct open_directory *directory = file->directory;
    struct stride *stride = file->stride;
    struct entry *entry = file->entry;
    close_directory(directory);
    directory->decided = true;
    directory->number = entry->directory;
    if (stride->permits < 2 || entry->name_offset == 0 ||
        files_of_directory(stride, file->index) < DIRECTORY_FILES_MIN) {
        return;
    }
    int fd = open_beside(file->reader, stride, entry);
    directory->descriptor = fd >= 0 ? fd : -1;
}

static void account(weir_files_t files, const struct entry *entry) {
    if (entry->state == ENTRY_EXCLUDED) {
        files_count(&files->excluded_count, 1);
    } else if (entry->outcome == WEIR_FILE_DONE) {
        files_count(&files->files, 1);
    } else if (entry->outcome == WEIR_FILE_SPECIAL) {
        files_count_special(files, entry->named);
    } else if (entry->outcome == WEIR_FILE_CHANGED) {
        files_count(&files->reading.changed, 1);
    } else {
        files_count(&files->failed, 1);
    }
}

/* A cancelled run: what was not read is not delivered. */
static void cut_short(struct stride *stride, size_t count) {
    stride->count = count;
    stride->cut_short = true;
}

static void read_entry(weir_file_t *file) {
    if (!file->reader) {
        weir__opened_fail(file, ENOMEM);
    } else if (file->entry->state == ENTRY_PATH) {
        weir__opened_path(file);
    } else {
        weir__opened_descriptor(file);
    }
}

static void wait_for_end_of_pause(weir_files_t files, struct reader *reader) {
    flush_counts(files, reader);
    weir__busy_end(reader);
    weir__reading_wait(files);
}

/* Reads them in their order. Returns how many. */
static size_t read_entries(struct stride *stride, struct reader *reader,
                           struct open_directory *directory) {
    weir_files_t files = stride->files;
    const uint32_t *order = stride->order;
    bool may_split = files->options.jobs != WEIR_LANES_INLINE && !order;
    uint64_t read_before = 0;
    for (size_t n = 0; n < (order ? stride->ordered : stride->count); n++) {
        size_t i = order ? order[n] : n;
        struct entry *entry = &stride->entries[i];
        if (entry->state == ENTRY_DECIDED) {
            continue;
        }
        if (files_paused(files)) {
            wait_for_end_of_pause(files, reader);
        }
        if (files_stopped(files)) {
            return n;
        }
        stride->at = n;
        weir__busy_at(reader, stride, i);
        weir_file_t file = {.stride = stride,
                            .entry = entry,
                            .reader = reader,
                            .index = i,
                            .may_split = &may_split,
                            .directory = directory,
                            .descriptor = -1};
        read_entry(&file);
        account(files, entry);
        read_before += entry->bytes;
        if (read_before >= SPLIT_BYTES) {
            weir__reader_split(&file);
        }
    }
    return order ? stride->ordered : stride->count;
}

/* The stride was read so far. */
static void end_stride(struct stride *stride, size_t read) {
    if (stride->order) {
        weir__inodes_end(stride, read);
    } else if (read < stride->count) {
        cut_short(stride, read);
    }
}

/* One stride, and what is to be read behind it. */
static struct stride *read_stride(struct stride *stride,
                                  struct reader *reader) {
    weir_files_t files = stride->files;
    struct open_directory directory = {.descriptor = -1};
    struct stride *rest = weir__inodes_begin(stride, reader);
    end_stride(stride, read_entries(stride, reader, &directory));
    flush_counts(files, reader);
    weir__busy_end(reader);
    close_directory(&directory);
    if (rest) {
        rest->permits = stride->permits;
        rest->turns = stride->turns;
        stride->permits = 0;
        stride->turns = NULL;
    } else {
        weir__files_give_permits(files, stride);
        weir__turns_give(stride);
    }
    return rest;
}

void weir__reader_run(void *context, void *lane_context) {
    struct stride *stride = context;
    weir_files_t files = stride->files;
    weir__raise_size(
        &files->busy_peak,
        atomic_fetch_add_explicit(&files->busy, 1, memory_order_relaxed) + 1);
    while (stride) {
        struct stride *rest = read_stride(stride, lane_context);
        if (!rest) {
            atomic_fetch_sub_explicit(&files->busy, 1, memory_order_relaxed);
        }
        weir__delivery_finish(files, stride);
        stride = rest;
    }
}
