/*
 * stride.h: a stride: the files that go through the processor together, and
 * what their jobs write.
 */
#ifndef WEIR_INTERNAL_STRIDE_H
#define WEIR_INTERNAL_STRIDE_H

#include "base/bytes.h"
#include "base/internal.h"

#include <weir/files.h>

#define NOTE_ALIGNMENT ((size_t)8)

/* What is to be done with an entry, or has been. */
enum entry_state {
    ENTRY_PATH,       /* a file to open */
    ENTRY_DESCRIPTOR, /* a descriptor of the caller's to read */
    ENTRY_DECIDED,    /* outcome and error stand */
    ENTRY_EXCLUDED    /* excluded: no result */
};

struct entry {
    uint32_t path;        /* where it begins in the stride's paths */
    uint32_t path_length; /* without the NUL */
    uint32_t name_offset; /* where the last component begins in it */
    uint8_t state;        /* enum entry_state */
    uint8_t outcome;      /* weir_file_outcome_t */
    uint8_t type;         /* weir_entry_type_t */
    bool named;
    uint64_t directory; /* equal for neighbours of one directory */
    size_t output;      /* where its output begins in the stride's; of a link
                           that is delivered it stands behind its path */
    size_t output_length;
    uint64_t bytes;
    uint64_t size; /* of a regular file that was looked at */
    int descriptor;
    int error;
    uint32_t note; /* where it begins in the stride's notes */
    uint32_t note_length;
    uint64_t inode; /* as the walk found it, or 0 */
    void *value;    /* the job's, or NULL */
    uint32_t source;
};

struct stride {
    struct stride *next; /* in the order of delivery, or among the free ones */
    weir_files_t files;
    struct entry *entries;
    size_t count;
    size_t capacity;
    size_t to_read; /* entries that are ENTRY_PATH or ENTRY_DESCRIPTOR */
    size_t to_open; /* entries that are ENTRY_PATH */
    size_t permits; /* that it holds */
    bool finished;
    bool cut_short;      /* a cancelled run did not get to its end */
    bool by_inode;       /* its files are read in that order */
    bool is_large;       /* it counts among the large ones */
    struct turns *turns; /* of the device, of which it takes one; or NULL */
    uint32_t *order;     /* in which the entries are read, while they are */
    size_t ordered;      /* how many these are */
    size_t at;           /* the place in that order */
    struct bytes paths;
    struct bytes notes; /* each begins at a multiple of NOTE_ALIGNMENT */
    struct bytes output;
};

/* An array of results that grows, and the values that go with them. */
struct results {
    weir_file_result_t *data;
    void **values;
    size_t capacity;
};

/* A batch as it is handed to the delivery. */
struct batch {
    weir_files_batch_t shown; /* the first field: one stands for the other */
    void *const *values;
};

WEIR_HIDDEN struct stride *weir__stride_create(weir_files_t files);
WEIR_HIDDEN void weir__stride_destroy(struct stride *stride);

/* Makes it as new, and gives large buffers back. */
WEIR_HIDDEN void weir__stride_clear(struct stride *stride);

/* Adds an entry with a copy of its path. Returns it, zeroed but for path,
   length and name, or NULL where memory is short. */
WEIR_HIDDEN struct entry *weir__stride_add(struct stride *stride,
                                           const char *path, size_t length,
                                           size_t name_offset);

/* Copies a note for the last entry. False where memory is short. */
WEIR_HIDDEN bool weir__stride_add_note(struct stride *stride, const void *note,
                                       size_t length);

/* Keeps where the last entry leads to, as its output. False where memory is
   short. */
WEIR_HIDDEN bool weir__stride_add_target(struct stride *stride,
                                         const char *target, size_t length);

/* Moves the entries from `first` on to the end of another stride. Returns
   false, and has moved none, where memory is short. */
WEIR_HIDDEN bool weir__stride_move_rest(struct stride *from, size_t first,
                                        struct stride *to);

/* The stride as the delivery sees it, with `results` to hold what it says;
   false where memory is short. */
WEIR_HIDDEN bool weir__stride_batch(const struct stride *stride,
                                    struct results *results,
                                    struct batch *batch);
WEIR_HIDDEN void weir__results_destroy(struct results *results);

static inline const char *entry_path(const struct stride *stride,
                                     const struct entry *entry) {
    return stride->paths.data + entry->path;
}

static inline const void *entry_note(const struct stride *stride,
                                     const struct entry *entry) {
    return entry->note_length ? stride->notes.data + entry->note : NULL;
}

#endif /* WEIR_INTERNAL_STRIDE_H */
