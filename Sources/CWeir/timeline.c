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
 * had to wait.
 */
#include "recorder.h"

/* ---- a table from what is going on to its last moment ------------------ */

enum space { SUBJECT, JOB, NUMBERED_WAIT, THREADS_WAIT };

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

static bool is_of(const struct weir__subject *subject,
                  const struct weir__record *record) {
    return subject->object == record->object &&
           (subject->label == record->label ||
            strcmp(subject->label, record->label) == 0);
}

/* The newest of that object: another one may have been there before. */
static size_t find_subject(struct weir__timeline *timeline, struct table *table,
                           const struct weir__record *record) {
    size_t *place =
        place_of(table, SUBJECT, 0, (uint64_t)(uintptr_t)record->object);
    if (*place != WEIR_NONE && is_of(&timeline->subjects[*place], record)) {
        return *place;
    }
    size_t number = 1;
    for (size_t index = 0; index < timeline->subject_count; index++) {
        number += strcmp(timeline->subjects[index].label, record->label) == 0;
    }
    timeline->subjects[timeline->subject_count] = (struct weir__subject){
        .object = record->object, .label = record->label, .number = number};
    return *place = timeline->subject_count++;
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
    return 0;
}

/* ---- going through it -------------------------------------------------- */

struct passage {
    struct weir__timeline *timeline;
    struct table table;
    size_t *open; /* of each thread the innermost job that runs */
};

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
        subject->queued--;
    }
    *job = index;
    subject->running++;
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
    if (kind_of(passage, start) != WEIR_TRACE_START ||
        at(passage, start)->is_broken) {
        return;
    }
    *job = WEIR_NONE;
    subject->running--;
    if (close_above(passage, at(passage, index)->thread, start)) {
        link_from(passage, index, start);
    } else {
        at(passage, start)->is_broken = true;
    }
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

static void end_wait(struct passage *passage, size_t index,
                     struct weir__subject *subject) {
    size_t *place = wait_of(passage, index);
    size_t from = *place, wait = from;
    if (kind_of(passage, from) == WEIR_TRACE_WAKE) {
        wait = at(passage, from)->from;
    } else if (from != WEIR_NONE) {
        subject->waiting--;
    }
    if (from != WEIR_NONE) {
        link_from(passage, index, from);
    }
    if (wait != WEIR_NONE) {
        at(passage, wait)->ended = index;
        at(passage, index)->ended = wait;
        at(passage, wait)->is_blocking = did_nothing(passage, wait, index);
    }
    *place = WEIR_NONE;
}

static void pass_wake(struct passage *passage, size_t index,
                      struct weir__subject *subject) {
    size_t *wait = wait_of(passage, index);
    if (kind_of(passage, *wait) == WEIR_TRACE_WAIT) {
        link_from(passage, index, *wait);
        subject->waiting--;
    }
    *wait = index;
    subject->out += (ptrdiff_t)at(passage, index)->record->count;
}

static void pass_cancel(struct passage *passage, size_t index,
                        struct weir__subject *subject) {
    if (subject->has_jobs && at(passage, index)->record->job != 0) {
        size_t *job = job_of(passage, index);
        if (kind_of(passage, *job) == WEIR_TRACE_SUBMIT) {
            link_from(passage, index, *job);
            subject->queued--;
        }
        *job = WEIR_NONE;
    } else if (!subject->has_members) {
        end_wait(passage, index, subject);
    }
}

static void pass(struct passage *passage, size_t index,
                 struct weir__subject *subject) {
    struct weir__moment *moment = at(passage, index);
    ptrdiff_t count = (ptrdiff_t)moment->record->count;
    switch (moment->record->kind) {
    case WEIR_TRACE_SUBMIT:
        *job_of(passage, index) = index;
        subject->queued++;
        break;
    case WEIR_TRACE_START:
        pass_start(passage, index, subject);
        break;
    case WEIR_TRACE_END:
        pass_end(passage, index, subject);
        break;
    case WEIR_TRACE_WAIT:
        *wait_of(passage, index) = index;
        subject->waiting++;
        moment->is_blocking = moment->next == WEIR_NONE;
        break;
    case WEIR_TRACE_WAKE:
        pass_wake(passage, index, subject);
        break;
    case WEIR_TRACE_ACQUIRED:
        end_wait(passage, index, subject);
        if (kind_of(passage, moment->from) != WEIR_TRACE_WAKE) {
            subject->out += count;
        }
        break;
    case WEIR_TRACE_TIMED_OUT:
        end_wait(passage, index, subject);
        break;
    case WEIR_TRACE_SIGNAL:
        subject->out -= count;
        break;
    case WEIR_TRACE_CANCEL:
        pass_cancel(passage, index, subject);
        break;
    case WEIR_TRACE_ENTER:
    case WEIR_TRACE_LEAVE:
        subject->running = (size_t)count;
        break;
    default:
        break;
    }
}

static void note_figures(struct weir__moment *moment,
                         struct weir__subject *subject) {
    if (subject->most_out < subject->out) {
        subject->most_out = subject->out;
    }
    moment->free = (size_t)subject->out; /* until the most is known */
    moment->waiting = subject->waiting;
    moment->queued = subject->queued;
    moment->running = subject->running;
}

static void go_through(struct passage *passage) {
    struct weir__timeline *timeline = passage->timeline;
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->subject != WEIR_NONE) {
            struct weir__subject *subject =
                &timeline->subjects[moment->subject];
            pass(passage, index, subject);
            note_figures(moment, subject);
        }
    }
    for (size_t index = 0; index < timeline->count; index++) {
        struct weir__moment *moment = &timeline->moments[index];
        if (moment->subject != WEIR_NONE) {
            moment->free =
                (size_t)timeline->subjects[moment->subject].most_out -
                moment->free;
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
