/*
 * formats.c: writes a timeline as JSON lines or as Trace Event JSON.
 *
 * DESIGN. The output uses only the part of the Trace Event Format that Perfetto
 * and the viewer in chrome://tracing treat alike: M, X, B, C, i and b/n/e
 * events, and flows by bind_id on X slices. Slices of one thread nest: a job is
 * a slice only if it ends on its thread, and before the job around it, and a
 * wait only if its thread did nothing else. Any other wait gets a row of its
 * own, as every job does. An event with an arrow (a submit, a wake) is a slice
 * of at most a microsecond. Rejected: arrows by s and f events, which Perfetto
 * sometimes binds to the wrong slice.
 */
#include "trace/json.h"
#include "trace/timeline.h"

#include <inttypes.h>

struct output {
    const struct weir__timeline *timeline;
    bool has_event; /* a comma is due */
    struct weir__json json;
};

__attribute__((__format__(__printf__, 2, 3))) static void
print(struct output *output, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir__json_print(&output->json, format, arguments);
    va_end(arguments);
}

static void put_string(struct output *output, const char *words) {
    weir__json_put(&output->json, words, strlen(words));
}

static void put_text(struct output *output, const char *string) {
    weir__json_put_text(&output->json, string);
}

/* ---- JSON lines -------------------------------------------------------- */

static const char *event_name(uint64_t kind) {
    static const char *const names[] = {
        [WEIR_TRACE_SUBMIT] = "submit",     [WEIR_TRACE_START] = "start",
        [WEIR_TRACE_END] = "end",           [WEIR_TRACE_WAIT] = "wait",
        [WEIR_TRACE_ACQUIRED] = "acquired", [WEIR_TRACE_TIMED_OUT] = "timeout",
        [WEIR_TRACE_SIGNAL] = "signal",     [WEIR_TRACE_WAKE] = "wake",
        [WEIR_TRACE_CANCEL] = "cancel",     [WEIR_TRACE_ENTER] = "enter",
        [WEIR_TRACE_LEAVE] = "leave",       [WEIR_TRACE_NOTE] = "note",
    };
    bool is_known = kind < sizeof names / sizeof *names && names[kind];
    return is_known ? names[kind] : "unknown";
}

static const struct weir__moment *moment_at(const struct output *output,
                                            size_t index) {
    return &output->timeline->moments[index];
}

static uint64_t kind_at(const struct output *output, size_t index) {
    return index == WEIR_NONE ? 0 : moment_at(output, index)->record->kind;
}

/* Returns NULL for a note. */
static const struct weir__subject *
subject_of(const struct output *output, const struct weir__moment *moment) {
    return moment->subject == WEIR_NONE
               ? NULL
               : &output->timeline->subjects[moment->subject];
}

/* Returns the time since the first event. */
static uint64_t time_of(const struct output *output,
                        const struct weir__moment *moment) {
    return moment->record->nanoseconds -
           output->timeline->moments[0].record->nanoseconds;
}

/* True if a signal woke a waiter: a marked WAKE follows it at once. */
static bool has_woken(const struct output *output,
                      const struct weir__moment *signal) {
    return kind_at(output, signal->next) == WEIR_TRACE_WAKE &&
           moment_at(output, signal->next)->record->lane == 1 &&
           moment_at(output, signal->next)->subject == signal->subject;
}

/* Writes the state of the subject after a moment. */
static void put_counters(struct output *output,
                         const struct weir__moment *moment) {
    switch (subject_of(output, moment)->kind) {
    case SUBJECT_LANES:
        print(output, "{\"queued\":%zu,\"running\":%zu}", moment->queued,
              moment->running);
        break;
    case SUBJECT_GROUP:
        print(output, "{\"outstanding\":%zu}", moment->running);
        break;
    case SUBJECT_GATE:
        print(output, "{\"free\":%zu,\"waiting\":%zu}", moment->free,
              moment->waiting);
    }
}

