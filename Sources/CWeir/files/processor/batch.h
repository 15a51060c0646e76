/* batch.h: the memory of several files that go through as one unit. */
#pragma once

#include "base/bytes.h"
#include "files/processor/processor.h"

#define NOTE_ALIGNMENT ((size_t)8)

/* The work that an entry needs. */
enum entry_state {
    ENTRY_PATH,       /* a file to open */
    ENTRY_DESCRIPTOR, /* a descriptor of the caller to read */
    ENTRY_DECIDED,    /* none: outcome and error are final */
    ENTRY_EXCLUDED    /* none: excluded, without a result */
};

struct entry {
    uint32_t path;        /* its place in the paths of the batch */
    uint32_t path_length; /* without the NUL */
    uint32_t name_offset; /* of the last component in the path */
    uint32_t root_length; /* of the root that the walk of it began at, below
                             which no link is followed; 0 to follow all */
    uint8_t state;        /* enum entry_state */
    uint8_t outcome;      /* weir_file_outcome_t */
    uint8_t type;         /* weir_entry_type_t */
    bool named;
    uint64_t directory; /* equal for neighbours in one directory */
    size_t output;      /* its place in the output of the batch; the target of
                           a link stands after its path instead */
    size_t output_length;
    uint64_t bytes;
    uint64_t size; /* of a regular file whose status is known */
    int descriptor;
    int error;
    uint32_t note; /* its place in the notes of the batch */
    uint32_t note_length;
    uint64_t inode; /* from the walk, or 0 */
    void *value;    /* the job's, or NULL */
    uint32_t source;
};

struct batch {
    struct batch *next; /* in the order of delivery, or among the unused */
    weir_files_t files;
    struct entry *entries;
    size_t count;
    size_t capacity;
    size_t to_read; /* entries that are ENTRY_PATH or ENTRY_DESCRIPTOR */
    size_t to_open; /* entries that are ENTRY_PATH */
    size_t permits; /* held */
    bool is_finished;
    bool is_cut_short; /* a cancelled run did not reach the last entry */
    bool is_by_inode;  /* the files are read in the order of their inodes */
    bool is_large;     /* counted in large_batches */
    bool is_part;      /* of another batch; not counted in taken */
    bool was_seen;     /* by a lane without work, when it last looked */
    _Atomic uint64_t range; /* of places that are still to read; see below */
    struct device_slots *slots; /* of the device; one is taken; or NULL */
    uint32_t *order;            /* of reading, while that is not the entries' */
    size_t ordered;             /* entries in that order */
    size_t position;            /* of the present entry in that order */
    struct bytes paths;
    struct bytes notes; /* each begins at a multiple of NOTE_ALIGNMENT */
    struct bytes output;
};

/* A batch as its delivery sees it. */
struct delivered_batch {
    weir_files_batch_t shown; /* first: a pointer to it is one to the struct */
    void *const *values;
};

/* Returns NULL if memory is short. */
WEIR_HIDDEN struct batch *weir__batch_create(weir_files_t files);
WEIR_HIDDEN void weir__batch_destroy(struct batch *batch);

/* Empties the batch, and frees buffers that have grown large. */
WEIR_HIDDEN void weir__batch_clear(struct batch *batch);

/* Adds a zeroed entry with a copy of its path, or returns NULL. */
WEIR_HIDDEN struct entry *weir__batch_add(struct batch *batch, const char *path,
                                          size_t length, size_t name_offset);

/* Copies a note for the last entry. False if memory is short. */
WEIR_HIDDEN bool weir__batch_add_note(struct batch *batch, const void *note,
                                      size_t length);

/* Copies the target of a link as the output of the last entry, or fails. */
WEIR_HIDDEN bool weir__batch_add_target(struct batch *batch, const char *target,
                                        size_t length);

/* Moves the entries from `first` on to an empty batch, or changes nothing. */
WEIR_HIDDEN bool weir__batch_move_rest(struct batch *from, size_t first,
                                       struct batch *to);

/* Moves the second half of the rest to an empty batch, while another lane reads
   `from`; or changes nothing. */
WEIR_HIDDEN bool weir__batch_move_half(struct batch *from, struct batch *to);

/* Ends the batch before the entry `first`, because the run was stopped: drops
   the values of the entries from there on. */
WEIR_HIDDEN void weir__batch_cut_short(struct batch *batch, size_t first);

/* Drops the value of an entry, if its job has set one. */
WEIR_HIDDEN void weir__entry_drop_value(struct batch *batch,
                                        struct entry *entry);

/* Writes the batch for its delivery; `results` is the memory for that. False if
   memory is short. */
WEIR_HIDDEN bool weir__batch_show(const struct batch *batch,
                                  struct results *results,
                                  struct delivered_batch *shown);

/* ---- the range --------------------------------------------------------- */

/* The places of a batch that are still to read: the next one in the lower half,
   which its lane takes, the end in the upper half, which another one lowers. */
static inline void batch_set_range(struct batch *batch, size_t end) {
    store_relaxed(&batch->range, (uint64_t)end << 32);
}

static inline size_t batch_end(const struct batch *batch) {
    return load_relaxed(&batch->range) >> 32;
}

/* Returns the number of places that no lane has taken. */
static inline size_t batch_rest(const struct batch *batch) {
    uint64_t range = load_relaxed(&batch->range);
    uint64_t next = (uint32_t)range, end = range >> 32;
    return end > next ? end - next : 0;
}

/* Takes the next place. False if there is none; `place` is then the end. */
static inline bool batch_take_place(struct batch *batch, size_t *place) {
    uint64_t range =
        atomic_fetch_add_explicit(&batch->range, 1, memory_order_relaxed);
    *place = (uint32_t)range;
    return *place < range >> 32;
}

/* Leaves no rest. Returns the end. */
static inline size_t batch_close_range(struct batch *batch) {
    return atomic_exchange_explicit(&batch->range, 0, memory_order_relaxed) >>
           32;
}

/* ---- entries ----------------------------------------------------------- */

/* An entry without a read, as weir__feed_entry takes it. */
static inline struct entry entry_decided(weir_file_outcome_t outcome,
                                         int error) {
    return (struct entry){
        .state = ENTRY_DECIDED, .outcome = (uint8_t)outcome, .error = error};
}

static inline bool entry_is_to_read(const struct entry *entry) {
    return entry->state == ENTRY_PATH || entry->state == ENTRY_DESCRIPTOR;
}

/* True if an open or a stat of the path follows a symbolic link. */
static inline bool entry_follows_links(const struct entry *entry) {
    return entry->root_length == 0;
}

static inline const char *entry_path(const struct batch *batch,
                                     const struct entry *entry) {
    return batch->paths.data + entry->path;
}

static inline const void *entry_note(const struct batch *batch,
                                     const struct entry *entry) {
    return entry->note_length ? batch->notes.data + entry->note : NULL;
}
