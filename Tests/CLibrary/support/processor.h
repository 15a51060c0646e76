/*
 * processor.h: a file processor with blocks, and a copy of its results.
 *
 *     PROCESSOR(processor, .flags = WEIR_FILES_FOLLOW);
 *     CHECK_EQUAL(process(processor, root), 0);
 *     CHECK_TEXT(outcomes(processor, root), "a done 3, b failed ELOOP");
 */
#pragma once

#include "threads.h"
#include <weir.h>

struct processor_options {
    /* Default: two jobs. */
    size_t jobs, batch;
    unsigned flags;
    const struct stat *exclude;
    /* Other options; `user` and the functions below are the processor's. */
    weir_files_options_t files;
    /* A block or a function; default: summarize. */
    int (^job)(weir_file_t *file);
    int (*call)(weir_file_t *file);
    int (^deliver)(const weir_files_batch_t *batch);
    int (^admit)(void);
    /* The note is copied, and the copy spoilt when the next one is made. */
    const void * (^annotate)(size_t source, const weir_walk_entry_t *found,
                             size_t *length);
};

struct result {
    const char *path, *output, *note;
    size_t path_length, output_length, note_length;
    weir_file_outcome_t outcome;
    weir_entry_type_t type;
    int error;
    bool named;
    uint64_t bytes, size;
    size_t source, batch;
};

struct processor {
    weir_files_t files;
    struct processor_options options;
    /* Of the last run, in the order of the deliveries. To be read after the run. */
    struct result *results;
    size_t count, batches;
    weir_files_stats_t stats;
    /* Deliveries and jobs in progress. */
    struct meter delivering, working;
    /* Batches whose output was not that of their results together. */
    size_t torn;
    char *lent;
    size_t lent_size;
};

/* Declares a processor, or one with options, that is released at the end of its
   scope. */
#define SCOPED __attribute__((cleanup(processor_end))) struct processor
#define PROCESSOR(name, ...)                                                   \
    SCOPED *name = processor_create((struct processor_options){__VA_ARGS__})

/* Adds a result, which is not copied. */
void add_result(struct processor *processor, struct result result);
struct processor *processor_create(struct processor_options options);
void processor_end(struct processor **processor);

/* Run over a path, paths, sources and items. Return the result of weir_files_run. */
int process(struct processor *processor, const char *path);
int process_paths(struct processor *processor, const char *const paths[],
                  size_t count);
/* Names in a directory, or absolute ones, with spaces between them; "." or NULL for
   the directory itself. */
int process_names(struct processor *processor, const char *root,
                  const char *names);
int process_sources(struct processor *processor,
                    const weir_files_source_t *sources, size_t count);
int process_items(struct processor *processor, const weir_files_item_t *items,
                  size_t count);
/* Runs over a descriptor, or the names of the list that it has. */
int process_descriptor(struct processor *processor, int descriptor,
                       const char *name);
int process_list(struct processor *processor, int descriptor);

weir_files_stats_t statistics(const struct processor *processor);

#define foreach(result, processor)                                             \
    for (const struct result *result = (processor)->results;                   \
         result < (processor)->results + (processor)->count; result++)

/* ---- Items ------------------------------------------------------------- */

weir_files_item_t item_of(weir_item_kind_t kind, const char *path);

/* Runs over items that are named as in process_names: each a WEIR_ITEM_FILE, or with
   an @ before it a WEIR_ITEM_PATH. */
int process_named_items(struct processor *processor, const char *root,
                        const char *names);

/* A source of items: from an array, or a block, which fills in an item and returns
   false if there are no more. The processor gets each path, without a NUL, and note in memory that
   is spoilt when it asks for the next item. */
struct feed {
    const weir_files_item_t *items;
    size_t count;
    bool (^next)(weir_files_item_t *item);
    /* The number of calls, the last one included. */
    int asked;
    char *lent;
    size_t lent_size;
};

weir_files_source_t feed_source(struct feed *feed);
/* To be called after the run. */
void feed_end(struct feed *feed);

/* A lane_create that checks the numbers of lanes. */
extern _Atomic size_t lanes_created;
void *count_lane(void *user, size_t lane);

/* ---- What jobs do ------------------------------------------------------ */

/* Returns a line that differs if the contents do. */
const char *summary_of(const void *bytes, size_t size);

/* Read to the end, and write a summary of the content, or their number. */
int summarize(weir_file_t *file);
int measure(weir_file_t *file);
/* Writes a summary of the content, which is read once for all names of the file. */
int summarize_once(weir_file_t *file);
int read_away(weir_file_t *file, size_t *size);
/* Waits for a millisecond, as for storage that takes a moment, and summarizes. */
int slow(weir_file_t *file);
int write_text(weir_file_t *file, const char *text);
bool path_ends(const weir_file_t *file, const char *end);

/* ---- What is expected -------------------------------------------------- */

bool is_done(const struct result *result);
bool has_failed(const struct result *result, int error);
/* With error 0, or ENOENT for a removed file. */
bool has_changed(const struct result *result, int error);

/* Describes the results: each path, without the root, the outcome, and the number of
   bytes read if there are any, as in "a done 3, b named failed ENOENT, fifo special
   fifo, d directory". */
const char *outcomes(const struct processor *processor, const char *root);
/* Runs over names, or the root if there are none, and compares the outcomes. */
#define CHECK_RUN(processor, root, names, expected)                            \
    (CHECK_EQUAL(process_names(processor, root, names), 0) &&                  \
     CHECK_TEXT(outcomes(processor, root), expected))
/* The same for named items. */
#define CHECK_ITEMS(processor, root, names, expected)                          \
    (CHECK_EQUAL(process_named_items(processor, root, names), 0) &&            \
     CHECK_TEXT(outcomes(processor, root), expected))
const char *output_of(const struct processor *processor);

bool check_paths(const struct processor *processor, char *const paths[],
                 size_t count);
bool check_all_done(const struct processor *processor, size_t count);
/* Check that an output is the summary of its file; that all are, and none is torn. */
bool check_summary(const struct result *result);
bool check_summaries(const struct processor *processor);
/* Compares all but the batches and the numbers of bytes read. */
bool check_same_results(const struct processor *left,
                        const struct processor *right);

/* Calls a block for each of some numbers of lanes and each of the numbers in a text,
   which are the row of failures. */
enum { WIDTHS = 4 };
extern const size_t widths[WIDTHS];
void at_widths(const char *numbers, void (^body)(size_t jobs, size_t number));
