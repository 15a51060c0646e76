/*
 * inodes.c: reading the files of a stride in the order of their inodes.
 *
 * DESIGN. On a disk that turns, files of neighbouring inodes mostly lie near each
 * other, and names say nothing about that. So the files of a large stride are
 * looked at first, in the order of the inode numbers that the walk knows (each
 * look reads a piece of the inode tables, which opening them would read anyway);
 * that gives the number also of those that were named, and their sizes. They are
 * read in that order, and delivered in that of their names.
 *
 * Large files are not to wait for each other: what is delivered is what an
 * interrupted run need not read again. So the stride is cut where its files come
 * to 64 MiB, and the lane goes on with the rest, with the permits and the turn
 * that it has. For files of that size seeking is nothing.
 *
 * Where the disk has a file's bytes could be asked for (FIEMAP). It was rejected:
 * that takes an open descriptor for each file, twice.
 */
#include "files/inodes.h"

#include <fcntl.h>
#include <limits.h>

#include "walk/open.h"

/* Bytes of a stride, about. */
#define BYTES_AT_ONCE ((uint64_t)64 << 20)

/* A file to read. */
struct place {
    uint64_t inode;
    uint64_t size;
    uint32_t index; /* of its entry */
};

static int by_inode(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    if (left->inode != right->inode) {
        return left->inode < right->inode ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

static int by_index(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

/* ---- before ------------------------------------------------------------ */

static void look(struct stride *stride, struct reader *reader,
                 struct place *place) {
    weir__busy_at(reader, stride, place->index);
    const struct entry *entry = &stride->entries[place->index];
    unsigned follows = stride->files->options.flags & WEIR_FILES_FOLLOW;
    struct stat status;
    const char *path = entry_path(stride, entry);
    int error = entry->path_length >= PATH_MAX || entry->named || follows
                    ? weir__stat(path, entry->path_length, &status)
                    : lstat(path, &status);
    if (error == 0) {
        place->inode = status.st_ino;
        place->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    }
}

/* Those that are to be opened, looked at; how many. */
static size_t collect(struct stride *stride, struct reader *reader,
                      struct place *places) {
    size_t count = 0;
    for (size_t i = 0; i < stride->count; i++) {
        const struct entry *entry = &stride->entries[i];
        if (entry->state == ENTRY_PATH || entry->state == ENTRY_DESCRIPTOR) {
            places[count++] =
                (struct place){.inode = entry->inode, .index = (uint32_t)i};
        }
    }
    qsort(places, count, sizeof *places, by_inode);
    for (size_t i = 0; i < count; i++) {
        if (stride->entries[places[i].index].state == ENTRY_PATH) {
            look(stride, reader, &places[i]);
        }
    }
    return count;
}

/* How many of the places, which are in the order of the entries, are enough. */
static size_t enough(const struct place *places, size_t count) {
    uint64_t bytes = 0;
    size_t taken = 0;
    while (taken < count && bytes < BYTES_AT_ONCE) {
        bytes += places[taken++].size;
    }
    return taken;
}

/* Puts what begins with an entry into a stride of its own, behind this one. NULL
   where there is none to be had: then it stays. */
static struct stride *cut_off(struct stride *stride, size_t first) {
    weir_files_t files = stride->files;
    struct stride *rest = weir__delivery_take(files, false);
    if (!rest) {
        return NULL;
    }
    if (!weir__stride_move_rest(stride, first, rest)) {
        weir__delivery_give(files, rest);
        return NULL;
    }
    rest->by_inode = true;
    weir__delivery_enter(files, rest, stride);
    return rest;
}

struct stride *weir__inodes_begin(struct stride *stride,
                                  struct reader *reader) {
    if (!stride->by_inode || !reader) {
        return NULL;
    }
    struct bytes *memory = &reader->order;
    memory->used = 0;
    size_t size = stride->count * (sizeof(struct place) + sizeof(uint32_t));
    struct place *places = (void *)weir__bytes_reserve(memory, size);
    if (!places) {
        return NULL; /* in the order of their names, then */
    }
    uint32_t *order = (void *)(places + stride->count);
    size_t count = collect(stride, reader, places);
    qsort(places, count, sizeof *places, by_index);
    size_t taken = enough(places, count);
    struct stride *rest =
        taken < count ? cut_off(stride, places[taken].index) : NULL;
    count = rest ? taken : count;
    qsort(places, count, sizeof *places, by_inode);
    for (size_t i = 0; i < count; i++) {
        order[i] = places[i].index;
    }
    stride->order = order;
    stride->ordered = count;
    return rest;
}

/* ---- behind ------------------------------------------------------------ */

/* What the jobs wrote, in the order of the entries. False where memory is
   short. */
static bool arrange_output(struct stride *stride) {
    struct bytes arranged = {.data = NULL};
    size_t length = stride->output.used;
    char *to = length ? weir__bytes_reserve(&arranged, length) : NULL;
    if (length && !to) {
        return false;
    }
    for (size_t i = 0; i < stride->count; i++) {
        struct entry *entry = &stride->entries[i];
        if (entry->state == ENTRY_DECIDED || entry->output_length == 0) {
            continue;
        }
        memcpy(to + arranged.used, stride->output.data + entry->output,
               entry->output_length);
        entry->output = arranged.used;
        arranged.used += entry->output_length;
    }
    if (length) {
        free(stride->output.data);
        stride->output = arranged;
    }
    return true;
}

static void drop_behind(struct stride *stride, size_t count) {
    const weir_files_options_t *options = &stride->files->options;
    for (size_t i = count; i < stride->count; i++) {
        if (stride->entries[i].value && options->value_drop) {
            options->value_drop(options->user, stride->entries[i].value);
        }
    }
    stride->count = count;
    stride->cut_short = true;
}

void weir__inodes_end(struct stride *stride, size_t read) {
    if (!stride->order) {
        return;
    }
    size_t first = stride->count;
    for (size_t i = read; i < stride->ordered; i++) {
        first = stride->order[i] < first ? stride->order[i] : first;
    }
    if (read < stride->ordered) {
        drop_behind(stride, first);
    }
    if (!arrange_output(stride)) {
        weir__files_stop(stride->files, ENOMEM);
        drop_behind(stride, 0);
    }
    stride->order = NULL;
}
