/*
 * inspection.c: the objects alive and the threads that wait, as text.
 *
 * DESIGN. Each gate, lanes and group is in one list from its creation to its
 * end, under one lock. An inspection goes through the list with that lock held,
 * and each object describes itself under its own lock: it adds text to a buffer
 * in memory and calls no code of the program. The text is written when all
 * locks are released.
 *
 * The list costs 10 ns for each creation with its release. A clock would cost a
 * job 5 ns, so only programs that inspect pay for it (weir__is_inspected).
 *
 * A thread that waits for lanes or a group is in a second list, since a
 * dispatch_group does not say who waits. Its lock is taken alone, or below the
 * lock of lanes. An observer may call the gate under the lock of lanes, so the
 * gate's lock is released before the lanes describe its holders.
 */
#include "trace/inspection.h"
#include "base/bytes.h"
#include "base/text.h"
#include "system/threads.h"
#include "trace/json.h"
#include "trace/observers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <weir/spi.h>

_Atomic bool weir__is_inspected;

/* ---- the lists ---------------------------------------------------------- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weir__listed *oldest;
static struct weir__listed *newest;

static pthread_mutex_t blocked_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weir__blocked *first_blocked;
static struct weir__blocked *last_blocked;

void weir__list(struct weir__listed *place, const struct weir__object *object) {
    place->object = object;
    place->next = NULL;
    pthread_mutex_lock(&list_lock);
    place->previous = newest;
    *(newest ? &newest->next : &oldest) = place;
    newest = place;
    pthread_mutex_unlock(&list_lock);
}

void weir__unlist(struct weir__listed *place) {
    pthread_mutex_lock(&list_lock);
    *(place->previous ? &place->previous->next : &oldest) = place->next;
    *(place->next ? &place->next->previous : &newest) = place->previous;
    pthread_mutex_unlock(&list_lock);
}

void weir__blocked_begin(struct weir__blocked *blocked,
                         const struct weir__object *object, const char *reason,
                         const struct weir__caller *task) {
    blocked->object = object;
    blocked->reason = reason;
    blocked->caller =
        task ? *task : (struct weir__caller){.thread = weir__thread_number()};
    blocked->since = weir__nanoseconds();
    blocked->next = NULL;
    pthread_mutex_lock(&blocked_lock);
    blocked->previous = last_blocked;
    *(last_blocked ? &last_blocked->next : &first_blocked) = blocked;
    last_blocked = blocked;
    pthread_mutex_unlock(&blocked_lock);
}

void weir__blocked_end(struct weir__blocked *blocked) {
    pthread_mutex_lock(&blocked_lock);
    *(blocked->previous ? &blocked->previous->next : &first_blocked) =
        blocked->next;
    *(blocked->next ? &blocked->next->previous : &last_blocked) =
        blocked->previous;
    pthread_mutex_unlock(&blocked_lock);
}

/* ---- the text ----------------------------------------------------------- */

struct weir__inspection {
    uint64_t now;
    const struct weir__look *look; /* of the watch, or NULL */
    uint64_t quiet_since;          /* of the object */
    size_t shown;                  /* waits that the look shows */
    struct weir__json json; /* its escapes keep a label within its quotes */
};

void weir__inspection_print(struct weir__inspection *inspection,
                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir__json_print(&inspection->json, format, arguments);
    va_end(arguments);
}

void weir__inspection_name(struct weir__inspection *inspection,
                           const char *kind, const char *label) {
    weir__inspection_print(inspection, "%s \"", kind);
    weir__json_put_text(&inspection->json, label);
    weir__inspection_print(inspection, "\"");
}

void weir__inspection_age(struct weir__inspection *inspection,
                          const char *words, uint64_t since) {
    uint64_t now = inspection->now;
    uint64_t age = since > now ? 0 : now - since;
    if (since != 0) {
        weir__inspection_print(inspection, "%s for %" PRIu64 ".%03u s", words,
                               age / 1000000000,
                               (unsigned)(age / 1000000 % 1000));
    }
}