static void write_json_line(struct output *output,
                            const struct weir__moment *moment) {
    const struct weir__trace_record *record = moment->record;
    const struct weir__subject *subject = subject_of(output, moment);
    print(output, "{\"t\":%" PRIu64 ",\"ev\":\"%s\",\"thr\":%zu,\"q\":\"",
          time_of(output, moment), event_name(record->kind), moment->thread);
    put_text(output, record->label);
    put_string(output, "\"");
    if (subject) {
        print(output, ",\"obj\":%zu", moment->subject + 1);
    }
    if (record->caller) {
        put_string(output, ",\"by\":\"");
        put_text(output, record->label + record->caller);
        put_string(output, "\"");
    }
    if (record->job != 0) {
        print(output, ",\"task\":%" PRIu64, record->job);
    }
    if (record->kind == WEIR_TRACE_START || record->kind == WEIR_TRACE_END ||
        (record->kind == WEIR_TRACE_WAIT && record->lane == 1)) {
        print(output, ",\"lane\":%zu", record->lane);
    }
    print(output, ",\"v\":%zu", record->count);
    if (record->kind == WEIR_TRACE_SIGNAL) {
        print(output, ",\"woken\":%s",
              has_woken(output, moment) ? "true" : "false");
    }
    if (subject && subject->kind != SUBJECT_GROUP) {
        bool has_jobs = subject->kind == SUBJECT_LANES;
        put_string(output, has_jobs ? ",\"jobs\":" : ",\"sem\":");
        put_counters(output, moment);
    }
    put_string(output, "}\n");
}

/* ---- Trace Event JSON -------------------------------------------------- */

static void put_microseconds(struct output *output, const char *name,
                             uint64_t nanoseconds) {
    print(output, ",\"%s\":%" PRIu64, name, nanoseconds / 1000);
    if (nanoseconds % 1000 != 0) {
        print(output, ".%03u", (unsigned)(nanoseconds % 1000));
    }
}

static void open_event(struct output *output, char phase, size_t thread) {
    print(output, "%s\n{\"ph\":\"%c\",\"pid\":1,\"tid\":%zu",
          output->has_event ? "," : "", phase, thread);
    output->has_event = true;
}

static void close_event(struct output *output) { put_string(output, "}"); }

static void put_label(struct output *output,
                      const struct weir__moment *moment) {
    const struct weir__subject *subject = subject_of(output, moment);
    put_text(output, moment->record->label);
    if (subject && subject->number > 1) {
        print(output, " #%zu", subject->number);
    }
}

/* Begins an event at the moment's time, named "VERB LABEL TASK". */
static void begin_event(struct output *output, char phase, const char *category,
                        const char *verb, const struct weir__moment *moment,
                        bool numbered) {
    open_event(output, phase, moment->thread);
    put_microseconds(output, "ts", time_of(output, moment));
    print(output, ",\"cat\":\"%s\",\"name\":\"%s%s", category, verb,
          *verb ? " " : "");
    put_label(output, moment);
    if (numbered) {
        print(output, " %" PRIu64, moment->record->job);
    }
    put_string(output, "\"");
}

/* Writes a microsecond, or less before the thread's next event. */
static void put_instant_length(struct output *output,
                               const struct weir__moment *moment) {
    uint64_t length = 1000;
    if (moment->next != WEIR_NONE) {
        uint64_t left = moment_at(output, moment->next)->record->nanoseconds -
                        moment->record->nanoseconds;
        length = left < length ? left : length;
    }
    put_microseconds(output, "dur", length);
}

/* An arrow has the number of the moment that it points to. */
static void put_flow(struct output *output, size_t number, const char *way) {
    print(output, ",\"bind_id\":\"0x%zx\",\"flow_%s\":true", number + 1, way);
}

/* Writes a short slice with an arrow to `to`, an arrow into it, or none. */
static void write_short(struct output *output, size_t index, const char *verb,
                        bool numbered, size_t to, bool is_target) {
    const struct weir__moment *moment = moment_at(output, index);
    begin_event(output, 'X', "point", verb, moment, numbered);
    put_instant_length(output, moment);
    if (to != WEIR_NONE) {
        put_flow(output, to, "out");
    } else if (is_target) {
        put_flow(output, index, "in");
    }
    print(output, ",\"args\":{\"count\":%zu}", moment->record->count);
    close_event(output);
}

