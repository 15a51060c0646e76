/*
 * ahead.c: lists the directories that a walk will enter soon, on threads.
 *
 * DESIGN. On a server, or a disk whose pages are cold, listing a directory is
 * mostly a wait, and a walk that waits for one directory after the other keeps
 * all readers waiting. The names that it has read tell much of its way in
 * advance: the next subdirectories of the current directory, then those of its
 * parent, and so on. These are the plans, a list in the order of the walk.
 * Threads list them (listers.c), and when one has been listed, its own
 * subdirectories are planned after it. Only the first `window` places of the
 * list are planned and listed. If new plans push listings out of the window,
 * these stay as long as there is memory; then the last ones are dropped. A
 * window that counted them all was rejected: it would fill with the siblings of
 * a directory and have no place for its contents, which come first.
 *
 * The walk makes the plans, on its own thread, whenever it enters a directory,
 * and while it waits for a listing. So filters and levels need no lock. A plan
 * knows the index of its name in its parent, which counts on how many names are
 * planned; the walk takes the first plan if the path is that of the directory
 * it enters. Plans below a directory that the walk skipped have a depth that is
 * too large for the first place, and are dropped.
 *
 * With 2 ms more for each listing and 1 ms for each open, 2,000 directories
 * take 6.8 s on one thread and 0.6 s with 16. All this begins when listings
 * prove slow (pace.c), and rests when they are fast again. Rejected: a thread
 * for each of several subtrees, whose output would have to be stored.
 */
#include "walk/ahead.h"

#include <pthread.h>

#include <weir/descriptors.h>
#include <weir/spi.h> /* has weir_spi_threads_available */

#include "system/condition.h"
#include "walk/listers.h"

/* A walk with 64 readers takes some 16 directories of a few files at a time. */
#define WINDOW ((size_t)64)
#define THREADS ((size_t)16)
#define BYTES ((size_t)4 << 20)
#define LISTING_BYTES ((size_t)128 << 10)

/* A listing takes a permit or two, and others want some, too. */
#define PERMITS_PER_THREAD ((size_t)4)

/* The time after which a walk that waits notices a stop. */
#define ROUND_NANOSECONDS ((long)50000000)

/* ---- life -------------------------------------------------------------- */

static size_t threads_for_budget(weir_gate_t gate) {
    size_t permits = weir_descriptor_budget();
    if (gate) {
        weir_gate_stats_t stats;
        weir_gate_stats(gate, &stats, sizeof stats);
        permits = stats.permits < permits ? stats.permits : permits;
    }
    size_t threads = permits / PERMITS_PER_THREAD;
    return weir_spi_threads_available(threads < THREADS ? threads : THREADS);
}

void weir__ahead_begin(weir_walk_t walk, const struct ahead_limits *limits) {
    struct ahead_limits own = {
        .window = WINDOW, .bytes = BYTES, .listing_bytes = LISTING_BYTES};
    if (!limits) {
        own.threads = threads_for_budget(walk->gate);
        limits = &own;
    }
    if (!walk->ahead && limits->threads > 0) {
        walk->ahead = weir__listers_create(&walk->rules, limits, walk->gate);
    }
}

void weir__ahead_end(struct weir__ahead *ahead) {
    pthread_mutex_lock(&ahead->lock);
    while (ahead->first) {
        weir__plan_remove(ahead, ahead->first);
    }
    pthread_mutex_unlock(&ahead->lock);
    weir__listers_drop_hold(ahead);
}

/* ---- planning ---------------------------------------------------------- */

/* A place in the list, between two plans. */
struct place {
    weir_walk_t walk;
    struct weir__ahead *ahead;
    struct plan *previous; /* or NULL */
    struct plan *next;     /* or NULL */
    size_t position;       /* the number of plans before the place */
};

static bool is_in_window(const struct place *place) {
    return place->position < place->ahead->limits.window;
}

/* Inserts a plan for ahead->path before the place. False if memory is short. */
static bool insert(struct place *place, size_t depth, size_t index) {
    struct weir__ahead *ahead = place->ahead;
    size_t length = ahead->path.used;
    struct plan *plan = calloc(1, sizeof *plan + length + 1);
    if (!plan) {
        return false;
    }
    memcpy(plan->path, ahead->path.data, length);
    plan->path_length = length;
    plan->depth = depth;
    plan->index = index;
    plan->previous = place->previous;
    plan->next = place->next;
    *(place->previous ? &place->previous->next : &ahead->first) = plan;
    *(place->next ? &place->next->previous : &ahead->last) = plan;
    place->previous = plan;
    place->position++;
    ahead->waiting++;
    ahead->bytes += plan_size(plan);
    return true;
}

