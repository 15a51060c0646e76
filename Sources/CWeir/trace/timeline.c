/*
 * timeline.c: what recorded events have to do with each other.
 *
 * DESIGN. The recording points tell only what each of them knows. What led to
 * what, how many waited, how many permits were free is found out here, once,
 * for every format, by going through the events in the order of time with a
 * table of what is going on: which job was last seen where, which wait is
 * whose. An event whose other half was dropped (the oldest are, where a buffer
 * ran round) simply has no other half.
 *
 * How many permits a gate has is in no event. So what is free is counted from
 * the most that were seen out at once, which is all of them as soon as anybody
 * had to wait. How much was queued or running when recording began is in none
 * either: it is counted up and down from there, and then raised by as much as it
 * went below 0. Where a buffer ran round, that is done from the time on of which
 * nothing is lost; what came before it finds its other half, but is not counted.
 *
 * A group's events carry its count, but are not told in the order in which the
 * count was changed. The least count in them is one that there was, in whatever
 * order, and so they are counted like the rest, with that in the place of 0.
 */
#include "trace/recorder.h"

/* ---- a table from what is going on to its last moment ------------------ */

enum space { OBJECT, JOB, NUMBERED_WAIT, THREADS_WAIT };

struct entry {
    size_t subject;
    uint64_t id;
    enum space space;
    size_t moment;
    bool is_used;
};

struct table {
    struct entry *entries;
    size_t size; /* a power of two, twice what can be in it at least */
};

/* The place of a key, which is there or is made. */
static size_t *place_of(struct table *table, enum space space, size_t subject,
                        uint64_t id) {
    uint64_t hash = (id * 4 + space) * 0x9e3779b97f4a7c15u + subject;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    size_t slot = (size_t)(hash >> 16) & (table->size - 1);
    for (;; slot = (slot + 1) & (table->size - 1)) {
        struct entry *entry = &table->entries[slot];
        if (!entry->is_used) {
            *entry = (struct entry){subject, id, space, WEIR_NONE, true};
        }
        if (entry->subject == subject && entry->id == id &&
            entry->space == space) {
            return &entry->moment;
        }
    }
}

/* ---- order ------------------------------------------------------------- */

static int by_time(const void *left, const void *right) {
    const struct weir__moment *a = left, *b = right;
    uint64_t x = a->record->nanoseconds, y = b->record->nanoseconds;
    if (x != y) {
        return x < y ? -1 : 1;
    }
    if (a->thread != b->thread) {
        return a->thread < b->thread ? -1 : 1;
    }
    return a->order < b->order ? -1 : 1;
}

/* `last` has room for every thread. */
static void link_threads(struct weir__timeline *timeline, size_t *last) {
    for (size_t thread = 0; thread <= timeline->thread_count; thread++) {
        last[thread] = WEIR_NONE;
    }
    for (size_t index = timeline->count; index-- > 0;) {
        struct weir__moment *moment = &timeline->moments[index];
        moment->next = last[moment->thread];
        last[moment->thread] = index;
        moment->from = moment->to = moment->ended = moment->below = WEIR_NONE;
        moment->subject = WEIR_NONE;
    }
}

/* ---- subjects ---------------------------------------------------------- */

static size_t find_subject(struct weir__timeline *timeline, struct table *table,
                           const struct weir__record *record) {
    size_t *place = place_of(table, OBJECT, 0, record->serial);
    if (*place == WEIR_NONE) {
        timeline->subjects[timeline->subject_count] = (struct weir__subject){
            .label = record->label, .least_inside = SIZE_MAX};
        *place = timeline->subject_count++;
    }
    return *place;
}

static int by_label(const void *left, const void *right) {
    const struct weir__subject *a = *(struct weir__subject *const *)left;
    const struct weir__subject *b = *(struct weir__subject *const *)right;
    int order = strcmp(a->label, b->label);
    return order != 0 ? order : a < b ? -1 : 1;
}

