/*
 * timeline.c: finds the causes of recorded events and the state of each object
 * after them.
 *
 * DESIGN. The causes of an event, the number of waiters and the free permits
 * are computed here, once, for every format. The analysis goes through the
 * events in the order of time with a table of current activity: the last event
 * of each job, and the owner of each wait. If the counterpart of an event was
 * dropped, the event has none.
 *
 * No event contains the number of a gate's permits. So the free permits are
 * counted from the most permits that were seen in use at once, which is all of
 * them as soon as any caller had to wait. The number of jobs queued or running
 * is counted up and down from the beginning, and then raised by as much as it
 * went below 0. If a buffer wrapped round, counting begins at the time from
 * which nothing is lost. A group's events carry its count, but out of order:
 * they are counted like the rest, with the least count in the place of 0.
 */
#include "trace/timeline.h"
#include "base/bytes.h"

enum space { OBJECT, JOB, NUMBERED_WAIT, THREAD_WAIT };

struct entry {
    size_t subject;
    uint64_t id;
    enum space space;
    size_t moment;
    bool is_used;
};

struct table {
    struct entry *entries;
    size_t size; /* a power of two, at least twice the possible keys */
};

/* Returns the place of a key, which is made if it does not exist. */
static size_t *table_place(struct table *table, enum space space,
                           size_t subject, uint64_t id) {
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
                           const struct weir__trace_record *record) {
    size_t *place = table_place(table, OBJECT, 0, record->serial);
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

/* Numbers the subjects that share a label. */
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

static void classify_subject(struct weir__subject *subject, uint64_t kind) {
    if (kind == WEIR_TRACE_SUBMIT || kind == WEIR_TRACE_START ||
        kind == WEIR_TRACE_END) {
        subject->kind = SUBJECT_LANES;
    } else if (kind == WEIR_TRACE_ENTER || kind == WEIR_TRACE_LEAVE) {
        subject->kind = SUBJECT_GROUP;
    }
}

static int find_subjects(struct weir__timeline *timeline, struct table *table) {
    size_t room = 0;
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->record->kind == WEIR_TRACE_NOTE) {
            continue;
        }
        if (!weir__grow(&timeline->subjects, sizeof *timeline->subjects, &room,
                        timeline->subject_count + 1)) {
            return ENOMEM;
        }
        moment->subject = find_subject(timeline, table, moment->record);
        classify_subject(&timeline->subjects[moment->subject],
                         moment->record->kind);
    }
    return number_subjects(timeline);
}

/* ---- the analysis -------------------------------------------------- */

struct analysis {
    struct weir__timeline *timeline;
    struct table table;
    size_t *open; /* for each thread, the innermost running job */
    bool counts;  /* no earlier event was lost */
};

static void add_to_counter(struct analysis *analysis,
                           struct weir__counter *counter, ptrdiff_t change) {
    counter->now += analysis->counts ? change : 0;
    counter->least =
        counter->now < counter->least ? counter->now : counter->least;
    counter->most = counter->now > counter->most ? counter->now : counter->most;
}

static struct weir__moment *at(struct analysis *analysis, size_t index) {
    return &analysis->timeline->moments[index];
}

static uint64_t event_kind(struct analysis *analysis, size_t index) {
    return index == WEIR_NONE ? 0 : at(analysis, index)->record->kind;
}

static void link_from(struct analysis *analysis, size_t index, size_t from) {
    at(analysis, index)->from = from;
    at(analysis, from)->to = index;
}

static size_t *job_of(struct analysis *analysis, size_t index) {
    struct weir__moment *moment = at(analysis, index);
    return table_place(&analysis->table, JOB, moment->subject,
                       moment->record->job);
}

/* A wait without a number, at a backlog, is identified by its thread. */
static size_t *wait_of(struct analysis *analysis, size_t index) {
    struct weir__moment *moment = at(analysis, index);
    uint64_t number = moment->record->job;
    return number != 0 ? table_place(&analysis->table, NUMBERED_WAIT,
                                     moment->subject, number)
                       : table_place(&analysis->table, THREAD_WAIT,
                                     moment->subject, moment->thread);
}

static void analyze_start(struct analysis *analysis, size_t index,
                          struct weir__subject *subject) {
    struct weir__moment *moment = at(analysis, index);
    size_t *job = job_of(analysis, index);
    if (event_kind(analysis, *job) == WEIR_TRACE_SUBMIT) {
        link_from(analysis, index, *job);
    }
    *job = index;
    add_to_counter(analysis, &subject->queued, -1);
    add_to_counter(analysis, &subject->running, 1);
    moment->below = analysis->open[moment->thread];
    analysis->open[moment->thread] = index;
}