/* Makes ahead->path the path of an entry of a directory. Returns false if the
   walk will not enter it, or if memory is short. */
static bool is_entered(struct place *place, const struct name *name,
                       size_t directory_length) {
    weir_walk_t walk = place->walk;
    struct bytes *path = &place->ahead->path;
    if (name->type != WEIR_ENTRY_DIRECTORY || name->error) {
        return false;
    }
    size_t length = strlen(name->bytes);
    path->used = directory_length;
    if (!weir__bytes_reserve(path, length + 1)) {
        return false;
    }
    memcpy(path->data + path->used, name->bytes, length + 1);
    path->used += length;
    return weir__filters_take(walk->filters,
                              path->data + walk->levels[0].path_length,
                              path->data + directory_length, true);
}

/* Plans the next subdirectories of a listing; `depth` is its entries'. */
static void plan_names(struct place *place, struct listing *listing,
                       const char *path, size_t path_length, size_t depth) {
    struct bytes *own = &place->ahead->path;
    own->used = 0;
    char *copy = weir__bytes_reserve(own, path_length + 1);
    if (!copy || !walk_enters_depth(place->walk, depth)) {
        return;
    }
    memcpy(copy, path, path_length);
    copy[path_length] = '/';
    while (listing->planned < listing->count && is_in_window(place)) {
        const struct name *name = &listing->names[listing->planned];
        if (is_entered(place, name, path_length + 1) &&
            !insert(place, depth, listing->planned)) {
            return;
        }
        listing->planned++;
    }
}

/* Returns the plan of this depth that a plan is in, or is; NULL if that is a
   level of the walk. */
static struct plan *directory_of(struct plan *plan, size_t depth) {
    while (plan && plan->depth > depth) {
        plan = plan->previous;
    }
    return plan; /* plans before it, in the same level, are not above it */
}

/* Returns true if a plan is, by way of a link, a directory above it. */
static bool is_loop(const struct place *place, const struct plan *plan) {
    weir_walk_t walk = place->walk;
    size_t depth = plan->depth;
    if (!(walk->rules.flags & WEIR_WALK_FOLLOW)) {
        return false;
    }
    for (const struct plan *above = plan->previous; above;
         above = above->previous) {
        if (above->depth < depth) {
            depth = above->depth;
            if (listing_is_of_same_directory(&above->listing, &plan->listing)) {
                return true;
            }
        }
    }
    return walk_is_in(walk, &plan->listing,
                      depth < walk->depth ? depth : walk->depth);
}

/* Plans the next subdirectories of the directory of this depth that ends at the
   place: a plan, or a level of the walk. */
static void plan_directory(struct place *place, size_t depth) {
    weir_walk_t walk = place->walk;
    struct plan *plan = directory_of(place->previous, depth);
    if (!plan) {
        struct level *level = &walk->levels[depth];
        if (level->listing.planned < level->next) {
            level->listing.planned = level->next;
        }
        plan_names(place, &level->listing, walk->path, level->path_length - 1,
                   depth + 1);
    } else if (plan->state == PLAN_LISTED && !is_loop(place, plan)) {
        plan_names(place, &plan->listing, plan->path, plan->path_length,
                   depth + 1);
    }
}

/* Fills the window. Between two plans those directories end that the first one
   is in, or is, and the second one is not in. */
static void fill_window(weir_walk_t walk) {
    struct weir__ahead *ahead = walk->ahead;
    struct place place = {.walk = walk, .ahead = ahead, .next = ahead->first};
    size_t from = walk->depth - 1;
    for (;;) {
        size_t to = place.next ? place.next->depth : 0;
        for (size_t depth = from + 1; depth-- > to && is_in_window(&place);) {
            plan_directory(&place, depth);
        }
        if (!place.next || !is_in_window(&place)) {
            return;
        }
        from = place.next->depth;
        place.previous = place.next;
        place.next = place.next->next;
        place.position++;
    }
}

/* ---- memory ------------------------------------------------------------ */