/* Tells apart those that have one label. */
static int number_subjects(struct weir__timeline *timeline) {
    size_t count = timeline->subject_count;
    struct weir__subject **sorted = calloc(count + 1, sizeof(*sorted));
    if (!sorted) {
        return ENOMEM;
    }
    for (size_t index = 0; index < count; index++) {
        sorted[index] = &timeline->subjects[index];
    }
    qsort(sorted, count, sizeof(*sorted), by_label);
    for (size_t index = 0; index < count; index++) {
        bool is_another = index > 0 && strcmp(sorted[index - 1]->label,
                                              sorted[index]->label) == 0;
        sorted[index]->number = is_another ? sorted[index - 1]->number + 1 : 1;
    }
    free(sorted);
    return 0;
}

static void learn_kind(struct weir__subject *subject, uint64_t kind) {
    switch (kind) {
    case WEIR_TRACE_SUBMIT:
    case WEIR_TRACE_START:
    case WEIR_TRACE_END:
        subject->has_jobs = true;
        break;
    case WEIR_TRACE_SIGNAL:
    case WEIR_TRACE_WAKE:
    case WEIR_TRACE_TIMED_OUT:
        subject->has_permits = true;
        break;
    case WEIR_TRACE_ENTER:
    case WEIR_TRACE_LEAVE:
        subject->has_members = true;
        break;
    default: /* of more than one kind of object */
        break;
    }
}

static int find_subjects(struct weir__timeline *timeline, struct table *table) {
    size_t room = 0;
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->record->kind == WEIR_TRACE_NOTE) {
            continue;
        }
        if (timeline->subject_count == room) {
            size_t more = room == 0 ? 16 : room * 2;
            struct weir__subject *subjects =
                reallocarray(timeline->subjects, more, sizeof *subjects);
            if (!subjects) {
                return ENOMEM;
            }
            timeline->subjects = subjects;
            room = more;
        }
        moment->subject = find_subject(timeline, table, moment->record);
        learn_kind(&timeline->subjects[moment->subject], moment->record->kind);
    }
    for (size_t index = 0; index < timeline->subject_count; index++) {
        struct weir__subject *subject = &timeline->subjects[index];
        subject->has_permits = subject->has_permits ||
                               (!subject->has_jobs && !subject->has_members);
    }
    return number_subjects(timeline);
}

/* ---- going through it -------------------------------------------------- */

struct passage {
    struct weir__timeline *timeline;
    struct table table;
    size_t *open; /* of each thread the innermost job that runs */
    bool counts;  /* all that happened before is known, or is of no concern */
};

static void count(struct passage *passage, struct weir__figure *figure,
                  ptrdiff_t change) {
    figure->now += passage->counts ? change : 0;
    figure->least = figure->now < figure->least ? figure->now : figure->least;
    figure->most = figure->now > figure->most ? figure->now : figure->most;
}

static struct weir__moment *at(struct passage *passage, size_t index) {
    return &passage->timeline->moments[index];
}

static uint64_t kind_of(struct passage *passage, size_t index) {
    return index == WEIR_NONE ? 0 : at(passage, index)->record->kind;
}

static void link_from(struct passage *passage, size_t index, size_t from) {
    at(passage, index)->from = from;
    at(passage, from)->to = index;
}

static size_t *job_of(struct passage *passage, size_t index) {
    struct weir__moment *moment = at(passage, index);
    return place_of(&passage->table, JOB, moment->subject, moment->record->job);
}

/* A wait without a number, at a backlog, is known by its thread. */
static size_t *wait_of(struct passage *passage, size_t index) {
    struct weir__moment *moment = at(passage, index);
    uint64_t number = moment->record->job;
    return number != 0 ? place_of(&passage->table, NUMBERED_WAIT,
                                  moment->subject, number)
                       : place_of(&passage->table, THREADS_WAIT,
                                  moment->subject, moment->thread);
}

static void pass_start(struct passage *passage, size_t index,
                       struct weir__subject *subject) {
    struct weir__moment *moment = at(passage, index);
    size_t *job = job_of(passage, index);
    if (kind_of(passage, *job) == WEIR_TRACE_SUBMIT) {
        link_from(passage, index, *job);
    }
    *job = index;
    count(passage, &subject->queued, -1);
    count(passage, &subject->running, 1);
    moment->below = passage->open[moment->thread];
    passage->open[moment->thread] = index;
}

