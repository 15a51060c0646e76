/*
 * readers.c: measures a run, and sets the number of lanes that plan.c decides.
 *
 * DESIGN. A lane looks at the time before each file; the first one after the
 * end of an interval measures and decides. So there is no timer and no thread,
 * which would need descriptors. A measurement is one getrusage: the time that
 * the process used on its cores, and how often its threads slept. Rejected: to
 * time each open and read, which asks the clock four times a file; and 64 lanes
 * from the beginning, which cost memory, and in a warm cache time.
 */
#include "files/readers/readers.h"

#include <sys/resource.h>

#include <weir/spi.h> /* has weir_spi_threads_available */

#include "system/cores.h"

#define INTERVAL_NS ((uint64_t)16000000)

/* The threads that others may start meanwhile, such as a walk's look-ahead. */
#define SPARE_THREADS ((size_t)16)

bool weir__readers_create(weir_files_t files, size_t least, size_t most) {
    struct readers *readers = calloc(1, sizeof *readers);
    if (!readers) {
        return false;
    }
    pthread_mutex_init(&readers->lock, NULL);
    weir__readers_plan_begin(&readers->plan, least, most);
    files->readers = readers;
    return true;
}

void weir__readers_destroy(weir_files_t files) {
    if (files->readers) {
        pthread_mutex_destroy(&files->readers->lock);
        free(files->readers);
    }
}

/* ---- measuring --------------------------------------------------------- */

static uint64_t nanoseconds_of(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Returns the totals of the process and of the run. */
static struct readers_interval measure(weir_files_t files) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct readers_interval){
        .nanoseconds = weir__nanoseconds(),
        .cpu = nanoseconds_of(usage.ru_utime) + nanoseconds_of(usage.ru_stime),
        .waits = (uint64_t)usage.ru_nvcsw,
        .files = files_counted(&files->counts.files) +
                 files_counted(&files->counts.failed),
    };
}

static struct readers_interval difference(const struct readers_interval *from,
                                          const struct readers_interval *to) {
    return (struct readers_interval){
        .nanoseconds = to->nanoseconds - from->nanoseconds,
        .cpu = to->cpu - from->cpu,
        .waits = to->waits - from->waits,
        .files = to->files - from->files,
        .cores = weir__cores(),
    };
}

/* ---- deciding ---------------------------------------------------------- */

static void show_locked(struct readers *readers, size_t allowed) {
    atomic_store(&readers->allowed, allowed);
    atomic_store(&readers->reason, (int)readers->plan.reason);
    if (allowed > atomic_load(&readers->peak)) {
        atomic_store(&readers->peak, allowed);
    }
}

/* A lane whose thread cannot be started would wait for it without an end. */
static size_t width_for(size_t wanted, size_t width) {
    if (wanted <= width) {
        return wanted;
    }
    size_t more = weir_spi_threads_available(wanted - width + SPARE_THREADS);
    return more > SPARE_THREADS ? width + more - SPARE_THREADS : width;
}

static void decide_locked(weir_files_t files) {
    struct readers *readers = files->readers;
    struct readers_interval total = measure(files);
    struct readers_interval interval = difference(&readers->last, &total);
    readers->last = total;
    if (interval.nanoseconds == 0) {
        return;
    }
    weir_lanes_stats_t lanes;
    weir_lanes_stats(files->lanes, &lanes, sizeof lanes);
    interval.readers = lanes.width;
    interval.is_full =
        lanes.running >= lanes.width + load_relaxed(&files->has_seeker);
    size_t wanted = width_for(
        weir__readers_plan_next(&readers->plan, &interval), lanes.width);
    size_t allowed = wanted == lanes.width
                         ? wanted
                         : weir__lanes_set_width(files->lanes, wanted);
    show_locked(readers, allowed);
}

void weir__readers_decide(weir_files_t files, uint64_t now) {
    struct readers *readers = files->readers;
    if (pthread_mutex_trylock(&readers->lock) == 0) {
        if (now >= load_relaxed(&readers->due)) {
            store_relaxed(&readers->due, now + INTERVAL_NS);
            decide_locked(files);
        }
        pthread_mutex_unlock(&readers->lock);
    }
}

void weir__readers_restart(weir_files_t files) {
    struct readers *readers = files->readers;
    if (readers) {
        pthread_mutex_lock(&readers->lock);
        readers->last = measure(files);
        atomic_store(&readers->due, readers->last.nanoseconds + INTERVAL_NS);
        pthread_mutex_unlock(&readers->lock);
    }
}

/* ---- a run ------------------------------------------------------------- */

void weir__readers_begin(weir_files_t files) {
    struct readers *readers = files->readers;
    if (readers) {
        pthread_mutex_lock(&readers->lock);
        size_t least = readers->plan.least;
        weir__readers_plan_begin(&readers->plan, least, files->width);
        weir__lanes_set_width(files->lanes, least);
        atomic_store(&readers->peak, 0);
        show_locked(readers, least);
        readers->last = measure(files);
        atomic_store(&readers->due, readers->last.nanoseconds + INTERVAL_NS);
        pthread_mutex_unlock(&readers->lock);
    }
}

void weir__readers_show(weir_files_t files, weir_files_stats_t *stats) {
    struct readers *readers = files->readers;
    stats->readers = stats->lanes = files->first_lanes;
    stats->readers_reason = WEIR_READERS_AS_GIVEN;
    if (readers) {
        stats->readers = atomic_load(&readers->allowed);
        stats->lanes = atomic_load(&readers->peak);
        stats->readers_reason =
            (weir_readers_reason_t)atomic_load(&readers->reason);
    }
}
