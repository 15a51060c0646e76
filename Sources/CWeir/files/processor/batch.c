/*
 * batch.c: the memory of a batch.
 *
 * DESIGN. All paths are in one buffer, all notes in one, all entries in one
 * array, all output in one buffer, and batches are used again. So a file costs
 * no allocation, and a run only the memory of the batches in progress.
 */
#include "files/processor/batch.h"

/* A buffer of an unused batch that is larger is freed. */
#define KEPT_BYTES ((size_t)32768)

struct batch *weir__batch_create(weir_files_t files) {
    struct batch *batch = calloc(1, sizeof *batch);
    if (batch) {
        batch->files = files;
    }
    return batch;
}

void weir__batch_destroy(struct batch *batch) {
    free(batch->entries);
    free(batch->paths.data);
    free(batch->notes.data);
    free(batch->output.data);
    free(batch);
}

static void clear_bytes(struct bytes *bytes) {
    bytes->used = 0;
    if (bytes->capacity > KEPT_BYTES) {
        free(bytes->data);
        bytes->data = NULL;
        bytes->capacity = 0;
    }
}

void weir__batch_clear(struct batch *batch) {
    clear_bytes(&batch->paths);
    clear_bytes(&batch->notes);
    clear_bytes(&batch->output);
    batch->next = NULL;
    batch->count = batch->to_read = batch->to_open = batch->permits = 0;
    batch->is_finished = batch->is_cut_short = batch->is_by_inode = false;
    batch->was_seen = false;
    batch->slots = NULL;
    if (batch->capacity * sizeof *batch->entries > KEPT_BYTES) {
        free(batch->entries);
        batch->entries = NULL;
        batch->capacity = 0;
    }
}

struct entry *weir__batch_add(struct batch *batch, const char *path,
                              size_t length, size_t name_offset) {
    char *copy = length < UINT32_MAX / 2
                     ? weir__bytes_reserve(&batch->paths, length + 1)
                     : NULL;
    if (!copy || !weir__grow(&batch->entries, sizeof *batch->entries,
                             &batch->capacity, batch->count + 1)) {
        return NULL;
    }
    memcpy(copy, path, length);
    copy[length] = '\0';
    struct entry *entry = &batch->entries[batch->count++];
    *entry = (struct entry){.path = (uint32_t)batch->paths.used,
                            .path_length = (uint32_t)length,
                            .name_offset = (uint32_t)name_offset,
                            .note = (uint32_t)batch->notes.used,
                            .descriptor = -1};
    batch->paths.used += length + 1;
    return entry;
}

bool weir__batch_add_note(struct batch *batch, const void *note,
                          size_t length) {
    size_t whole = (length + NOTE_ALIGNMENT - 1) & ~(NOTE_ALIGNMENT - 1);
    char *copy = length < UINT32_MAX / 2
                     ? weir__bytes_reserve(&batch->notes, whole)
                     : NULL;
    if (!copy) {
        return false;
    }
    memcpy(copy, note, length);
    batch->entries[batch->count - 1].note_length = (uint32_t)length;
    batch->notes.used += whole;
    return true;
}

bool weir__batch_add_target(struct batch *batch, const char *target,
                            size_t length) {
    char *copy = weir__bytes_reserve(&batch->paths, length);
    if (!copy) {
        return false;
    }
    memcpy(copy, target, length);
    batch->entries[batch->count - 1].output_length = length;
    batch->paths.used += length;
    return true;
}

/* ---- moving entries ---------------------------------------------------- */

/* Makes room for the entries [first, end). False if memory is short. */
static bool reserve(const struct batch *from, size_t first, size_t end,
                    struct batch *to) {
    const struct entry *entry = &from->entries[first];
    size_t notes = from->notes.used - entry->note;
    return weir__bytes_reserve(&to->paths, from->paths.used - entry->path) &&
           (notes == 0 || weir__bytes_reserve(&to->notes, notes)) &&
           weir__grow(&to->entries, sizeof *to->entries, &to->capacity,
                      end - first);
}

