/*
 * reader.c: what a lane does with a stride: open, look, call the job, close.
 *
 * DESIGN. For a small file four system calls: openat, fstat, read, close. The
 * type is checked on the open descriptor, which is opened O_NONBLOCK, so that a
 * FIFO that took a file's place cannot hang anything. A regular file of known
 * size whose size has been read is not asked for its end once more.
 *
 * Where a stride has several files of one directory, that directory is opened
 * once and they relative to it; where there are few, opening it would cost
 * more than the longer paths do. It is opened by the lane, not handed over by
 * the walk, so that whoever waits in the backlog holds permits and not
 * descriptors.
 *
 * Splitting. A stride is cut by count, since nobody has looked at sizes yet (a
 * stat in the walk would cost a third of the time of a small file). So the
 * lane looks: before it reads a big file, and when it has read much, it splits
 * the rest of its stride off, to the front of the FIFO, for another lane.
 * That must wait for nothing, since this lane holds permits; where there is no
 * free stride or no permit, it goes on alone.
 */
#include "files.h"

#include <fcntl.h>
#include <unistd.h>

#include "open.h"

/* A file of this size, or so much read, and the rest of the stride is split
   off. */
#define SPLIT_BYTES ((uint64_t)1 << 20)

/* From so many files of one directory on it is opened for them. */
#define DIRECTORY_FILES_MIN 8

struct reader {
    void *context; /* the user's */
    void (*destroy)(void *context);
    char *buffer; /* made when first used */
};

struct weir_file_s {
    struct stride *stride;
    struct entry *entry;
    struct reader *reader;
    int descriptor;
    bool at_end;
    struct stat status;
};

/* A directory that is open for the files of a stride. */
struct open_directory {
    int descriptor; /* or -1 */
    uint64_t number;
    bool decided; /* for this number: opened, or not worth it */
};

/* ---- the lane's context ------------------------------------------------ */

void *weir__reader_create(void *user, size_t lane) {
    weir_files_t files = user;
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader) {
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
        free(reader);
    }
}

/* The kernel copies into a page-aligned buffer half as fast again as into one
   of malloc's, which begins 16 bytes into a page. */
static bool make_buffer(struct reader *reader, size_t size) {
    void *buffer = NULL;
    if (posix_memalign(&buffer, (size_t)sysconf(_SC_PAGESIZE), size) != 0) {
        return false;
    }
    reader->buffer = buffer;
    return true;
}

/* ---- what a job can ask ------------------------------------------------ */

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

int weir_file_descriptor(const weir_file_t *file) { return file->descriptor; }

const struct stat *weir_file_status(const weir_file_t *file) {
    return &file->status;
}

/* Whether all is read that fstat promised: then there is no need to ask. */
static bool is_read_whole(const weir_file_t *file) {
    return file->entry->state == ENTRY_PATH && S_ISREG(file->status.st_mode) &&
           file->entry->bytes > 0 &&
           file->entry->bytes == (uint64_t)file->status.st_size;
}

