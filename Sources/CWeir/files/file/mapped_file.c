/*
 * mapped_file.c: pieces of a large file in the page cache, mapped instead of
 * copied.
 *
 * DESIGN. A page table can map 2 MiB at once if the page cache holds them in
 * one folio. Then a window costs next to nothing, and XXH128 of a file takes
 * 0.4 of the processor time that it takes by reads, SHA-256 0.9 and BLAKE3
 * 0.75; of smaller folios XXH128 takes 1.1 to 1.5 of the time. So a window has
 * whole blocks of 2 MiB, and the faults that it took tell its worth: after a
 * window of small folios, or one that is not in the page cache, as many bytes
 * are read, and twice as many after each further one.
 *
 * The beginning of a file is always read: it may be the whole file, and
 * change.c compares it. A window has 8 MiB: larger ones save nothing, and its
 * pages count in the resident set.
 *
 * A file that is cut short, or whose storage fails, ends the window
 * (system/mapped/). The job goes on with zeros until its next read; whatever it
 * returns, the file fails with the error of reading the same byte, or has
 * changed.
 */
#include "files/file/open_file.h"

#include <unistd.h>

#define BLOCK ((uint64_t)2 << 20)
#define WINDOW_MAX ((uint64_t)8 << 20)

/* The most bytes of a piece, after which a stop of the run is noticed. */
#define PIECE_MAX ((uint64_t)1 << 20)

/* A window with more faults than one for so many bytes has cost too much: the
   kernel maps 64 KiB at a fault, or a whole block. */
#define FAULT_WORTH ((size_t)512 << 10)

/* In window_error: the file changed. */
#define HAS_CHANGED (-1)

static uint64_t next_block(uint64_t offset) {
    return (offset + BLOCK - 1) & ~(BLOCK - 1);
}

static bool may_map(const weir_file_t *file) {
    return (file->files->options.flags & WEIR_FILES_MAPPED) &&
           file->change.state == CHANGE_WATCHED &&
           file->change.times == FILE_TIMES_LOCAL &&
           file->entry->state == ENTRY_PATH;
}

bool weir__mapped_open(const weir_file_t *file, struct mapped *mapped,
                       uint64_t offset, uint64_t end) {
    end = end < (uint64_t)file->status.st_size ? end
                                               : (uint64_t)file->status.st_size;
    uint64_t size = end > offset ? (end - offset) & ~(BLOCK - 1) : 0;
    size_t faults = 0;
    if (offset < mapped->next || !may_map(file)) {
        return false;
    }
    if (offset % BLOCK != 0) {
        mapped->next = next_block(offset);
        return false;
    }
    if (!mapped->has_asked) {
        mapped->has_asked = true;
        mapped->window = weir__window_take();
    }
    if (!mapped->window || size == 0) {
        return false;
    }
    size = size < WINDOW_MAX ? size : WINDOW_MAX;
    mapped->is_open =
        weir__window_is_cached(file->descriptor, offset, (size_t)size) &&
        weir__window_map(mapped->window, file->descriptor, offset, (size_t)size,
                         &faults);
    mapped->begin = offset;
    mapped->end = offset + size;
    if (!mapped->is_open || faults > size / FAULT_WORTH) {
        mapped->skip = mapped->skip ? 2 * mapped->skip : size;
        mapped->next = mapped->end + mapped->skip;
    } else {
        mapped->skip = 0;
    }
    return mapped->is_open;
}

size_t weir__mapped_limit(const weir_file_t *file, const struct mapped *mapped,
                          uint64_t offset, size_t size) {
    uint64_t next = mapped->next;
    bool is_near = next > offset && next - offset < size && may_map(file) &&
                   (uint64_t)file->status.st_size >= next + BLOCK;
    return is_near ? (size_t)(next - offset) : size;
}

/* Keeps the reason if bytes of the window could not be had. */
static void keep_failure(weir_file_t *file, const struct mapped *mapped) {
    const struct weir__window *window = mapped->window;
    const char *failed = load_relaxed(&window->failed);
    if (WEIR_UNLIKELY(failed != NULL)) {
        uint64_t offset =
            mapped->begin + (uint64_t)(failed - load_relaxed(&window->begin));
        char byte;
        ssize_t got;
        do {
            got = pread(file->descriptor, &byte, 1, (off_t)offset);
        } while (got < 0 && errno == EINTR);
        store_relaxed(&file->window_error, got < 0 ? errno : HAS_CHANGED);
    }
}

void weir__mapped_close(weir_file_t *file, struct mapped *mapped) {
    if (mapped->is_open) {
        keep_failure(file, mapped);
        weir__window_unmap(mapped->window);
        mapped->is_open = false;
    }
}

/* ---- the lane ---------------------------------------------------------- */

/* Returns true if the next bytes are in the window of the lane. */
static bool is_in_window(weir_file_t *file, struct mapped *mapped) {
    uint64_t offset = file->entry->bytes;
    if (mapped->is_open && !file->is_lent && offset < mapped->end) {
        keep_failure(file, mapped);
        return true;
    }
    weir__mapped_close(file, mapped);
    return !file->is_lent && load_relaxed(&file->window_error) == 0 &&
           weir__mapped_open(file, mapped, offset, UINT64_MAX);
}

bool weir__mapped_next(weir_file_t *file, const void **bytes, size_t *length,
                       int *error) {
    struct mapped *mapped = &file->reader->mapped;
    bool is_mapped = is_in_window(file, mapped);
    int failure = load_relaxed(&file->window_error);
    *error = failure > 0 ? failure : 0;
    *length = 0;
    if (failure == 0 && is_mapped) {
        uint64_t offset = file->entry->bytes, left = mapped->end - offset;
        *bytes =
            load_relaxed(&mapped->window->begin) + (offset - mapped->begin);
        *length = (size_t)(left < PIECE_MAX ? left : PIECE_MAX);
        file->needs_seek = true;
    }
    return is_mapped || failure != 0;
}

int weir__mapped_end(weir_file_t *file, int error) {
    struct mapped *mapped = &file->reader->mapped;
    weir__mapped_close(file, mapped);
    mapped->next = mapped->skip = 0;
    int failure = load_relaxed(&file->window_error);
    if (failure == HAS_CHANGED) {
        file->change.state = CHANGE_FOUND;
    }
    return failure == 0 ? error : failure > 0 ? failure : 0;
}
