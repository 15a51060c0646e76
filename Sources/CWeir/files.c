/*
 * files.c: the file processor: its life, and feeding it.
 *
 * DESIGN. The caller of weir_files_run feeds: it walks, packs what it finds
 * into strides, and submits each. Before a stride is submitted it is admitted,
 * and has its place in the order of delivery, its permits (all in one wait, so
 * that two strides cannot each hold half of what both need) and then its place
 * in the backlog. The lanes never wait for any of that, so there is no circle to
 * wait in. Whoever takes what is delivered may need descriptors for it, and is
 * waited for in admit alone, before the permits: where the delivery waited for
 * him, the strides behind it in the backlog would hold what he needs.
 *
 * Permits that others hold may never come back. So the feeder asks for them, and
 * takes the request back where the run is stopped: a wait at the gate could not
 * be ended.
 *
 * Two gates: the processor's own, where the caller asked for a bound, and the
 * process's. Always in this order; who holds permits of the second waits for
 * nothing.
 *
 * What needs no reading (a directory that cannot be read, a FIFO in a walk) is
 * an entry of a stride like the files, so that it comes out in its place in the
 * order whatever the number of lanes.
 */
#include "files.h"

#include "open.h"

#include <weir/descriptors.h>

#define STRIDE_FILES ((size_t)64)

/* Strides in the FIFO before the feeder waits. */
#define BACKLOG ((size_t)16)

/* Paths of a stride; a stride of very long names is cut early. */
#define STRIDE_PATH_BYTES ((size_t)65536)

/* Read buffers: 1 MiB reads are the fastest; many lanes share 8 MiB. */
#define BUFFER_MAX ((size_t)1 << 20)
#define BUFFER_MIN ((size_t)1 << 18)
#define BUFFERS_TOGETHER ((size_t)8 << 20)

/* ---- life -------------------------------------------------------------- */

static size_t buffer_size(size_t lanes) {
    size_t size = BUFFERS_TOGETHER / lanes;
    return size > BUFFER_MAX   ? BUFFER_MAX
           : size < BUFFER_MIN ? BUFFER_MIN
                               : size;
}

static bool set_up_lanes(weir_files_t files) {
    const weir_files_options_t *options = &files->options;
    const weir_lanes_options_t lanes = {
        .label = files->object.label,
        .width = options->jobs,
        .backlog = BACKLOG,
        .lane_create = weir__reader_create,
        .lane_destroy = weir__reader_destroy,
        .user = files,
    };
    files->lanes = weir_lanes_create(&lanes);
    if (!files->lanes) {
        return false;
    }
    weir_lanes_stats_t stats;
    weir_lanes_stats(files->lanes, &stats, sizeof stats);
    files->buffer_size = buffer_size(stats.width);
    return true;
}

/* A directory and a file, or, where there is one permit, a file. */
static bool set_up_permits(weir_files_t files) {
    size_t most = weir_descriptor_budget();
    if (files->options.descriptors && files->options.descriptors < most) {
        files->own_gate = weir_gate_create("descriptors of the processor",
                                           files->options.descriptors);
        if (!files->own_gate) {
            return false;
        }
        most = files->options.descriptors;
    }
    files->permits_each = most < 2 ? 1 : 2;
    return true;
}

/* False where memory is short. */
static bool copy_options(weir_files_t files,
                         const weir_files_options_t *options) {
    files->options = *options;
    if (files->options.stride == 0) {
        files->options.stride = STRIDE_FILES;
    }
    if (options->exclude_count) {
        files->excluded =
            calloc(options->exclude_count, sizeof *files->excluded);
        if (!files->excluded) {
            return false;
        }
        for (size_t i = 0; i < options->exclude_count; i++) {
            files->excluded[i].device = options->exclude[i].st_dev;
            files->excluded[i].inode = options->exclude[i].st_ino;
        }
    }
    return true;
}

static void destroy(weir_files_t files) {
    weir__delivery_destroy(files);
    if (files->lanes) {
        weir_lanes_release(files->lanes);
    }
    if (files->own_gate) {
        weir_gate_release(files->own_gate);
    }
    pthread_cond_destroy(&files->answered);
    pthread_cond_destroy(&files->freed);
    pthread_mutex_destroy(&files->lock);
    free(files->excluded);
    weir__object_bury(&files->object);
}

