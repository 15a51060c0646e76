/*
 * stride.c: the memory of a stride.
 *
 * DESIGN. Paths packed in one buffer, notes in one, entries in one array,
 * output in one buffer; strides are used again and again. So a file costs no allocation, and
 * a run as much memory as the strides that are under way at once.
 */
#include "files/stride.h"

/* What a free stride may keep. */
#define KEPT_BYTES ((size_t)32768)

struct stride *weir__stride_create(weir_files_t files) {
    struct stride *stride = calloc(1, sizeof *stride);
    if (stride) {
        stride->files = files;
    }
    return stride;
}

void weir__stride_destroy(struct stride *stride) {
    free(stride->entries);
    free(stride->paths.data);
    free(stride->notes.data);
    free(stride->output.data);
    free(stride);
}

static void clear_bytes(struct bytes *bytes) {
    bytes->used = 0;
    if (bytes->capacity > KEPT_BYTES) {
        free(bytes->data);
        bytes->data = NULL;
        bytes->capacity = 0;
    }
}

void weir__stride_clear(struct stride *stride) {
    clear_bytes(&stride->paths);
    clear_bytes(&stride->notes);
    clear_bytes(&stride->output);
    stride->next = NULL;
    stride->count = stride->to_read = stride->to_open = stride->permits = 0;
    stride->finished = stride->cut_short = stride->by_inode = false;
    stride->turns = NULL;
    if (stride->capacity * sizeof *stride->entries > KEPT_BYTES) {
        free(stride->entries);
        stride->entries = NULL;
        stride->capacity = 0;
    }
}

static bool reserve_entries(struct stride *stride, size_t count) {
    if (stride->capacity < count) {
        size_t capacity = stride->capacity ? stride->capacity * 2 : 16;
        if (capacity < count) {
            capacity = count;
        }
        struct entry *entries =
            realloc(stride->entries, capacity * sizeof *entries);
        if (!entries) {
            return false;
        }
        stride->entries = entries;
        stride->capacity = capacity;
    }
    return true;
}

struct entry *weir__stride_add(struct stride *stride, const char *path,
                               size_t length, size_t name_offset) {
    char *copy = length < UINT32_MAX / 2
                     ? weir__bytes_reserve(&stride->paths, length + 1)
                     : NULL;
    if (!copy || !reserve_entries(stride, stride->count + 1)) {
        return NULL;
    }
    memcpy(copy, path, length);
    copy[length] = '\0';
    struct entry *entry = &stride->entries[stride->count++];
    *entry = (struct entry){.path = (uint32_t)stride->paths.used,
                            .path_length = (uint32_t)length,
                            .name_offset = (uint32_t)name_offset,
                            .note = (uint32_t)stride->notes.used,
                            .descriptor = -1};
    stride->paths.used += length + 1;
    return entry;
}

bool weir__stride_add_note(struct stride *stride, const void *note,
                           size_t length) {
    size_t whole = (length + NOTE_ALIGNMENT - 1) & ~(NOTE_ALIGNMENT - 1);
    char *copy = length < UINT32_MAX / 2
                     ? weir__bytes_reserve(&stride->notes, whole)
                     : NULL;
    if (!copy) {
        return false;
    }
    memcpy(copy, note, length);
    stride->entries[stride->count - 1].note_length = (uint32_t)length;
    stride->notes.used += whole;
    return true;
}

bool weir__stride_add_target(struct stride *stride, const char *target,
                             size_t length) {
    char *copy = weir__bytes_reserve(&stride->paths, length);
    if (!copy) {
        return false;
    }
    memcpy(copy, target, length);
    stride->entries[stride->count - 1].output_length = length;
    stride->paths.used += length;
    return true;
}

static void count_again(struct stride *stride) {
    stride->to_read = stride->to_open = 0;
    for (size_t i = 0; i < stride->count; i++) {
        uint8_t state = stride->entries[i].state;
        stride->to_open += state == ENTRY_PATH;
        stride->to_read += state == ENTRY_PATH || state == ENTRY_DESCRIPTOR;
    }
}

/* Room in `to` for what begins at `first`. */
static bool reserve_rest(const struct bytes *from, size_t first,
                         struct bytes *to) {
    return from->used == first || weir__bytes_reserve(to, from->used - first);
}

/* Moves what begins at `first`, for which there is room. */
static void move_bytes(struct bytes *from, size_t first, struct bytes *to) {
    if (from->used > first) {
        memcpy(to->data + to->used, from->data + first, from->used - first);
        to->used += from->used - first;
        from->used = first;
    }
}

bool weir__stride_move_rest(struct stride *from, size_t first,
                            struct stride *to) {
    uint32_t path = from->entries[first].path;
    uint32_t note = from->entries[first].note;
    size_t moved = from->count - first;
    if (!reserve_rest(&from->paths, path, &to->paths) ||
        !reserve_rest(&from->notes, note, &to->notes) ||
        !reserve_entries(to, to->count + moved)) {
        return false;
    }
    for (size_t i = 0; i < moved; i++) {
        struct entry *entry = &to->entries[to->count + i];
        *entry = from->entries[first + i];
        entry->path = entry->path - path + (uint32_t)to->paths.used;
        entry->note = entry->note - note + (uint32_t)to->notes.used;
    }
    move_bytes(&from->paths, path, &to->paths);
    move_bytes(&from->notes, note, &to->notes);
    to->count += moved;
    from->count = first;
    count_again(to);
    count_again(from);
    return true;
}

static bool reserve_results(struct results *results, size_t count) {
    if (results->capacity < count) {
        weir_file_result_t *data =
            realloc(results->data, count * sizeof *results->data);
        if (!data) {
            return false;
        }
        results->data = data;
        void **values =
            realloc(results->values, count * sizeof *results->values);
        if (!values) {
            return false;
        }
        results->values = values;
        results->capacity = count;
    }
    return true;
}

/* NULL where the stride has no output at all. */
static const char *entry_output(const struct stride *stride,
                                const struct entry *entry) {
    if (entry->outcome == WEIR_FILE_LINK) {
        return entry_path(stride, entry) + entry->path_length + 1;
    }
    const char *output = stride->output.data;
    return output ? output + entry->output : NULL;
}

static weir_file_result_t result_of(const struct stride *stride,
                                    const struct entry *entry) {
    return (weir_file_result_t){
        .path = entry_path(stride, entry),
        .path_length = entry->path_length,
        .outcome = (weir_file_outcome_t)entry->outcome,
        .type = (weir_entry_type_t)entry->type,
        .error = entry->error,
        .named = entry->named,
        .bytes = entry->bytes,
        .size = entry->size,
        .output = entry_output(stride, entry),
        .output_length = entry->output_length,
        .note = entry_note(stride, entry),
        .note_length = entry->note_length,
        .source = entry->source,
    };
}

void weir__results_destroy(struct results *results) {
    free(results->data);
    free(results->values);
}

bool weir__stride_batch(const struct stride *stride, struct results *results,
                        struct batch *batch) {
    if (!reserve_results(results, stride->count)) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < stride->count; i++) {
        if (stride->entries[i].state != ENTRY_EXCLUDED) {
            results->values[count] = stride->entries[i].value;
            results->data[count++] = result_of(stride, &stride->entries[i]);
        }
    }
    batch->values = results->values;
    batch->shown = (weir_files_batch_t){
        .results = results->data,
        .count = count,
        .output = stride->output.data,
        .output_length = stride->output.used,
    };
    return true;
}