int weir_file_read(weir_file_t *file, const void **bytes, size_t *length) {
    weir_files_t files = file->stride->files;
    struct reader *reader = file->reader;
    *bytes = NULL;
    *length = 0;
    if (file->at_end) {
        return 0;
    }
    if (!reader->buffer && !make_buffer(reader, files->buffer_size)) {
        return ENOMEM;
    }
    ssize_t got;
    do {
        got = read(file->descriptor, reader->buffer, files->buffer_size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return errno;
    }
    file->entry->bytes += (uint64_t)got;
    files_count(&files->bytes, (uint64_t)got);
    file->at_end = got == 0 || is_read_whole(file);
    *bytes = reader->buffer;
    *length = (size_t)got;
    return 0;
}

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

static void drop_value(weir_file_t *file) {
    weir_files_t files = file->stride->files;
    void *value = file->entry->value;
    file->entry->value = NULL;
    if (value && files->options.value_drop) {
        files->options.value_drop(files->options.user, value);
    }
}

void weir_file_set_value(weir_file_t *file, void *value) {
    drop_value(file);
    file->entry->value = value;
}

/* ---- one file ---------------------------------------------------------- */

static void fail(weir_file_t *file, int error) {
    file->entry->outcome = WEIR_FILE_FAILED;
    file->entry->error = error;
}

static bool is_excluded(weir_files_t files, const struct stat *status) {
    for (size_t i = 0; i < files->options.exclude_count; i++) {
        if (files->excluded[i].inode == status->st_ino &&
            files->excluded[i].device == status->st_dev) {
            return true;
        }
    }
    return false;
}

static void run_job(weir_file_t *file) {
    weir_files_t files = file->stride->files;
    struct bytes *output = &file->stride->output;
    file->entry->output = output->used;
    int error =
        files->options.job(files->options.user, file->reader->context, file);
    if (error) {
        output->used = file->entry->output;
        drop_value(file);
        fail(file, error);
    } else {
        file->entry->outcome = WEIR_FILE_DONE;
        file->entry->output_length = output->used - file->entry->output;
    }
}

/* What is done with an open file depends on what it turns out to be. */
static void use_opened(weir_file_t *file) {
    weir_files_t files = file->stride->files;
    struct entry *entry = file->entry;
    entry->type = (uint8_t)weir__type_of_mode(file->status.st_mode);
    if (files_are_literal(files)) {
        run_job(file);
        return;
    }
    bool readable = entry->type == WEIR_ENTRY_FILE ||
                    (entry->type == WEIR_ENTRY_BLOCK_DEVICE && entry->named);
    if (entry->type == WEIR_ENTRY_DIRECTORY) {
        fail(file, EISDIR);
    } else if (!readable) {
        entry->outcome = WEIR_FILE_SPECIAL;
    } else if (is_excluded(files, &file->status)) {
        entry->state = ENTRY_EXCLUDED;
    } else {
        run_job(file);
    }
}

static int open_flags(weir_files_t files, const struct entry *entry) {
    bool follow = entry->named || (files->options.flags & WEIR_FILES_FOLLOW);
    return O_RDONLY | O_NOCTTY | (files_are_literal(files) ? 0 : O_NONBLOCK) |
           (follow ? 0 : O_NOFOLLOW);
}

/* Opens a file, relative to its directory where that is open. */
static int open_file(weir_file_t *file, int directory) {
    struct entry *entry = file->entry;
    size_t offset = directory >= 0 ? entry->name_offset : 0;
    return weir__open(directory >= 0 ? directory : AT_FDCWD,
                      entry_path(file->stride, entry) + offset,
                      entry->path_length - offset,
                      open_flags(file->stride->files, entry));
}

/* A socket cannot be opened at all, and an error there says little. A device
   without a driver has the same error, but is known for what it is. */
static void explain_failure(weir_file_t *file, int error) {
    bool may_be_socket = file->entry->type != WEIR_ENTRY_BLOCK_DEVICE &&
                         file->entry->type != WEIR_ENTRY_CHARACTER_DEVICE;
    if (error == ENXIO && may_be_socket &&
        !files_are_literal(file->stride->files)) {
        file->entry->outcome = WEIR_FILE_SPECIAL;
        file->entry->type = WEIR_ENTRY_SOCKET;
    } else {
        fail(file, error);
    }
}

static void account(weir_files_t files, const struct entry *entry) {
    if (entry->state == ENTRY_EXCLUDED) {
        files_count(&files->excluded_count, 1);
    } else if (entry->outcome == WEIR_FILE_DONE) {
        files_count(&files->files, 1);
    } else if (entry->outcome == WEIR_FILE_SPECIAL) {
        files_count_special(files, entry->named);
    } else {
        files_count(&files->failed, 1);
    }
}

/* ---- splitting --------------------------------------------------------- */

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
    if (!weir__files_take_permits(files, rest, false)) {
        weir__delivery_give(files, rest);
        return;
    }
    if (!weir__stride_move_rest(stride, first, rest)) {
        weir__files_give_permits(files, rest);
        weir__delivery_give(files, rest);
        return;
    }
    weir__delivery_enter(files, rest, stride);
    if (weir__lanes_async_front_f(files->lanes, rest, weir__reader_run) != 0) {
        /* No memory for a place in the FIFO: take it all back. */
        weir__delivery_withdraw(files, rest, stride);
        if (!weir__stride_move_rest(rest, 0, stride)) {
            files_stop(files, ENOMEM);
        }
        weir__files_give_permits(files, rest);
        weir__delivery_give(files, rest);
    }
}