weir_files_t weir_files_create(const weir_files_options_t *options) {
    if (!options->job) {
        errno = EINVAL;
        return NULL;
    }
    weir_files_t files = weir__object_create(
        sizeof *files, "the file processor", options->label);
    if (!files) {
        return NULL;
    }
    pthread_mutex_init(&files->lock, NULL);
    pthread_cond_init(&files->freed, NULL);
    pthread_cond_init(&files->answered, NULL);
    errno = ENOMEM;
    if (!copy_options(files, options) || !set_up_permits(files) ||
        !set_up_lanes(files)) {
        int error = errno;
        destroy(files);
        errno = error;
        return NULL;
    }
    return files;
}

weir_files_t weir_files_retain(weir_files_t files) {
    weir__object_retain(&files->object);
    return files;
}

void weir_files_release(weir_files_t files) {
    if (weir__object_release(&files->object)) {
        destroy(files);
    }
}

void files_stop(weir_files_t files, int reason) {
    int none = 0;
    if (atomic_compare_exchange_strong(&files->stopped, &none, reason)) {
        pthread_mutex_lock(&files->lock);
        pthread_cond_signal(&files->answered);
        pthread_mutex_unlock(&files->lock);
    }
}

void weir_files_cancel(weir_files_t files) {
    if (atomic_load(&files->running)) {
        files_stop(files, ECANCELED);
    }
}

/* ---- permits ----------------------------------------------------------- */

/* What the feeder asked of a gate. */
struct question {
    weir_files_t files;
    bool is_answered; /* under the files' lock, as is answer */
    int answer;
};

static void answer(void *context, int result) {
    struct question *question = context;
    weir_files_t files = question->files;
    pthread_mutex_lock(&files->lock);
    question->is_answered = true;
    question->answer = result;
    pthread_cond_signal(&files->answered);
    pthread_mutex_unlock(&files->lock);
}

/* Waits for the answer, which comes in any case; once the run is stopped it is
   to come at once. */
static void await_answer(struct question *question,
                         weir_gate_request_t request) {
    weir_files_t files = question->files;
    bool withdrawn = false;
    pthread_mutex_lock(&files->lock);
    while (!question->is_answered) {
        if (files_stopped(files) && !withdrawn) {
            withdrawn = true;
            pthread_mutex_unlock(&files->lock);
            weir_gate_request_cancel(request);
            pthread_mutex_lock(&files->lock);
        } else {
            pthread_cond_wait(&files->answered, &files->lock);
        }
    }
    pthread_mutex_unlock(&files->lock);
}

/* A job on whose thread this runs is seen to wait, as by weir_gate_wait. */
static int wait_for_permits(weir_files_t files, weir_gate_t gate,
                            size_t count) {
    struct question question = {.files = files};
    weir_gate_request_t request;
    if (weir_gate_request_f(gate, count, &question, answer, &request) != 0) {
        return ENOMEM;
    }
    struct weir__holder *job = weir__top_holder;
    _Atomic size_t *at_gates = job ? job->at_gates : NULL;
    if (at_gates) {
        atomic_fetch_add_explicit(at_gates, 1, memory_order_relaxed);
    }
    await_answer(&question, request);
    if (at_gates) {
        atomic_fetch_sub_explicit(at_gates, 1, memory_order_relaxed);
    }
    weir_gate_request_release(request);
    return question.answer;
}

static int take(weir_files_t files, weir_gate_t gate, size_t count, bool wait) {
    if (!gate || count == 0) {
        return 0;
    }
    int error = weir_gate_try(gate, count);
    if (error != EAGAIN || !wait) {
        return error;
    }
    /* A job that holds permits and waits for more is misuse, which a wait finds
       and a request does not. */
    return weir__holder_holds(gate)
               ? weir_gate_wait(gate, count, DISPATCH_TIME_FOREVER)
               : wait_for_permits(files, gate, count);
}

/* Of the process's budget, as many as wanted or as there are: it may be shrunk
   at any moment. */
static int take_of_budget(weir_files_t files, size_t *count, bool wait) {
    for (;;) {
        int error = take(files, weir_descriptor_gate(), *count, wait);
        if (error != EINVAL || *count < 2) {
            return error;
        }
        *count = 1;
    }
}

bool weir__files_take_permits(weir_files_t files, struct stride *stride,
                              bool wait) {
    size_t own = stride->to_open ? files->permits_each : 0, count = own;
    if (take(files, files->own_gate, own, wait) != 0) {
        return false;
    }
    if (take_of_budget(files, &count, wait) != 0) {
        if (files->own_gate) {
            weir_gate_signal(files->own_gate, own);
        }
        return false;
    }
    if (files->own_gate && count < own) {
        weir_gate_signal(files->own_gate, own - count);
    }
    stride->permits = count;
    size_t out = atomic_fetch_add_explicit(&files->permits_out, count,
                                           memory_order_relaxed);
    weir__raise_size(&files->permits_peak, out + count);
    return true;
}