void weir__inspection_running(struct weir__inspection *inspection, int thread,
                              uint64_t since) {
    weir__inspection_print(inspection, ", thread %d", thread);
    weir__inspection_age(inspection, ", running", since);
    weir__inspection_print(inspection, "\n");
}

char *weir__caller_text(const struct weir__caller *caller,
                        char text[static WEIR_CALLER_TEXT]) {
    char place[96] = "", name[48] = "";
    if (caller->name) {
        snprintf(name, sizeof name, " \"%.40s\"", caller->name);
    }
    if (caller->file) {
        snprintf(place, sizeof place, " at %.70s:%zu", caller->file,
                 caller->line);
    }
    if (caller->task) {
        snprintf(text, WEIR_CALLER_TEXT, "task %" PRIu64 "%s%s", caller->task,
                 name, place);
    } else if (caller->thread) {
        snprintf(text, WEIR_CALLER_TEXT, "thread %d%s", caller->thread, place);
    } else {
        snprintf(text, WEIR_CALLER_TEXT, "a request%s", place);
    }
    weir__text_show(text);
    return text;
}

/* Returns true if a wait became due for a report since the look before. */
static bool is_shown(const struct weir__inspection *inspection,
                     uint64_t since) {
    const struct weir__look *look = inspection->look;
    uint64_t quiet = inspection->quiet_since;
    if (!look) {
        return true;
    }
    uint64_t due = (since > quiet ? since : quiet) + look->length;
    return due > look->last && due <= look->now;
}

void weir__inspection_wait(struct weir__inspection *inspection,
                           const struct weir__caller *caller,
                           const char *reason, uint64_t since) {
    char text[WEIR_CALLER_TEXT];
    if (!is_shown(inspection, since)) {
        return;
    }
    inspection->shown++;
    weir__inspection_print(inspection, "  %s waits for %s",
                           weir__caller_text(caller, text), reason);
    weir__inspection_age(inspection, ",", since);
    weir__inspection_print(inspection, "\n");
}

void weir__inspection_queued(struct weir__inspection *inspection,
                             uint64_t since) {
    inspection->shown += is_shown(inspection, since);
}

void weir__inspection_blocked(struct weir__inspection *inspection,
                              const struct weir__object *object) {
    pthread_mutex_lock(&blocked_lock);
    for (const struct weir__blocked *blocked = first_blocked; blocked;
         blocked = blocked->next) {
        if (blocked->object == object) {
            weir__inspection_wait(inspection, &blocked->caller, blocked->reason,
                                  blocked->since);
        }
    }
    pthread_mutex_unlock(&blocked_lock);
}

size_t weir__inspection_holders(struct weir__inspection *inspection,
                                const void *gate) {
    size_t count = 0;
    for (struct weir__listed *place = oldest; place; place = place->next) {
        if (place->describe_holders) {
            count += place->describe_holders(place->object, gate, inspection);
        }
    }
    return count;
}

/* ---- objects of the overlay --------------------------------------------- */

struct weir_shown_s {
    struct weir__listed listed;
    void *context;
    void (*describe)(void *context, void *text);
    uint64_t (*progress)(void *context);
};

static void describe_shown(const struct weir__object *object,
                           struct weir__inspection *inspection) {
    const struct weir_shown_s *shown = (const void *)object;
    shown->describe(shown->context, inspection);
    weir__inspection_queued(inspection, 0);
}

static uint64_t progress_of_shown(const struct weir__object *object) {
    const struct weir_shown_s *shown = (const void *)object;
    return shown->progress(shown->context);
}

weir_shown_t weir_show(void *context,
                       void (*describe)(void *context, void *text),
                       uint64_t (*progress)(void *context)) {
    weir_shown_t shown = calloc(1, sizeof *shown);
    if (shown) {
        *shown = (struct weir_shown_s){.listed.describe = describe_shown,
                                       .context = context,
                                       .describe = describe,
                                       .progress = progress};
        shown->listed.progress = progress ? progress_of_shown : NULL;
        weir__list(&shown->listed, (const void *)shown);
    }
    return shown;
}

void weir_show_line(void *text, const char *line) {
    char *shown = strdup(line);
    if (shown) {
        weir__text_show(shown);
        struct weir__inspection *inspection = text;
        weir__json_put(&inspection->json, shown, strlen(shown));
        weir__json_put(&inspection->json, "\n", 1);
        free(shown);
    }
}