/* ---- one stride -------------------------------------------------------- */

static size_t files_of_directory(const struct stride *stride, size_t first) {
    size_t count = 0;
    uint64_t directory = stride->entries[first].directory;
    for (size_t i = first;
         i < stride->count && stride->entries[i].directory == directory; i++) {
        count += stride->entries[i].state == ENTRY_PATH;
    }
    return count;
}

static void close_directory(struct open_directory *directory) {
    if (directory->descriptor >= 0) {
        close(directory->descriptor);
        directory->descriptor = -1;
    }
}

/* Sees to it that the directory of the entry at `index` is open, if that is
   worth it and permitted. Where it cannot be opened, the paths will tell. */
static void choose_directory(struct open_directory *directory,
                             struct stride *stride, size_t index) {
    struct entry *entry = &stride->entries[index];
    if (directory->decided && directory->number == entry->directory) {
        return;
    }
    close_directory(directory);
    directory->decided = true;
    directory->number = entry->directory;
    if (stride->permits < 2 || entry->name_offset == 0 ||
        files_of_directory(stride, index) < DIRECTORY_FILES_MIN) {
        return;
    }
    char *path = stride->paths.data + entry->path;
    char first_of_name = path[entry->name_offset];
    path[entry->name_offset] = '\0';
    int fd =
        weir__open(AT_FDCWD, path, entry->name_offset, O_PATH | O_DIRECTORY);
    path[entry->name_offset] = first_of_name;
    directory->descriptor = fd >= 0 ? fd : -1;
}

/* Reads the entry at `index`, and may split off what is behind it. */
static void read_path(weir_file_t *file, struct open_directory *directory,
                      size_t index, bool *split) {
    struct stride *stride = file->stride;
    choose_directory(directory, stride, index);
    file->descriptor = open_file(file, directory->descriptor);
    if (file->descriptor < 0) {
        explain_failure(file, -file->descriptor);
        return;
    }
    if (fstat(file->descriptor, &file->status) != 0) {
        fail(file, errno);
    } else {
        if (*split && (uint64_t)file->status.st_size >= SPLIT_BYTES) {
            split_rest(stride, index + 1);
            *split = false;
        }
        use_opened(file);
    }
    close(file->descriptor);
}

static void read_descriptor(weir_file_t *file) {
    file->descriptor = file->entry->descriptor;
    if (fstat(file->descriptor, &file->status) != 0) {
        fail(file, errno);
    } else {
        file->entry->type = (uint8_t)weir__type_of_mode(file->status.st_mode);
        run_job(file);
    }
}

/* A cancelled run: what was not read is not delivered. */
static void cut_short(struct stride *stride, size_t count) {
    stride->count = count;
    stride->cut_short = true;
}

void weir__reader_run(void *context, void *lane_context) {
    struct stride *stride = context;
    weir_files_t files = stride->files;
    struct open_directory directory = {.descriptor = -1};
    bool split = files->options.jobs != WEIR_LANES_INLINE;
    uint64_t read_before = 0;
    weir__raise_size(
        &files->busy_peak,
        atomic_fetch_add_explicit(&files->busy, 1, memory_order_relaxed) + 1);
    for (size_t i = 0; i < stride->count; i++) {
        struct entry *entry = &stride->entries[i];
        if (entry->state == ENTRY_DECIDED) {
            continue;
        }
        if (files_stopped(files)) {
            cut_short(stride, i);
            break;
        }
        weir_file_t file = {
            .stride = stride, .entry = entry, .reader = lane_context};
        if (!lane_context) {
            fail(&file, ENOMEM);
        } else if (entry->state == ENTRY_PATH) {
            read_path(&file, &directory, i, &split);
        } else {
            read_descriptor(&file);
        }
        account(files, entry);
        read_before += entry->bytes;
        if (split && read_before >= SPLIT_BYTES) {
            split_rest(stride, i + 1);
            split = false;
        }
    }
    close_directory(&directory);
    weir__files_give_permits(files, stride);
    atomic_fetch_sub_explicit(&files->busy, 1, memory_order_relaxed);
    weir__delivery_finish(files, stride);
}