/* Ends a job and those within it. False if another thread began it. */
static bool close_job(struct analysis *analysis, size_t thread, size_t start) {
    if (at(analysis, start)->thread != thread) {
        return false;
    }
    for (size_t open = analysis->open[thread]; open != start;
         open = at(analysis, open)->below) {
        at(analysis, open)->is_broken = true;
    }
    analysis->open[thread] = at(analysis, start)->below;
    return true;
}

static void analyze_end(struct analysis *analysis, size_t index,
                        struct weir__subject *subject) {
    size_t *job = job_of(analysis, index);
    size_t start = *job;
    add_to_counter(analysis, &subject->running, -1);
    if (event_kind(analysis, start) != WEIR_TRACE_START) {
        return;
    }
    *job = WEIR_NONE;
    link_from(analysis, index, start);
    if (!at(analysis, start)->is_broken &&
        !close_job(analysis, at(analysis, index)->thread, start)) {
        at(analysis, start)->is_broken = true;
    }
}

/* Returns true if a thread waited, and not a request. */
static bool is_thread_wait(struct analysis *analysis, size_t wait) {
    return at(analysis, wait)->record->lane == 0;
}

/* True if the thread did no work until `end`; granting permits is none. */
static bool only_waited(struct analysis *analysis, size_t wait, size_t end) {
    size_t next = at(analysis, wait)->next;
    while (next != WEIR_NONE && next != end &&
           (event_kind(analysis, next) == WEIR_TRACE_WAKE ||
            event_kind(analysis, next) == WEIR_TRACE_CANCEL)) {
        next = at(analysis, next)->next;
    }
    return next == WEIR_NONE || next == end || next > end;
}

static void end_wait(struct analysis *analysis, size_t index) {
    size_t *place = wait_of(analysis, index);
    size_t from = *place, wait = from;
    if (event_kind(analysis, from) == WEIR_TRACE_WAKE) {
        wait = at(analysis, from)->from;
    }
    if (from != WEIR_NONE) {
        link_from(analysis, index, from);
    }
    if (wait != WEIR_NONE) {
        at(analysis, wait)->ended = index;
        at(analysis, index)->ended = wait;
        at(analysis, wait)->is_blocking = is_thread_wait(analysis, wait) &&
                                          only_waited(analysis, wait, index);
    }
    *place = WEIR_NONE;
}

static void analyze_wake(struct analysis *analysis, size_t index,
                         struct weir__subject *subject) {
    size_t *wait = wait_of(analysis, index);
    if (event_kind(analysis, *wait) == WEIR_TRACE_WAIT) {
        link_from(analysis, index, *wait);
    }
    *wait = index;
    add_to_counter(analysis, &subject->waiting, -1);
    add_to_counter(analysis, &subject->out,
                   (ptrdiff_t)at(analysis, index)->record->count);
}

static void analyze_cancel(struct analysis *analysis, size_t index,
                           struct weir__subject *subject) {
    if (subject->kind == SUBJECT_LANES &&
        at(analysis, index)->record->job != 0) {
        size_t *job = job_of(analysis, index);
        if (event_kind(analysis, *job) == WEIR_TRACE_SUBMIT) {
            link_from(analysis, index, *job);
        }
        *job = WEIR_NONE;
        add_to_counter(analysis, &subject->queued, -1);
    } else if (subject->kind != SUBJECT_GROUP) {
        end_wait(analysis, index);
        add_to_counter(analysis, &subject->waiting, -1);
    }
}

/* True if an event ended a wait without a WAKE, as for a program's own objects.
   The WAKE of a WAIT from before whole_from may be lost. */
static bool ended_without_wake(struct analysis *analysis, size_t index) {
    size_t from = at(analysis, index)->from;
    return event_kind(analysis, from) == WEIR_TRACE_WAIT &&
           at(analysis, from)->record->nanoseconds >=
               analysis->timeline->whole_from;
}

/* A WAKE counted its permits. Lanes acquire places in the backlog instead. */
static void analyze_acquired(struct analysis *analysis, size_t index,
                             struct weir__subject *subject) {
    const struct weir__trace_record *record = at(analysis, index)->record;
    bool ends_wait = ended_without_wake(analysis, index);
    if (subject->kind == SUBJECT_LANES || ends_wait) {
        add_to_counter(analysis, &subject->waiting, -1);
    }
    if (subject->kind == SUBJECT_GATE && (record->job == 0 || ends_wait)) {
        add_to_counter(analysis, &subject->out, (ptrdiff_t)record->count);
    }
}

