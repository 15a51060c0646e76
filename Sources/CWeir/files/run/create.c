/* create.c: creating and destroying a file processor. */
#include "files/processor/processor.h"

#include "files/batch/delivery.h"
#include "files/batch/submission.h"
#include "files/lane/lane.h"
#include "files/readers/readers.h"
#include "system/condition.h"

#include <weir/descriptors.h>

#define FILES_PER_BATCH ((size_t)64)
#define FILES_PER_INODE_BATCH ((size_t)1024)

/* The batches in the FIFO at which the feed waits. */
#define BACKLOG ((size_t)16)

/* The least number of batches; more for many lanes, and for lanes that are
   added two: storage does not answer in order. */
#define BATCHES_MIN ((size_t)64)

/* Read buffers: large reads are the fastest; many lanes share 4 MiB. */
#define BUFFER_MAX ((size_t)1 << 20)
#define BUFFER_MIN ((size_t)1 << 18)
#define BUFFERS_TOGETHER ((size_t)4 << 20)

/* Pieces begin at offsets that a digest over a tree can use. */
#define BUFFER_UNIT ((size_t)1 << 16)

/* The read buffers of lanes that are added: there may be many. */
#define BUFFER_ADDED ((size_t)1 << 15)

/* The time that open files have to end after a stop. */
#define GRACE_NS ((uint64_t)1000000000)

static size_t buffer_size(size_t lanes) {
    size_t size = BUFFERS_TOGETHER / lanes & ~(BUFFER_UNIT - 1);
    return size > BUFFER_MAX   ? BUFFER_MAX
           : size < BUFFER_MIN ? BUFFER_MIN
                               : size;
}

/* Returns the number of permits that there may be in all. */
static size_t permits_of(weir_files_t files) {
    size_t most = weir_descriptor_budget();
    if (files->own_gate && files->options.descriptors < most) {
        most = files->options.descriptors;
    }
    return most;
}

/* Returns the batches that may wait: they hold a quarter of the permits. */
static size_t backlog_of(weir_files_t files) {
    size_t batches = permits_of(files) / 4 / files->permits_per_batch;
    return batches > BACKLOG ? BACKLOG : batches < 1 ? 1 : batches;
}

/* Returns the most lanes there may be, as far as the permits go. */
static size_t most_lanes(weir_files_t files) {
    size_t fit = permits_of(files) * 3 / 4 / files->permits_per_batch;
    size_t wanted = files->options.jobs_max;
    return wanted < fit ? wanted : fit;
}

static bool set_up_lanes(weir_files_t files) {
    const weir_files_options_t *options = &files->options;
    const weir_lanes_options_t lanes = {
        .label = files->object.label,
        .width = options->jobs,
        .backlog = backlog_of(files),
        .lane_create = weir__lane_create,
        .lane_destroy = weir__lane_destroy,
        .user = files,
    };
    if (options->jobs_max > WEIR_LANES_WIDTH_MAX) {
        errno = EINVAL;
        return false;
    }
    files->lanes = weir__lanes_create_variable(&lanes, most_lanes(files));
    if (!files->lanes) {
        return false;
    }
    if (files->lacks_lane) {
        errno = ENOMEM;
        return false;
    }
    weir_lanes_stats_t stats;
    weir_lanes_stats(files->lanes, &stats, sizeof stats);
    files->first_lanes = stats.width;
    files->buffer_size = buffer_size(stats.width);
    files->added_buffer_size = BUFFER_ADDED;
    files->width = files->lanes->width_max;
    size_t added = files->width - files->first_lanes;
    files->batches_max = files->width + added + 2 * BACKLOG;
    if (files->batches_max < BATCHES_MIN) {
        files->batches_max = BATCHES_MIN;
    }
    return files->width == files->first_lanes ||
           weir__readers_create(files, files->first_lanes, files->width);
}

/* A batch takes permits for a directory and a file, unless options differ. */
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
    files->permits_per_batch = wanted < most ? wanted : most;
    return true;
}

static bool copy_options(weir_files_t files,
                         const weir_files_options_t *options) {
    files->options = *options;
    files->files_per_inode_batch = options->files_per_batch
                                       ? options->files_per_batch
                                       : FILES_PER_INODE_BATCH;
    if (files->options.files_per_batch == 0) {
        files->options.files_per_batch = FILES_PER_BATCH;
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
    weir__readers_destroy(files);
    weir__links_destroy(files->links);
    pthread_cond_destroy(&files->shared);
    pthread_cond_destroy(&files->resumed);
    pthread_cond_destroy(&files->answered);
    pthread_cond_destroy(&files->released);
    pthread_mutex_destroy(&files->lock);
    weir__filters_destroy(files->filters);
    free(files->excluded);
    weir__object_bury(&files->object);
}

weir_files_t weir_files_create(const weir_files_options_t *options) {
    if (!options->job || !weir__reserves_zero(options) ||
        !weir__knows_flags(options->flags, WEIR_FILES_MAPPED)) {
        errno = EINVAL;
        return NULL;
    }
    weir_files_t files = weir__object_create(
        sizeof *files, "the file processor", options->label);
    if (!files) {
        return NULL;
    }
    pthread_mutex_init(&files->lock, NULL);
    pthread_cond_init(&files->released, NULL);
    pthread_cond_init(&files->answered, NULL);
    pthread_cond_init(&files->resumed, NULL);
    weir__condition_create(&files->shared);
    files->call_seeker = weir__batches_call_seeker;
    weir__files_set_grace(files, GRACE_NS);
    files->links = weir__links_create();
    errno = ENOMEM;
    if (!files->links || !copy_options(files, options) ||
        !set_up_permits(files) || !set_up_lanes(files)) {
        int error = errno;
        destroy(files);
        errno = error;
        return NULL;
    }
    return files;
}

int weir_files_handle_bus_errors(void) { return weir__bus_errors_handle(); }

void weir_files_release(weir_files_t files) {
    if (weir__object_release(&files->object)) {
        destroy(files);
    }
}
