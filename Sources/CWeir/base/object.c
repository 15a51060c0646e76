/*
 * object.c: reference-counted objects, and reports of one release too many.
 *
 * DESIGN. One release too many usually follows soon after the last correct one,
 * when the object has been freed. So a dead object is buried before it is
 * freed: the last 64 keep their memory, with a count of 0, which exposes a
 * release, a retain or a use. `references` belong to the users alone.
 * Everything else that keeps an object alive (a running job, permits in use) is
 * counted elsewhere.
 *
 * A retain needs no order, since its caller has a reference. Each release is
 * before the last one, which acquires: so all uses are before the end.
 */
#include "base/internal.h"

#include <pthread.h>

#define GRAVES 64

static _Atomic uint64_t serials;

uint64_t weir__object_serial(void) { return add_relaxed(&serials, 1) + 1; }

void *weir__object_create(size_t size, const char *kind, const char *label) {
    struct weir__object *object = calloc(1, size);
    char *copy = strdup(label ? label : "");
    if (!object || !copy) {
        free(object);
        free(copy);
        errno = ENOMEM;
        return NULL;
    }
    object->references = 1;
    object->serial = weir__object_serial();
    object->label = copy;
    object->kind = kind;
    return object;
}

static void report_dead(const struct weir__object *object, const char *use) {
    weir__misuse("a caller %s %s \"%.100s\" after the last release; keep a "
                 "reference until the last use",
                 use, object->kind, object->label);
}

void weir__object_retain(struct weir__object *object) {
    size_t before = load_relaxed(&object->references);
    do {
        if (WEIR_UNLIKELY(before == 0)) {
            report_dead(object, "retained");
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &object->references, &before, before + 1, memory_order_relaxed,
        memory_order_relaxed));
}

bool weir__object_release(struct weir__object *object) {
    size_t before = load_relaxed(&object->references);
    do {
        if (WEIR_UNLIKELY(before == 0)) {
            weir__misuse("a caller released %s \"%.100s\" more often than it "
                         "took references; pair each with one release",
                         object->kind, object->label);
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &object->references, &before, before - 1, memory_order_acq_rel,
        memory_order_relaxed));
    return before == 1;
}

void weir__object_check(const struct weir__object *object) {
    if (WEIR_UNLIKELY(load_relaxed(&object->references) == 0)) {
        report_dead(object, "used");
    }
}

static pthread_mutex_t graveyard = PTHREAD_MUTEX_INITIALIZER;
static struct weir__object *graves[GRAVES];
static size_t next_grave;

void weir__object_bury(struct weir__object *object) {
    pthread_mutex_lock(&graveyard);
    struct weir__object *oldest = graves[next_grave];
    graves[next_grave] = object;
    next_grave = (next_grave + 1) % GRAVES;
    pthread_mutex_unlock(&graveyard);
    if (oldest) {
        free(oldest->label);
        free(oldest);
    }
}