/* `least` is the lower one of the counts before and after. */
static void analyze_member(struct analysis *analysis,
                           struct weir__subject *subject, ptrdiff_t change,
                           size_t least) {
    add_to_counter(analysis, &subject->running, change);
    if (analysis->counts && least < subject->least_inside) {
        subject->least_inside = least;
    }
}

static void analyze_event(struct analysis *analysis, size_t index,
                          struct weir__subject *subject) {
    struct weir__moment *moment = at(analysis, index);
    const struct weir__trace_record *record = moment->record;
    switch (record->kind) {
    case WEIR_TRACE_SUBMIT:
        *job_of(analysis, index) = index;
        add_to_counter(analysis, &subject->queued, 1);
        break;
    case WEIR_TRACE_START:
        analyze_start(analysis, index, subject);
        break;
    case WEIR_TRACE_END:
        analyze_end(analysis, index, subject);
        break;
    case WEIR_TRACE_WAIT:
        *wait_of(analysis, index) = index;
        add_to_counter(analysis, &subject->waiting, 1);
        moment->is_blocking =
            is_thread_wait(analysis, index) && moment->next == WEIR_NONE;
        break;
    case WEIR_TRACE_WAKE:
        analyze_wake(analysis, index, subject);
        break;
    case WEIR_TRACE_ACQUIRED:
        end_wait(analysis, index);
        analyze_acquired(analysis, index, subject);
        break;
    case WEIR_TRACE_TIMED_OUT:
        end_wait(analysis, index);
        if (record->job != 0 || ended_without_wake(analysis, index)) {
            add_to_counter(analysis, &subject->waiting, -1);
        }
        break;
    case WEIR_TRACE_SIGNAL:
        add_to_counter(analysis, &subject->out, -(ptrdiff_t)record->count);
        break;
    case WEIR_TRACE_CANCEL:
        analyze_cancel(analysis, index, subject);
        break;
    case WEIR_TRACE_ENTER:
        analyze_member(analysis, subject, 1, record->count - 1);
        break;
    case WEIR_TRACE_LEAVE:
        analyze_member(analysis, subject, -1, record->count);
        break;
    default:
        break;
    }
}

/* Stores the counters, still relative to their values at the beginning. */
static void store_counters(struct weir__moment *moment,
                           const struct weir__subject *subject) {
    moment->free = (size_t)-subject->out.now;
    moment->waiting = (size_t)subject->waiting.now;
    moment->queued = (size_t)subject->queued.now;
    moment->running = (size_t)subject->running.now;
}

/* Makes the counters absolute, now that their extremes are known. */
static void make_absolute(struct weir__moment *moment,
                          const struct weir__subject *subject) {
    size_t inside =
        subject->least_inside == SIZE_MAX ? 0 : subject->least_inside;
    moment->free += (size_t)subject->out.most;
    moment->waiting -= (size_t)subject->waiting.least;
    moment->queued -= (size_t)subject->queued.least;
    moment->running += inside - (size_t)subject->running.least;
}

static void analyze_events(struct analysis *analysis) {
    struct weir__timeline *timeline = analysis->timeline;
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->subject != WEIR_NONE) {
            struct weir__subject *subject =
                &timeline->subjects[moment->subject];
            analysis->counts =
                moment->record->nanoseconds >= timeline->whole_from;
            analyze_event(analysis, index, subject);
            store_counters(moment, subject);
        }
    }
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->subject != WEIR_NONE) {
            make_absolute(moment, &timeline->subjects[moment->subject]);
        }
    }
}

int weir__timeline_analyze(struct weir__timeline *timeline) {
    qsort(timeline->moments, timeline->count, sizeof *timeline->moments,
          by_time);
    struct analysis analysis = {.timeline = timeline, .table.size = 16};
    while (analysis.table.size / 4 <= timeline->count) { /* two keys each */
        analysis.table.size *= 2;
    }
    analysis.table.entries = calloc(analysis.table.size, sizeof(struct entry));
    analysis.open = calloc(timeline->thread_count + 1, sizeof *analysis.open);
    int error = analysis.table.entries && analysis.open ? 0 : ENOMEM;
    if (error == 0) {
        link_threads(timeline, analysis.open);
        error = find_subjects(timeline, &analysis.table);
    }
    if (error == 0) {
        for (size_t thread = 0; thread <= timeline->thread_count; thread++) {
            analysis.open[thread] = WEIR_NONE;
        }
        analyze_events(&analysis);
    }
    free(analysis.table.entries);
    free(analysis.open);
    return error;
}

void weir__timeline_free(struct weir__timeline *timeline) {
    free(timeline->moments);
    free(timeline->subjects);
}