static void write_mark(struct output *output, const char *verb,
                       const struct weir__moment *moment) {
    begin_event(output, 'i', "mark", verb, moment, false);
    print(output, ",\"s\":\"t\",\"args\":{\"task\":%" PRIu64 ",\"value\":%zu}",
          moment->record->job, moment->record->count);
    close_event(output);
}

/* Writes the caller of a row as its arguments. */
static void put_caller(struct output *output,
                       const struct weir__moment *moment) {
    if (moment->record->caller) {
        put_string(output, ",\"args\":{\"by\":\"");
        put_text(output, moment->record->label + moment->record->caller);
        put_string(output, "\"}");
    }
}

/* Writes an event of the row of a job or a wait, named by its first moment. */
static void write_row(struct output *output, char phase, const char *category,
                      const char *name, size_t origin,
                      const struct weir__moment *moment) {
    open_event(output, phase, moment->thread);
    put_microseconds(output, "ts", time_of(output, moment));
    put_caller(output, moment);
    print(output, ",\"cat\":\"%s\",\"id2\":{\"local\":\"0x%zx\"},\"name\":\"%s",
          category, origin + 1, name);
    if (!*name) { /* the row's own name, the same at both ends */
        const struct weir__moment *first = moment_at(output, origin);
        put_label(output, first);
        print(output, " %" PRIu64, first->record->job);
    }
    put_string(output, "\"");
    close_event(output);
}

static void write_counters(struct output *output,
                           const struct weir__moment *moment) {
    open_event(output, 'C', 0);
    put_microseconds(output, "ts", time_of(output, moment));
    put_string(output, ",\"name\":\"");
    put_label(output, moment);
    put_string(output, "\",\"args\":");
    put_counters(output, moment);
    close_event(output);
}

static void put_length(struct output *output, const struct weir__moment *from,
                       size_t to) {
    put_microseconds(output, "dur",
                     moment_at(output, to)->record->nanoseconds -
                         from->record->nanoseconds);
}

static void write_submit(struct output *output, size_t index) {
    const struct weir__moment *moment = moment_at(output, index);
    size_t to = moment->to;
    write_row(output, 'b', "life", "", index, moment);
    write_row(output, 'b', "life", "pending", index, moment);
    write_short(output, index, "submit", true,
                kind_at(output, to) == WEIR_TRACE_START &&
                        !moment_at(output, to)->is_broken
                    ? to
                    : WEIR_NONE,
                false);
}

static void write_start(struct output *output, size_t index) {
    const struct weir__moment *moment = moment_at(output, index);
    bool was_submitted = moment->from != WEIR_NONE;
    size_t origin = was_submitted ? moment->from : index;
    if (was_submitted) {
        write_row(output, 'e', "life", "pending", origin, moment);
    } else {
        write_row(output, 'b', "life", "", origin, moment);
    }
    write_row(output, 'b', "life", "running", origin, moment);
    if (moment->is_broken) {
        write_mark(output, "start", moment);
        return;
    }
    bool has_end = moment->to != WEIR_NONE;
    begin_event(output, has_end ? 'X' : 'B', "job", "", moment, true);
    if (has_end) {
        put_length(output, moment, moment->to);
    }
    if (has_end && was_submitted) {
        put_flow(output, index, "in");
    }
    print(output, ",\"args\":{\"lane\":%zu}", moment->record->lane);
    close_event(output);
    if (!has_end && was_submitted) { /* not all viewers draw an arrow to a B */
        write_short(output, index, "start", true, WEIR_NONE, true);
    }
}

static void write_end(struct output *output,
                      const struct weir__moment *moment) {
    if (moment->from == WEIR_NONE) {
        return;
    }
    const struct weir__moment *start = moment_at(output, moment->from);
    size_t origin = start->from != WEIR_NONE ? start->from : moment->from;
    write_row(output, 'e', "life", "running", origin, moment);
    write_row(output, 'e', "life", "", origin, moment);
}

static void write_wait(struct output *output, size_t index) {
    static const char *const results[] = {[WEIR_TRACE_ACQUIRED] = "acquired",
                                          [WEIR_TRACE_TIMED_OUT] = "timed out",
                                          [WEIR_TRACE_CANCEL] = "cancelled"};
    const struct weir__moment *moment = moment_at(output, index);
    if (!moment->is_blocking) {
        write_row(output, 'b', "wait", "", index, moment);
        return;
    }
    bool has_end = moment->ended != WEIR_NONE;
    begin_event(output, has_end ? 'X' : 'B', "wait", "wait", moment, false);
    if (has_end) {
        put_length(output, moment, moment->ended);
    }
    print(output, ",\"args\":{\"count\":%zu,\"result\":\"%s\"}",
          moment->record->count,
          has_end ? results[kind_at(output, moment->ended)] : "none");
    close_event(output);
}