/* Whether a job runs on a thread; those above it lost their ends. */
static bool close_above(struct passage *passage, size_t thread, size_t start) {
    if (at(passage, start)->thread != thread) {
        return false;
    }
    for (size_t open = passage->open[thread]; open != start;
         open = at(passage, open)->below) {
        at(passage, open)->is_broken = true;
    }
    passage->open[thread] = at(passage, start)->below;
    return true;
}

static void pass_end(struct passage *passage, size_t index,
                     struct weir__subject *subject) {
    size_t *job = job_of(passage, index);
    size_t start = *job;
    count(passage, &subject->running, -1);
    if (kind_of(passage, start) != WEIR_TRACE_START ||
        at(passage, start)->is_broken) {
        return;
    }
    *job = WEIR_NONE;
    if (close_above(passage, at(passage, index)->thread, start)) {
        link_from(passage, index, start);
    } else {
        at(passage, start)->is_broken = true;
    }
}

/* Whether it was a thread that waited, and not a request. */
static bool holds_thread(struct passage *passage, size_t wait) {
    return at(passage, wait)->record->lane == 0;
}

/* Whether a thread did nothing but wait until then. That it let others through
   before it went is not work of its own. */
static bool did_nothing(struct passage *passage, size_t wait, size_t end) {
    size_t next = at(passage, wait)->next;
    while (next != WEIR_NONE && next != end &&
           (kind_of(passage, next) == WEIR_TRACE_WAKE ||
            kind_of(passage, next) == WEIR_TRACE_CANCEL)) {
        next = at(passage, next)->next;
    }
    return next == WEIR_NONE || next == end || next > end;
}

static void end_wait(struct passage *passage, size_t index) {
    size_t *place = wait_of(passage, index);
    size_t from = *place, wait = from;
    if (kind_of(passage, from) == WEIR_TRACE_WAKE) {
        wait = at(passage, from)->from;
    }
    if (from != WEIR_NONE) {
        link_from(passage, index, from);
    }
    if (wait != WEIR_NONE) {
        at(passage, wait)->ended = index;
        at(passage, index)->ended = wait;
        at(passage, wait)->is_blocking =
            holds_thread(passage, wait) && did_nothing(passage, wait, index);
    }
    *place = WEIR_NONE;
}

static void pass_wake(struct passage *passage, size_t index,
                      struct weir__subject *subject) {
    size_t *wait = wait_of(passage, index);
    if (kind_of(passage, *wait) == WEIR_TRACE_WAIT) {
        link_from(passage, index, *wait);
    }
    *wait = index;
    count(passage, &subject->waiting, -1);
    count(passage, &subject->out, (ptrdiff_t)at(passage, index)->record->count);
}

static void pass_cancel(struct passage *passage, size_t index,
                        struct weir__subject *subject) {
    if (subject->has_jobs && at(passage, index)->record->job != 0) {
        size_t *job = job_of(passage, index);
        if (kind_of(passage, *job) == WEIR_TRACE_SUBMIT) {
            link_from(passage, index, *job);
        }
        *job = WEIR_NONE;
        count(passage, &subject->queued, -1);
    } else if (!subject->has_members) {
        end_wait(passage, index);
        count(passage, &subject->waiting, -1);
    }
}

/* Permits that were waited for were counted when they were given. At lanes it
   is a place in the backlog. */
static void pass_acquired(struct passage *passage,
                          struct weir__subject *subject,
                          const struct weir__record *record) {
    if (subject->has_jobs) {
        count(passage, &subject->waiting, -1);
    } else if (record->job == 0) {
        count(passage, &subject->out, (ptrdiff_t)record->count);
    }
}

/* `least` is the lower one of the counts before and after. */
static void pass_member(struct passage *passage, struct weir__subject *subject,
                        ptrdiff_t change, size_t least) {
    count(passage, &subject->running, change);
    if (passage->counts && least < subject->least_inside) {
        subject->least_inside = least;
    }
}

