/*
 * files.c: the file processor: its life, its permits and its runs.
 *
 * DESIGN. Permits that others hold may never come back. So the feeder asks for them, and
 * takes the request back where the run is stopped: a wait at the gate could not
 * be ended.
 *
 * Two gates: the processor's own, where the caller asked for a bound, and the
 * process's. Always in this order; who holds permits of the second waits for
 * nothing.
 */
#include "files/processor.h"
#include "permits/holder.h"

#include "files/turns.h"

#include <limits.h>

#include <weir/descriptors.h>

#define STRIDE_FILES ((size_t)64)
#define STRIDE_BY_INODE ((size_t)1024)

/* Strides in the FIFO before the feeder waits. */
#define BACKLOG ((size_t)16)

/* Strides in all; more where there are many lanes, so that each can have one. */
#define STRIDES ((size_t)64)

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

/* Strides that wait for a lane hold permits, at most a quarter of all: a job may
   want some too. */
static size_t backlog(weir_files_t files) {
    size_t most = weir_descriptor_budget();
    if (files->own_gate && files->options.descriptors < most) {
        most = files->options.descriptors;
    }
    size_t strides = most / 4 / files->permits_each;
    return strides > BACKLOG ? BACKLOG : strides < 1 ? 1 : strides;
}

static bool set_up_lanes(weir_files_t files) {
    const weir_files_options_t *options = &files->options;
    const weir_lanes_options_t lanes = {
        .label = files->object.label,
        .width = options->jobs,
        .backlog = backlog(files),
        .lane_create = weir__reader_create,
        .lane_destroy = weir__reader_destroy,
        .user = files,
    };
    files->lanes = weir_lanes_create(&lanes);
    if (!files->lanes) {
        return false;
    }
    weir__lanes_let_caller_help(files->lanes);
    weir_lanes_stats_t stats;
    weir_lanes_stats(files->lanes, &stats, sizeof stats);
    files->width = stats.width;
    files->buffer_size = buffer_size(stats.width);
    files->strides_max = stats.width + 2 * BACKLOG;
    if (files->strides_max < STRIDES) {
        files->strides_max = STRIDES;
    }
    return true;
}

/* A directory and a file, or what is asked for; as far as there are so many. */
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
    size_t wanted = files->options.permits ? files->options.permits : 2;
    files->permits_each = wanted < most ? wanted : most;
    return true;
}

/* False where memory is short. */
static bool copy_options(weir_files_t files,
                         const weir_files_options_t *options) {
    files->options = *options;
    files->stride_by_inode =
        options->files_per_batch ? options->files_per_batch : STRIDE_BY_INODE;
    if (files->options.files_per_batch == 0) {
        files->options.files_per_batch = STRIDE_FILES;
    }
    files->filters =
        weir__filters_create(options->filters, options->filter_count);
    if (options->filter_count && !files->filters) {
        return false;
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
    weir__reading_destroy(files);
    pthread_cond_destroy(&files->answered);
    pthread_cond_destroy(&files->freed);
    pthread_mutex_destroy(&files->lock);
    weir__filters_destroy(files->filters);
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
    weir__reading_create(files);
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

void weir__files_stop(weir_files_t files, int reason) {
    int none = 0;
    if (atomic_compare_exchange_strong(&files->stopped, &none, reason)) {
        pthread_mutex_lock(&files->lock);
        pthread_cond_signal(&files->answered);
        pthread_mutex_unlock(&files->lock);
        weir__reading_wake(files);
    }
}

void weir_files_cancel(weir_files_t files) {
    if (atomic_load(&files->running)) {
        weir__files_stop(files, ECANCELED);
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
    uint64_t begun = weir__nanoseconds();
    await_answer(&question, request);
    weir__waits_add(&files->waits.permits, begun);
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
    /* A job that holds all permits that are out and waits for more waits for
       itself. That is misuse, which a wait finds and a request does not. */
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    size_t held = weir__holder_holds(gate);
    return held > 0 && held == stats.in_use
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
        size_t most = weir_descriptor_budget();
        *count = most < *count ? most : *count - 1;
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

/* ---- running ----------------------------------------------------------- */

static void begin(weir_files_t files) {
    files->stopped = 0;
    files->closed = false;
    files->files = files->bytes = files->failed = 0;
    files->special = files->special_named = 0;
    files->links = files->excluded_count = files->directories = 0;
    files->filtered = files->found = 0;
    files->feeding = 1;
    files->waits.permits = files->waits.turns = files->waits.lanes = 0;
    files->waits.delivery = files->waits.fed = 0;
    files->waits.begun = weir__nanoseconds();
    weir__reading_begin(files);
    files->permits_peak = files->busy_peak = 0;
}

static bool is_source(const weir_files_source_t *source) {
    switch (source->kind) {
    case WEIR_SOURCE_PATH:
    case WEIR_SOURCE_DESCRIPTOR:
        return source->path;
    case WEIR_SOURCE_LIST:
    case WEIR_SOURCE_LIST_FILE:
        return source->path && source->separator >= 0 &&
               source->separator <= UCHAR_MAX;
    case WEIR_SOURCE_ITEMS:
        return source->next;
    }
    return false;
}

int weir_files_run(weir_files_t files, const weir_files_source_t *sources,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!is_source(&sources[i])) {
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
    weir__files_feed(files, sources, count);
    weir__waits_add(&files->waits.fed, atomic_load(&files->waits.begun));
    atomic_store(&files->feeding, 0);
    weir_lanes_wait(files->lanes, DISPATCH_TIME_FOREVER);
    weir__turns_clear(files);
    weir__reading_end(files);
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

static uint64_t feeding_time(weir_files_t files) {
    return read_figure(&files->feeding)
               ? weir__nanoseconds() - read_figure(&files->waits.begun)
               : read_figure(&files->waits.fed);
}

void weir_files_stats(weir_files_t files, weir_files_stats_t *figures,
                      size_t size) {
    weir_lanes_stats_t lanes;
    weir_lanes_stats(files->lanes, &lanes, sizeof lanes);
    weir_files_stats_t all = {
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
        .filtered = read_figure(&files->filtered),
        .found = read_figure(&files->found),
        .feeding = read_figure(&files->feeding),
        .waited_permits = read_figure(&files->waits.permits),
        .waited_readers = read_figure(&files->waits.turns),
        .waited_lanes = read_figure(&files->waits.lanes),
        .waited_delivery = read_figure(&files->waits.delivery),
        .feeding_time = feeding_time(files),
    };
    weir__reading_figures(files, &all);
    weir__copy_stats(figures, size, &all, sizeof all);
}