void weir__files_give_permits(weir_files_t files, struct stride *stride) {
    atomic_fetch_sub_explicit(&files->permits_out, stride->permits,
                              memory_order_relaxed);
    weir_gate_signal(weir_descriptor_gate(), stride->permits);
    if (files->own_gate) {
        weir_gate_signal(files->own_gate, stride->permits);
    }
    stride->permits = 0;
}

/* ---- feeding ----------------------------------------------------------- */

struct feeder {
    weir_files_t files;
    struct stride *stride; /* being filled, or NULL */
    uint64_t directories;  /* of the walks before this one */
};

/* Waits until the caller wants more. */
static void admit(weir_files_t files) {
    if (files->options.admit && !files_stopped(files)) {
        int error = files->options.admit(files->options.user);
        if (error) {
            files_stop(files, error);
        }
    }
}

/* Nobody is to read it: what precedes the first that should be read stands. */
static void deliver_unread(weir_files_t files, struct stride *stride) {
    size_t count = 0;
    while (count < stride->count &&
           stride->entries[count].state == ENTRY_DECIDED) {
        count++;
    }
    stride->count = count;
    stride->cut_short = true;
    weir__delivery_finish(files, stride);
}

static void submit(struct feeder *feeder) {
    weir_files_t files = feeder->files;
    struct stride *stride = feeder->stride;
    feeder->stride = NULL;
    if (!stride) {
        return;
    }
    if (stride->count == 0) {
        weir__delivery_give(files, stride);
        return;
    }
    admit(files);
    weir__delivery_enter(files, stride, NULL);
    if (stride->to_read == 0) {
        weir__delivery_finish(files, stride);
    } else if (!weir__files_take_permits(files, stride, true) ||
               weir_lanes_async_f(files->lanes, stride, weir__reader_run) !=
                   0) {
        files_stop(files, ENOMEM);
        weir__files_give_permits(files, stride);
        deliver_unread(files, stride);
    }
}

/* Adds one entry to the stride that is being filled. */
static void feed(struct feeder *feeder, const weir_walk_entry_t *found,
                 struct entry what) {
    weir_files_t files = feeder->files;
    if (!feeder->stride &&
        !(feeder->stride = weir__delivery_take(files, true))) {
        files_stop(files, ENOMEM);
        return;
    }
    struct stride *stride = feeder->stride;
    struct entry *entry = weir__stride_add(
        stride, found->path, found->path_length, found->name_offset);
    if (!entry) {
        files_stop(files, ENOMEM);
        return;
    }
    entry->directory = feeder->directories + found->directory;
    entry->named = found->depth == 0;
    entry->type = (uint8_t)found->type;
    entry->state = what.state;
    entry->outcome = what.outcome;
    entry->error = what.error;
    entry->descriptor = what.descriptor;
    stride->to_open += what.state == ENTRY_PATH;
    stride->to_read += what.state != ENTRY_DECIDED;
    if (stride->count >= files->options.stride ||
        stride->paths.used >= STRIDE_PATH_BYTES) {
        submit(feeder);
    }
}

static void feed_failure(struct feeder *feeder,
                         const weir_walk_entry_t *found) {
    files_count(&feeder->files->failed, 1);
    feed(feeder, found,
         (struct entry){.state = ENTRY_DECIDED,
                        .outcome = WEIR_FILE_FAILED,
                        .error = found->error});
}

static void feed_special(struct feeder *feeder,
                         const weir_walk_entry_t *found) {
    files_count_special(feeder->files, found->depth == 0);
    feed(feeder, found,
         (struct entry){.state = ENTRY_DECIDED, .outcome = WEIR_FILE_SPECIAL});
}

/* Decides what becomes of something the walk has found. */
static void sort_out(struct feeder *feeder, const weir_walk_entry_t *found) {
    weir_files_t files = feeder->files;
    if (found->error) {
        feed_failure(feeder, found);
        return;
    }
    switch (found->type) {
    case WEIR_ENTRY_FILE:
        feed(feeder, found, (struct entry){.state = ENTRY_PATH});
        break;
    case WEIR_ENTRY_DIRECTORY:
        files_count(&files->directories, 1);
        break;
    case WEIR_ENTRY_SYMLINK:
        files_count(&files->links, 1);
        break;
    case WEIR_ENTRY_BLOCK_DEVICE:
        if (found->depth == 0) {
            feed(feeder, found, (struct entry){.state = ENTRY_PATH});
            break;
        }
        feed_special(feeder, found);
        break;
    default:
        feed_special(feeder, found);
    }
}