void weir_show_end(weir_shown_t shown) {
    if (shown) {
        weir__unlist(&shown->listed);
        free(shown);
    }
}

/* ---- inspecting --------------------------------------------------------- */

bool weir_is_seen(void) {
    return load_relaxed(&weir__is_inspected) ||
           load_relaxed(&weir__trace_observers) != 0;
}

/* Writes the text, without a lock, and frees it. */
static int finish(struct weir__inspection *inspection, int descriptor) {
    struct bytes *text = inspection->json.memory;
    weir__json_flush(&inspection->json);
    if (inspection->json.error == 0 && text->used > 0) {
        inspection->json.memory = NULL;
        inspection->json.descriptor = descriptor;
        weir__json_put(&inspection->json, text->data, text->used);
        weir__json_flush(&inspection->json);
    }
    free(text->data);
    return inspection->json.error;
}

int weir_inspect_write(int descriptor) {
    store_relaxed(&weir__is_inspected, true);
    struct bytes text = {0};
    struct weir__inspection inspection = {.now = weir__nanoseconds(),
                                          .json.memory = &text};
    weir__inspection_print(&inspection, "weir: state of process %ld\n",
                           (long)getpid());
    pthread_mutex_lock(&list_lock);
    if (!oldest) {
        weir__inspection_print(&inspection,
                               "no gate, lanes, group, map or queue\n");
    }
    for (struct weir__listed *place = oldest; place; place = place->next) {
        place->describe(place->object, &inspection);
    }
    pthread_mutex_unlock(&list_lock);
    return finish(&inspection, descriptor);
}

/* ---- the watch ---------------------------------------------------------- */

/* A look that comes late shows nothing: the process did not run meanwhile. */
static bool is_quiet(struct weir__listed *place,
                     const struct weir__look *look) {
    uint64_t progress = place->progress ? place->progress(place->object) : 0;
    if (progress != place->progress_seen ||
        look->now - look->last >= look->length) {
        place->progress_seen = progress;
        place->quiet_since = look->now;
    }
    return progress != 0 && look->now - place->quiet_since >= look->length;
}

/* Returns the length of the name at the beginning of a description. */
static size_t name_length(const struct bytes *lines) {
    for (size_t end = 3; end < lines->used; end++) {
        if (memcmp((const char *)lines->data + end - 3, "\": ", 3) == 0) {
            return end;
        }
    }
    return 0;
}

/* Adds the lines of an object's description, each with the object's name. */
static void add_lines(struct weir__inspection *text,
                      const struct weir__listed *place,
                      const struct bytes *lines) {
    const char *line = lines->data, *all = line + lines->used, *end;
    for (; line < all && (end = memchr(line, '\n', (size_t)(all - line)));
         line = end + 1) {
        weir__inspection_print(text, "weir: watch: ");
        if (line > lines->data) {
            weir__json_put(&text->json, lines->data, name_length(lines));
            line += strlen("  ");
        }
        weir__json_put(&text->json, line, (size_t)(end - line));
        if (line == lines->data) {
            weir__inspection_age(text, "; no progress", place->quiet_since);
        }
        weir__inspection_print(text, "\n");
    }
}

int weir__inspect_look(const struct weir__look *look, int descriptor) {
    struct bytes all = {0}, lines = {0};
    struct weir__inspection text = {.now = look->now, .json.memory = &all};
    struct weir__inspection one = {
        .now = look->now, .look = look, .json.memory = &lines};
    pthread_mutex_lock(&list_lock);
    for (struct weir__listed *place = oldest; place; place = place->next) {
        if (is_quiet(place, look)) {
            one.quiet_since = place->quiet_since;
            one.shown = 0;
            place->describe(place->object, &one);
            weir__json_flush(&one.json);
            if (one.shown > 0) {
                add_lines(&text, place, &lines);
            }
            lines.used = 0;
        }
    }
    pthread_mutex_unlock(&list_lock);
    free(lines.data);
    return finish(&text, descriptor);
}