static void pass(struct passage *passage, size_t index,
                 struct weir__subject *subject) {
    struct weir__moment *moment = at(passage, index);
    const struct weir__record *record = moment->record;
    switch (record->kind) {
    case WEIR_TRACE_SUBMIT:
        *job_of(passage, index) = index;
        count(passage, &subject->queued, 1);
        break;
    case WEIR_TRACE_START:
        pass_start(passage, index, subject);
        break;
    case WEIR_TRACE_END:
        pass_end(passage, index, subject);
        break;
    case WEIR_TRACE_WAIT:
        *wait_of(passage, index) = index;
        count(passage, &subject->waiting, 1);
        moment->is_blocking =
            holds_thread(passage, index) && moment->next == WEIR_NONE;
        break;
    case WEIR_TRACE_WAKE:
        pass_wake(passage, index, subject);
        break;
    case WEIR_TRACE_ACQUIRED:
        end_wait(passage, index);
        pass_acquired(passage, subject, record);
        break;
    case WEIR_TRACE_TIMED_OUT:
        end_wait(passage, index);
        count(passage, &subject->waiting, record->job != 0 ? -1 : 0);
        break;
    case WEIR_TRACE_SIGNAL:
        count(passage, &subject->out, -(ptrdiff_t)record->count);
        break;
    case WEIR_TRACE_CANCEL:
        pass_cancel(passage, index, subject);
        break;
    case WEIR_TRACE_ENTER:
        pass_member(passage, subject, 1, record->count - 1);
        break;
    case WEIR_TRACE_LEAVE:
        pass_member(passage, subject, -1, record->count);
        break;
    default:
        break;
    }
}

/* As they are counted: from what they were at the beginning. */
static void note_figures(struct weir__moment *moment,
                         const struct weir__subject *subject) {
    moment->free = (size_t)-subject->out.now;
    moment->waiting = (size_t)subject->waiting.now;
    moment->queued = (size_t)subject->queued.now;
    moment->running = (size_t)subject->running.now;
}

/* Raises them to what they are, now that their extremes are known. */
static void raise_figures(struct weir__moment *moment,
                          const struct weir__subject *subject) {
    size_t inside =
        subject->least_inside == SIZE_MAX ? 0 : subject->least_inside;
    moment->free += (size_t)subject->out.most;
    moment->waiting -= (size_t)subject->waiting.least;
    moment->queued -= (size_t)subject->queued.least;
    moment->running += inside - (size_t)subject->running.least;
}

static void go_through(struct passage *passage) {
    struct weir__timeline *timeline = passage->timeline;
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->subject != WEIR_NONE) {
            struct weir__subject *subject =
                &timeline->subjects[moment->subject];
            passage->counts =
                moment->record->nanoseconds >= timeline->whole_from;
            pass(passage, index, subject);
            note_figures(moment, subject);
        }
    }
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->subject != WEIR_NONE) {
            raise_figures(moment, &timeline->subjects[moment->subject]);
        }
    }
}

int weir__timeline_explain(struct weir__timeline *timeline) {
    qsort(timeline->moments, timeline->count, sizeof *timeline->moments,
          by_time);
    struct passage passage = {.timeline = timeline, .table.size = 16};
    while (passage.table.size / 4 <= timeline->count) { /* two keys each */
        passage.table.size *= 2;
    }
    passage.table.entries = calloc(passage.table.size, sizeof(struct entry));
    passage.open = calloc(timeline->thread_count + 1, sizeof *passage.open);
    int error = passage.table.entries && passage.open ? 0 : ENOMEM;
    if (error == 0) {
        link_threads(timeline, passage.open);
        error = find_subjects(timeline, &passage.table);
    }
    if (error == 0) {
        for (size_t thread = 0; thread <= timeline->thread_count; thread++) {
            passage.open[thread] = WEIR_NONE;
        }
        go_through(&passage);
    }
    free(passage.table.entries);
    free(passage.open);
    return error;
}

void weir__timeline_free(struct weir__timeline *timeline) {
    free(timeline->moments);
    free(timeline->subjects);
}