static void write_wait_end(struct output *output,
                           const struct weir__moment *moment) {
    if (moment->ended != WEIR_NONE &&
        !moment_at(output, moment->ended)->is_blocking) {
        write_row(output, 'e', "wait", "", moment->ended, moment);
    }
}

static void write_cancel(struct output *output,
                         const struct weir__moment *moment) {
    write_mark(output, "cancel", moment);
    write_wait_end(output, moment);
    if (kind_at(output, moment->from) == WEIR_TRACE_SUBMIT) {
        write_row(output, 'e', "life", "pending", moment->from, moment);
        write_row(output, 'n', "life", "cancelled", moment->from, moment);
        write_row(output, 'e', "life", "", moment->from, moment);
    }
}

static void write_moment(struct output *output, size_t index) {
    const struct weir__moment *moment = moment_at(output, index);
    switch (moment->record->kind) {
    case WEIR_TRACE_SUBMIT:
        write_submit(output, index);
        break;
    case WEIR_TRACE_START:
        write_start(output, index);
        break;
    case WEIR_TRACE_END:
        write_end(output, moment);
        break;
    case WEIR_TRACE_WAIT:
        write_wait(output, index);
        break;
    case WEIR_TRACE_ACQUIRED:
        write_wait_end(output, moment);
        write_short(output, index, "acquired", false, WEIR_NONE,
                    kind_at(output, moment->from) == WEIR_TRACE_WAKE);
        break;
    case WEIR_TRACE_TIMED_OUT:
        write_wait_end(output, moment);
        write_mark(output, "timed out", moment);
        break;
    case WEIR_TRACE_SIGNAL:
        write_short(output, index, "signal", false, WEIR_NONE, false);
        break;
    case WEIR_TRACE_WAKE:
        write_short(output, index, "wake", false,
                    kind_at(output, moment->to) == WEIR_TRACE_ACQUIRED
                        ? moment->to
                        : WEIR_NONE,
                    false);
        break;
    case WEIR_TRACE_CANCEL:
        write_cancel(output, moment);
        break;
    case WEIR_TRACE_NOTE:
        write_mark(output, "", moment);
        break;
    default:
        write_mark(output, event_name(moment->record->kind), moment);
        break;
    }
    if (moment->subject != WEIR_NONE) {
        write_counters(output, moment);
    }
}

static void write_thread(struct output *output, size_t thread) {
    open_event(output, 'M', thread);
    put_string(output, ",\"name\":\"thread_name\",\"args\":{\"name\":\"");
    if (thread == output->timeline->main_thread) {
        put_string(output, "main");
    } else {
        print(output, "thread %zu", thread);
    }
    put_string(output, "\"}");
    close_event(output);
    open_event(output, 'M', thread);
    print(output,
          ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":"
          "%zu}",
          thread);
    close_event(output);
}

/* ---- both formats ------------------------------------------------------ */

int weir__timeline_write(const struct weir__timeline *timeline, int descriptor,
                         weir_trace_format_t format) {
    struct output *output = calloc(1, sizeof *output);
    if (!output) {
        return ENOMEM;
    }
    bool is_lines = format == WEIR_TRACE_JSON_LINES;
    output->timeline = timeline;
    output->json.descriptor = descriptor;
    if (!is_lines) {
        put_string(output, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
        for (size_t thread = 1; thread <= timeline->thread_count; thread++) {
            write_thread(output, thread);
        }
    }
    for (size_t i = 0; i < timeline->count && output->json.error == 0; i++) {
        if (is_lines) {
            write_json_line(output, &timeline->moments[i]);
        } else {
            write_moment(output, i);
        }
    }
    put_string(output, is_lines ? "" : "\n]}\n");
    weir__json_flush(&output->json);
    int error = output->json.error;
    free(output);
    return error;
}
