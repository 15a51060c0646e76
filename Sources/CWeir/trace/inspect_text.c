/* inspect_text.c: an inspection as text for people. */
#include "trace/inspection.h"
#include "trace/json.h"

#include <unistd.h>

struct text {
    size_t objects;
    struct weir__json json; /* its escapes keep a label within its quotes */
};

__attribute__((__format__(__printf__, 2, 3))) static void
print(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir__json_print(&text->json, format, arguments);
    va_end(arguments);
}

static void put(struct text *text, const char *words) {
    weir__json_put(&text->json, words, strlen(words));
}

static void put_label(struct text *text, const char *label) {
    put(text, "\"");
    weir__json_put_text(&text->json, label);
    put(text, "\"");
}

static void put_duration(struct text *text, uint64_t nanoseconds) {
    print(text, " for %llu.%03u s",
          (unsigned long long)(nanoseconds / 1000000000),
          (unsigned)(nanoseconds / 1000000 % 1000));
}

/* ", running for 1.000 s" if it is known, and the end of the line. */
static void end_running(struct text *text, int thread, uint64_t nanoseconds) {
    print(text, ", thread %d", thread);
    if (nanoseconds > 0) {
        put(text, ", running");
        put_duration(text, nanoseconds);
    }
    put(text, "\n");
}

/* ---- gates --------------------------------------------------------------- */

static void write_holders(struct text *text,
                          const weir_inspect_object_t *gate) {
    size_t known = 0;
    for (size_t i = 0; i < gate->holder_count; i++) {
        const weir_inspect_holder_t *holder = &gate->holders[i];
        known += holder->count;
        if (holder->lanes) {
            print(text, "  job %llu of ", (unsigned long long)holder->job);
            put_label(text, holder->lanes);
            print(text, " took %zu", holder->count);
        } else {
            print(text, "  work holds %zu", holder->count);
        }
        end_running(text, holder->thread, holder->nanoseconds);
    }
    if (known > 0 && known < gate->in_use) {
        print(text, "  other holders of %zu\n", gate->in_use - known);
    }
}

static void write_gate(struct text *text, const weir_inspect_object_t *gate) {
    print(text, ": %zu of %zu permits in use", gate->in_use, gate->permits);
    if (gate->wait_count > 0) {
        print(text, ", %zu waiting", gate->wait_count);
    }
    put(text, gate->is_closed      ? ", closed\n"
              : gate->permits == 0 ? ", paused\n"
                                   : "\n");
    write_holders(text, gate);
}

/* ---- lanes and groups ---------------------------------------------------- */

static void write_lanes(struct text *text, const weir_inspect_object_t *lanes) {
    print(text, ": %zu of %zu jobs running, %zu queued", lanes->running,
          lanes->width, lanes->queued);
    if (lanes->stalled > 0) {
        put(text, ", none began");
        put_duration(text, lanes->stalled);
    }
    put(text, lanes->suspended ? ", suspended" : "");
    put(text, lanes->is_closed ? ", closed\n" : "\n");
    for (size_t i = 0; i < lanes->job_count; i++) {
        const weir_inspect_job_t *job = &lanes->jobs[i];
        print(text, "  job %llu on lane %zu", (unsigned long long)job->job,
              job->lane);
        end_running(text, job->thread, job->nanoseconds);
    }
}

static void write_group(struct text *text, const weir_inspect_object_t *group) {
    print(text, ": %zu outstanding", group->outstanding);
    if (group->notifications > 0) {
        print(text, ", notifications: %zu", group->notifications);
    }
    put(text, group->is_closed ? ", cancelled\n" : "\n");
}

/* ---- all ----------------------------------------------------------------- */

static void write_waits(struct text *text,
                        const weir_inspect_object_t *object) {
    for (size_t i = 0; i < object->wait_count; i++) {
        const weir_inspect_wait_t *wait = &object->waits[i];
        if (wait->thread != 0) {
            print(text, "  thread %d waits for ", wait->thread);
        } else {
            put(text, "  a request waits for ");
        }
        switch (wait->reason) {
        case WEIR_INSPECT_PERMITS:
            print(text, "%zu,", wait->count);
            break;
        case WEIR_INSPECT_ROOM:
            put(text, "room in the backlog,");
            break;
        case WEIR_INSPECT_END:
            put(text, "the end,");
            break;
        }
        put_duration(text, wait->nanoseconds);
        put(text, "\n");
    }
}

static void write_object(void *context, const weir_inspect_object_t *object) {
    struct text *text = context;
    static const char *const names[] = {[WEIR_INSPECT_GATE] = "gate ",
                                        [WEIR_INSPECT_LANES] = "lanes ",
                                        [WEIR_INSPECT_GROUP] = "group "};
    text->objects++;
    put(text, names[object->kind]);
    put_label(text, object->label);
    switch (object->kind) {
    case WEIR_INSPECT_GATE:
        write_gate(text, object);
        break;
    case WEIR_INSPECT_LANES:
        write_lanes(text, object);
        break;
    case WEIR_INSPECT_GROUP:
        write_group(text, object);
        break;
    }
    write_waits(text, object);
}

int weir_inspect_write(int descriptor) {
    struct text text = {.json.descriptor = descriptor};
    print(&text, "weir: state of process %ld\n", (long)getpid());
    int error = weir_inspect_f(&text, write_object);
    if (error == 0) {
        put(&text, text.objects > 0 ? "" : "no gate, lanes or group\n");
        weir__json_flush(&text.json);
        error = text.json.error;
    }
    return error;
}