static void feed_path(struct feeder *feeder, const char *path) {
    weir_files_t files = feeder->files;
    unsigned flags = 0;
    flags |= files->options.flags & WEIR_FILES_FOLLOW ? WEIR_WALK_FOLLOW : 0;
    flags |= files->options.flags & WEIR_FILES_ONE_FILE_SYSTEM
                 ? WEIR_WALK_ONE_FILE_SYSTEM
                 : 0;
    weir_walk_entry_t entry = {.path = path, .path_length = strlen(path)};
    weir_walk_t walk = weir_walk_create(path, flags);
    if (!walk) { /* an empty name is nobody's */
        entry.error = errno == EINVAL ? ENOENT : errno;
        feed_failure(feeder, &entry);
        return;
    }
    while (!files_stopped(files) && weir_walk_next(walk, &entry)) {
        sort_out(feeder, &entry);
    }
    feeder->directories += entry.directory + 2;
    weir_walk_destroy(walk);
}

static void feed_source(struct feeder *feeder,
                        const weir_files_source_t *source) {
    if (source->kind == WEIR_SOURCE_PATH) {
        feed_path(feeder, source->path);
        return;
    }
    /* A stride of its own: what comes out of a pipe may take for ever, and
       nothing before it should wait for that. */
    const weir_walk_entry_t entry = {.path = source->path,
                                     .path_length = strlen(source->path)};
    submit(feeder);
    feed(feeder, &entry,
         (struct entry){.state = ENTRY_DESCRIPTOR,
                        .descriptor = source->descriptor});
    submit(feeder);
    feeder->directories++;
}

/* ---- running ----------------------------------------------------------- */

static void begin(weir_files_t files) {
    files->stopped = 0;
    files->closed = false;
    files->files = files->bytes = files->failed = 0;
    files->special = files->special_named = 0;
    files->links = files->excluded_count = files->directories = 0;
    files->permits_peak = files->busy_peak = 0;
}

int weir_files_run(weir_files_t files, const weir_files_source_t *sources,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sources[i].kind != WEIR_SOURCE_PATH &&
            sources[i].kind != WEIR_SOURCE_DESCRIPTOR) {
            return EINVAL;
        }
    }
    if (atomic_exchange(&files->claimed, true)) {
        return EBUSY;
    }
    weir_files_retain(files); /* a job may drop the last reference */
    begin(files);
    atomic_store(&files->running, true);
    if (files->options.begun) {
        files->options.begun(files->options.user);
    }
    struct feeder feeder = {.files = files};
    for (size_t i = 0; i < count && !files_stopped(files); i++) {
        feed_source(&feeder, &sources[i]);
    }
    submit(&feeder);
    weir_lanes_wait(files->lanes, DISPATCH_TIME_FOREVER);
    atomic_store(&files->running, false);
    int stopped = atomic_load(&files->stopped);
    atomic_store(&files->claimed, false);
    weir_files_release(files);
    return stopped;
}

/* ---- figures ----------------------------------------------------------- */

static uint64_t read_figure(_Atomic uint64_t *figure) {
    return atomic_load_explicit(figure, memory_order_relaxed);
}

void weir_files_figures(weir_files_t files, weir_files_figures_t *figures,
                        size_t size) {
    weir_lanes_stats_t lanes;
    weir_lanes_stats(files->lanes, &lanes, sizeof lanes);
    const weir_files_figures_t all = {
        .files = read_figure(&files->files),
        .bytes = read_figure(&files->bytes),
        .failed = read_figure(&files->failed),
        .special = read_figure(&files->special),
        .special_named = read_figure(&files->special_named),
        .links = read_figure(&files->links),
        .excluded = read_figure(&files->excluded_count),
        .directories = read_figure(&files->directories),
        .lanes = lanes.width,
        .lanes_peak =
            atomic_load_explicit(&files->busy_peak, memory_order_relaxed),
        .descriptors_peak =
            atomic_load_explicit(&files->permits_peak, memory_order_relaxed),
    };
    weir__copy_figures(figures, size, &all, sizeof all);
}