/* Copies the bytes from `first` on, for which there is room. */
static void copy_bytes(const struct bytes *from, size_t first,
                       struct bytes *to) {
    if (from->used > first) { /* else there may be no data */
        memcpy(to->data, from->data + first, from->used - first);
        to->used = from->used - first;
    }
}

/* Copies the entries [first, end), for which there is room. */
static void copy(const struct batch *from, size_t first, size_t end,
                 struct batch *to) {
    uint32_t path = from->entries[first].path;
    uint32_t note = from->entries[first].note;
    to->count = end - first;
    for (size_t i = 0; i < to->count; i++) {
        to->entries[i] = from->entries[first + i];
        to->entries[i].path -= path;
        to->entries[i].note -= note;
    }
    copy_bytes(&from->paths, path, &to->paths);
    copy_bytes(&from->notes, note, &to->notes);
}

bool weir__batch_move_rest(struct batch *from, size_t first, struct batch *to) {
    if (!reserve(from, first, from->count, to)) {
        return false;
    }
    copy(from, first, from->count, to);
    from->count = first;
    return true;
}

/* Until the exchange the lane of `from` may take places. */
bool weir__batch_move_half(struct batch *from, struct batch *to) {
    uint64_t range = load_relaxed(&from->range), next, end, first;
    do {
        next = (uint32_t)range;
        end = range >> 32;
        first = next + (end - next) / 2;
        if (next >= end || !reserve(from, first, end, to)) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &from->range, &range, first << 32 | next, memory_order_relaxed,
        memory_order_relaxed));
    copy(from, first, end, to);
    return true;
}

void weir__entry_drop_value(struct batch *batch, struct entry *entry) {
    const weir_files_options_t *options = &batch->files->options;
    void *value = entry->value;
    entry->value = NULL;
    if (value && options->value_drop) {
        options->value_drop(options->user, value);
    }
}

void weir__batch_cut_short(struct batch *batch, size_t first) {
    for (size_t i = first; i < batch->count; i++) {
        weir__entry_drop_value(batch, &batch->entries[i]);
    }
    batch->count = first;
    batch->is_cut_short = true;
}

/* ---- results ----------------------------------------------------------- */

/* The two arrays share one capacity: it changes when both have grown. */
static bool reserve_results(struct results *results, size_t count) {
    size_t capacity = results->capacity;
    if (!weir__grow(&results->data, sizeof *results->data, &capacity, count)) {
        return false;
    }
    return weir__grow(&results->values, sizeof *results->values,
                      &results->capacity, count);
}

/* Returns NULL if the whole batch has no output. */
static const char *entry_output(const struct batch *batch,
                                const struct entry *entry) {
    if (entry->outcome == WEIR_FILE_LINK) {
        return entry_path(batch, entry) + entry->path_length + 1;
    }
    const char *output = batch->output.data;
    return output ? output + entry->output : NULL;
}

static weir_file_result_t result_of(const struct batch *batch,
                                    const struct entry *entry) {
    return (weir_file_result_t){
        .path = entry_path(batch, entry),
        .path_length = entry->path_length,
        .outcome = (weir_file_outcome_t)entry->outcome,
        .type = (weir_entry_type_t)entry->type,
        .error = entry->error,
        .named = entry->named,
        .bytes = entry->bytes,
        .size = entry->size,
        .output = entry_output(batch, entry),
        .output_length = entry->output_length,
        .note = entry_note(batch, entry),
        .note_length = entry->note_length,
        .source = entry->source,
    };
}

bool weir__batch_show(const struct batch *batch, struct results *results,
                      struct delivered_batch *shown) {
    if (!reserve_results(results, batch->count)) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->entries[i].state != ENTRY_EXCLUDED) {
            results->values[count] = batch->entries[i].value;
            results->data[count++] = result_of(batch, &batch->entries[i]);
        }
    }
    shown->values = results->values;
    shown->shown = (weir_files_batch_t){
        .results = results->data,
        .count = count,
        .output = batch->output.data,
        .output_length = batch->output.used,
    };
    return true;
}

void *weir_files_batch_value(const weir_files_batch_t *batch, size_t index) {
    const struct delivered_batch *delivered = (const void *)batch;
    return index < batch->count ? delivered->values[index] : NULL;
}
