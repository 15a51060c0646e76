/*
 * inode_order.c: reading the files of a batch in the order of their inodes.
 *
 * DESIGN. On a rotating disk files of neighbouring inodes mostly lie near each
 * other. So the lane asks for the status of the files of a large batch first,
 * in the order of the inode numbers from the walk (each call reads a part of
 * the inode tables that the open would read anyway). The files are read in that
 * order, and delivered in the order of their names.
 *
 * Large files should not wait for each other, since an interrupted run need not
 * read again what was delivered. So the batch is cut after 64 MiB, and the lane
 * goes on with the rest, with the same permits, device slot and status.
 * Rejected: to ask for the place of the bytes on the disk (FIEMAP), which takes
 * an open descriptor for each file, twice.
 */
#include "files/lane/lane.h"

#include "walk/open.h"

/* The bytes of a batch, roughly. */
#define BYTES_AT_ONCE ((uint64_t)64 << 20)

struct place {
    uint64_t inode;
    uint64_t size;
    uint32_t index; /* of its entry */
};

static int by_index(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

static int by_inode(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    return left->inode == right->inode  ? by_index(a, b)
           : left->inode < right->inode ? -1
                                        : 1;
}

static void stat_place(struct lane *lane, struct batch *batch,
                       struct place *place) {
    weir__busy_set(lane, batch, place->index);
    const struct entry *entry = &batch->entries[place->index];
    struct stat status;
    if (weir__stat_in_tree(entry_path(batch, entry), entry->root_length,
                           entry->path_length, &status) == 0) {
        place->inode = status.st_ino;
        place->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    }
}

/* Collects the files to read; none if the run was stopped. */
static size_t collect(struct lane *lane, struct batch *batch,
                      struct place *places) {
    weir_files_t files = batch->files;
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (entry_is_to_read(&batch->entries[i])) {
            places[count++] = (struct place){.inode = batch->entries[i].inode,
                                             .index = (uint32_t)i};
        }
    }
    qsort(places, count, sizeof *places, by_inode);
    for (size_t i = 0; i < count; i++) {
        if (files_is_paused(files)) {
            weir__busy_end(lane);
            weir__files_wait_while_paused(files);
        }
        if (files_is_stopped(files)) {
            return 0;
        }
        if (batch->entries[places[i].index].state == ENTRY_PATH) {
            stat_place(lane, batch, &places[i]);
        }
    }
    return count;
}

void weir__inode_order_plan(struct lane *lane, struct batch *batch) {
    lane->to_order = 0;
    lane->order.used = 0;
    size_t size = batch->count * (sizeof(struct place) + sizeof(uint32_t));
    struct place *places = (void *)weir__bytes_reserve(&lane->order, size);
    if (places) { /* else they are read in the order of their names */
        lane->to_order = collect(lane, batch, places);
        qsort(places, lane->to_order, sizeof *places, by_index);
    }
}

size_t weir__inode_order_cut(const struct lane *lane,
                             const struct batch *batch) {
    const struct place *places = (void *)lane->order.data;
    uint64_t bytes = 0;
    for (size_t i = 0; i < lane->to_order; i++) {
        if (bytes >= BYTES_AT_ONCE) {
            return places[i].index;
        }
        bytes += places[i].size;
    }
    return batch->count;
}

void weir__inode_order_begin(struct lane *lane, struct batch *batch) {
    struct place *places = (void *)lane->order.data;
    size_t count = lane->to_order;
    while (count > 0 && places[count - 1].index >= batch->count) {
        count--;
    }
    if (count == 0) {
        return;
    }
    uint32_t *order = (void *)(places + lane->to_order);
    qsort(places, count, sizeof *places, by_inode);
    for (size_t i = 0; i < count; i++) {
        order[i] = places[i].index;
    }
    batch->order = order;
    batch->ordered = count;
}

void weir__inode_order_advance(struct lane *lane, size_t first) {
    struct place *places = (void *)lane->order.data;
    size_t count = 0;
    for (size_t i = 0; i < lane->to_order; i++) {
        if (places[i].index >= first) {
            places[count] = places[i];
            places[count++].index -= (uint32_t)first;
        }
    }
    lane->to_order = count;
}

/* Puts the output into the order of the entries, if memory allows. */
static bool arrange_output(struct batch *batch) {
    struct bytes arranged = {.data = NULL};
    size_t length = batch->output.used;
    char *to = length ? weir__bytes_reserve(&arranged, length) : NULL;
    if (length && !to) {
        return false;
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct entry *entry = &batch->entries[i];
        if (entry->state == ENTRY_DECIDED || entry->output_length == 0) {
            continue;
        }
        memcpy(to + arranged.used, batch->output.data + entry->output,
               entry->output_length);
        entry->output = arranged.used;
        arranged.used += entry->output_length;
    }
    if (length) {
        free(batch->output.data);
        batch->output = arranged;
    }
    return true;
}

void weir__inode_order_end(struct batch *batch, size_t read) {
    size_t first = batch->count;
    for (size_t i = read; i < batch->ordered; i++) {
        first = batch->order[i] < first ? batch->order[i] : first;
    }
    if (read < batch->ordered) {
        weir__batch_cut_short(batch, first);
    }
    if (!arrange_output(batch)) {
        weir__files_stop(batch->files, ENOMEM);
        weir__batch_cut_short(batch, 0);
    }
    batch->order = NULL;
}
