/*
 * storage.c: the storage of a file, and the advice for it.
 *
 * DESIGN. Unknown storage does not count as slow: one reader in place of many
 * costs more than many in place of one. With cold pages 10,000 files take 1.56
 * s with two lanes, 0.74 s with four and 0.51 s with eight; in a warm cache
 * four lanes a core cost what one costs.
 */
#include "base/internal.h"
#include "base/text.h"

#include <weir/storage.h>

#include "system/cores.h"
#include "system/media.h"

/* Readers of a server; and of other storage, for each core and at most. */
#define READERS_NETWORK ((size_t)16)
#define READERS_PER_CORE ((size_t)4)
#define READERS_MAX ((size_t)32)

/* The readers that storage may get if all others wait for it. */
#define READERS_WAITING ((size_t)64)

/* Adds the advice for a medium. Not static: tests call it. */
WEIR_HIDDEN void weir__storage_complete(weir_storage_t *storage);

/* While one reader waits for the disk, others run. */
static size_t readers_of_disk(void) {
    size_t cores = weir__cores(), most = cores * READERS_PER_CORE;
    most = most < READERS_MAX ? most : READERS_MAX;
    return most > cores ? most : cores;
}

/* Nothing waits for memory: a reader per core is enough. */
static size_t readers_of(weir_storage_kind_t kind) {
    switch (kind) {
    case WEIR_STORAGE_ROTATING:
        return 1;
    case WEIR_STORAGE_NETWORK:
        return READERS_NETWORK;
    case WEIR_STORAGE_MEMORY:
        return weir__cores();
    default:
        return readers_of_disk();
    }
}

static size_t readers_max_of(const weir_storage_t *storage) {
    bool may_grow = storage->kind != WEIR_STORAGE_ROTATING &&
                    storage->kind != WEIR_STORAGE_MEMORY;
    return may_grow && storage->readers < READERS_WAITING ? READERS_WAITING
                                                          : storage->readers;
}

void weir__storage_complete(weir_storage_t *storage) {
    weir__text_show(storage->disk);
    weir__text_show(storage->evidence);
    storage->readers = readers_of(storage->kind);
    storage->readers_max = readers_max_of(storage);
    storage->by_inode = storage->kind == WEIR_STORAGE_ROTATING;
}

int weir_storage_of(int descriptor, weir_storage_t *storage, size_t size) {
    weir_storage_t found = {.device = 0};
    int error = weir__medium_of(descriptor, &found);
    if (!error) {
        weir__storage_complete(&found);
        weir__copy_stats(storage, size, &found, sizeof found);
    }
    return error;
}