/* Lets the last plan be made again later. */
static void drop_last(weir_walk_t walk) {
    struct weir__ahead *ahead = walk->ahead;
    struct plan *last = ahead->last;
    struct plan *parent = directory_of(last, last->depth - 1);
    struct listing *listing =
        parent ? &parent->listing : &walk->levels[last->depth - 1].listing;
    listing->planned = last->index;
    weir__plan_remove(ahead, last);
}

/* Makes room for the first plan that waits, at the expense of later ones. */
static void make_room(weir_walk_t walk) {
    struct weir__ahead *ahead = walk->ahead;
    const struct plan *first = ahead->first;
    while (first && first->state != PLAN_WAITING) {
        first = first->next;
    }
    while (first && ahead->last != first && !ahead_has_room(ahead) &&
           ahead->last->state != PLAN_IN_PROGRESS) {
        drop_last(walk);
    }
}

/* Drops plans of directories that the walk has left or not entered. */
static void drop_passed(weir_walk_t walk) {
    struct weir__ahead *ahead = walk->ahead;
    while (ahead->first && ahead->first->depth > walk->depth) {
        weir__plan_remove(ahead, ahead->first);
    }
}

static void plan_and_unlock(weir_walk_t walk) {
    struct weir__ahead *ahead = walk->ahead;
    drop_passed(walk);
    fill_window(walk);
    make_room(walk);
    weir__listers_wake_and_unlock(ahead);
}

void weir__ahead_plan(weir_walk_t walk) {
    if (!walk->pace.is_slow && !walk->ahead->limits.is_constant) {
        return;
    }
    pthread_mutex_lock(&walk->ahead->lock);
    plan_and_unlock(walk);
}

/* ---- taking ------------------------------------------------------------ */

void weir__walk_attach(weir_walk_t walk, const _Atomic int *stop_reason,
                       weir_gate_t gate) {
    walk->stop_reason = stop_reason;
    walk->gate = gate;
}

static bool is_stopped(weir_walk_t walk) {
    return walk->stop_reason && load_relaxed(walk->stop_reason) != 0;
}

/* Waits for a lister. Returns false after a while. */
static bool wait_a_round(struct weir__ahead *ahead) {
    return weir__condition_wait(&ahead->finished, &ahead->lock,
                                ROUND_NANOSECONDS);
}

/* Plans, and waits for the next listing. Returns false after a while. */
static bool plan_and_wait(weir_walk_t walk) {
    struct weir__ahead *ahead = walk->ahead;
    size_t events = ahead->events;
    plan_and_unlock(walk);
    pthread_mutex_lock(&ahead->lock);
    return events != ahead->events || wait_a_round(ahead);
}

/* True if all listers have found no room or no permit. */
static bool is_left_to_walk(const struct weir__ahead *ahead) {
    return ahead->starting == 0 && ahead->idle;
}

/* Returns the first plan, which is not in progress, if its directory is the one
   at the walk's path. A plan that waits is left to a lister, unless they seem
   stuck. Called with the lock held. */
static struct plan *await_first(weir_walk_t walk, size_t path_length) {
    struct weir__ahead *ahead = walk->ahead;
    struct plan *plan = ahead->first;
    if (!plan || plan->path_length != path_length ||
        memcmp(plan->path, walk->path, path_length) != 0) {
        return NULL;
    }
    bool is_stuck = false;
    while (
        plan->state == PLAN_IN_PROGRESS ||
        (plan->state == PLAN_WAITING && !is_stuck && !is_left_to_walk(ahead))) {
        is_stuck = !plan_and_wait(walk);
        if ((walk->is_stopped = is_stopped(walk))) {
            return NULL;
        }
    }
    return plan;
}

bool weir__ahead_take(weir_walk_t walk, size_t path_length,
                      struct listing *listing, struct pace_sample *sample) {
    struct weir__ahead *ahead = walk->ahead;
    pthread_mutex_lock(&ahead->lock);
    drop_passed(walk);
    struct plan *plan = await_first(walk, path_length);
    bool is_listed = plan && plan->state == PLAN_LISTED;
    if (is_listed) {
        ahead->bytes -= listing_size(&plan->listing);
        weir__listing_free(listing);
        *listing = plan->listing;
        *sample = plan->sample;
        plan->listing = (struct listing){.count = 0};
        walk->listed_ahead++;
    }
    if (plan) {
        weir__plan_remove(ahead, plan);
    }
    pthread_mutex_unlock(&ahead->lock);
    return is_listed;
}
