/*
 * inspection.c: the objects alive, the threads that wait, and copies of their
 * state.
 *
 * DESIGN. Each gate, lanes and group is in one list from its creation to its
 * end, under one lock. An inspection goes through the list with that lock held,
 * so that no object ends meanwhile, and each object describes itself under its
 * own lock: it adds numbers to arrays of the inspection and calls no code of
 * the program. The visits follow when all locks are released. Copying one
 * object at a time and visiting it at once was rejected: the place in the list
 * would have to survive whatever the visit does.
 *
 * The list costs 10 ns for each creation with its release, and nothing on the
 * way of a permit or a job. A clock would cost a job 5 ns, so only programs
 * that inspect pay for it (weir__is_inspected).
 *
 * Waiters of gates are in the queues of the gates. A thread that waits for
 * lanes or a group is in a second list, since a dispatch_group does not say who
 * waits. Its lock is taken alone, or below the lock of lanes.
 *
 * Waits and holders are found object by object, but not in the order of the
 * objects: a job of lanes holds permits of a gate. So each visit gathers those
 * of its object.
 */
#include "trace/inspection.h"
#include "base/bytes.h"
#include "system/threads.h"

#include <pthread.h>

_Atomic bool weir__is_inspected;

void weir_inspect_begin(void) {
    atomic_store_explicit(&weir__is_inspected, true, memory_order_relaxed);
}

/* ---- the lists ---------------------------------------------------------- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weir__listed *oldest;
static struct weir__listed *newest;

static pthread_mutex_t blocked_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weir__blocked *first_blocked;
static struct weir__blocked *last_blocked;

void weir__list(struct weir__listed *place, const struct weir__object *object,
                void (*describe)(const struct weir__object *object,
                                 struct weir__inspection *inspection)) {
    place->object = object;
    place->describe = describe;
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
                         const struct weir__object *object,
                         weir_inspect_reason_t reason) {
    blocked->object = object;
    blocked->reason = reason;
    blocked->thread = weir__thread_number();
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

/* ---- copying ------------------------------------------------------------ */

#define NO_LABEL SIZE_MAX

struct seen_object {
    weir_inspect_object_t object;
    size_t label; /* its place among the labels */
    size_t first_job;
};

struct seen_wait {
    const void *object;
    weir_inspect_wait_t wait;
};

struct seen_holder {
    const void *gate;
    weir_inspect_holder_t holder;
    size_t label; /* of the lanes, or NO_LABEL */
};

struct weir__inspection {
    uint64_t now;
    bool is_short_of_memory;
    struct bytes labels; /* each with its NUL */
    struct seen_object *objects;
    struct seen_wait *waits;
    struct seen_holder *holders;
    weir_inspect_job_t *jobs;
    size_t object_count, wait_count, holder_count, job_count;
    size_t object_room, wait_room, holder_room, job_room;

    /* Those of the object that is visited. */
    weir_inspect_wait_t *own_waits;
    weir_inspect_holder_t *own_holders;
};

uint64_t weir__inspection_age(const struct weir__inspection *inspection,
                              uint64_t since) {
    return since == 0 || since > inspection->now ? 0 : inspection->now - since;
}

/* Returns true if there is room for one more element, after growing. */
static bool has_room(struct weir__inspection *inspection, void *array,
                     size_t element, size_t *room, size_t count) {
    bool has = weir__grow(array, element, room, count + 1);
    inspection->is_short_of_memory |= !has;
    return has;
}

/* Copies a label. Returns its place, NO_LABEL if memory is short. */
static size_t copy_label(struct weir__inspection *inspection,
                         const char *label) {
    size_t size = strlen(label) + 1, place = inspection->labels.used;
    char *copy = weir__bytes_reserve(&inspection->labels, size);
    if (!copy) {
        inspection->is_short_of_memory = true;
        return NO_LABEL;
    }
    memcpy(copy, label, size);
    inspection->labels.used += size;
    return place;
}

void weir__inspection_add(struct weir__inspection *inspection,
                          const struct weir__object *object,
                          weir_inspect_object_t seen) {
    if (has_room(inspection, &inspection->objects, sizeof *inspection->objects,
                 &inspection->object_room, inspection->object_count)) {
        seen.object = object;
        seen.serial = object->serial;
        inspection->objects[inspection->object_count++] = (struct seen_object){
            .object = seen,
            .label = copy_label(inspection, object->label),
            .first_job = inspection->job_count - seen.job_count,
        };
    }
}

void weir__inspection_add_wait(struct weir__inspection *inspection,
                               const void *object, weir_inspect_wait_t wait,
                               uint64_t since) {
    if (has_room(inspection, &inspection->waits, sizeof *inspection->waits,
                 &inspection->wait_room, inspection->wait_count)) {
        wait.nanoseconds = weir__inspection_age(inspection, since);
        inspection->waits[inspection->wait_count++] =
            (struct seen_wait){.object = object, .wait = wait};
    }
}

void weir__inspection_add_job(struct weir__inspection *inspection,
                              weir_inspect_job_t job, uint64_t since) {
    if (has_room(inspection, &inspection->jobs, sizeof *inspection->jobs,
                 &inspection->job_room, inspection->job_count)) {
        job.nanoseconds = weir__inspection_age(inspection, since);
        inspection->jobs[inspection->job_count++] = job;
    }
}

void weir__inspection_add_holder(struct weir__inspection *inspection,
                                 const void *gate,
                                 const struct weir__object *lanes,
                                 weir_inspect_holder_t holder, uint64_t since) {
    if (has_room(inspection, &inspection->holders, sizeof *inspection->holders,
                 &inspection->holder_room, inspection->holder_count)) {
        holder.nanoseconds = weir__inspection_age(inspection, since);
        inspection->holders[inspection->holder_count++] = (struct seen_holder){
            .gate = gate,
            .holder = holder,
            .label = lanes ? copy_label(inspection, lanes->label) : NO_LABEL,
        };
    }
}

static void copy_all(struct weir__inspection *inspection) {
    pthread_mutex_lock(&blocked_lock);
    for (struct weir__blocked *blocked = first_blocked; blocked;
         blocked = blocked->next) {
        weir__inspection_add_wait(inspection, blocked->object,
                                  (weir_inspect_wait_t){
                                      .reason = blocked->reason,
                                      .thread = blocked->thread,
                                      .count = 1,
                                  },
                                  blocked->since);
    }
    pthread_mutex_unlock(&blocked_lock);
    pthread_mutex_lock(&list_lock);
    for (struct weir__listed *place = oldest; place; place = place->next) {
        place->describe(place->object, inspection);
    }
    pthread_mutex_unlock(&list_lock);
}

/* ---- visiting ----------------------------------------------------------- */

static void gather_waits(struct weir__inspection *inspection,
                         weir_inspect_object_t *object) {
    object->waits = inspection->own_waits;
    for (size_t i = 0; i < inspection->wait_count; i++) {
        if (inspection->waits[i].object == object->object) {
            inspection->own_waits[object->wait_count++] =
                inspection->waits[i].wait;
        }
    }
}

static void gather_holders(struct weir__inspection *inspection,
                           weir_inspect_object_t *object) {
    object->holders = inspection->own_holders;
    for (size_t i = 0; i < inspection->holder_count; i++) {
        struct seen_holder *seen = &inspection->holders[i];
        if (seen->gate == object->object) {
            seen->holder.lanes = seen->label == NO_LABEL
                                     ? NULL
                                     : inspection->labels.data + seen->label;
            inspection->own_holders[object->holder_count++] = seen->holder;
        }
    }
}

static void free_all(struct weir__inspection *inspection) {
    free(inspection->labels.data);
    free(inspection->objects);
    free(inspection->waits);
    free(inspection->holders);
    free(inspection->jobs);
    free(inspection->own_waits);
    free(inspection->own_holders);
}

int weir_inspect_f(void *context,
                   void (*visit)(void *context,
                                 const weir_inspect_object_t *object)) {
    weir_inspect_begin();
    struct weir__inspection inspection = {.now = weir__nanoseconds()};
    copy_all(&inspection);
    inspection.own_waits =
        calloc(inspection.wait_count + 1, sizeof *inspection.own_waits);
    inspection.own_holders =
        calloc(inspection.holder_count + 1, sizeof *inspection.own_holders);
    bool has_all = !inspection.is_short_of_memory && inspection.own_waits &&
                   inspection.own_holders;
    for (size_t i = 0; i < inspection.object_count && has_all; i++) {
        struct seen_object *seen = &inspection.objects[i];
        seen->object.label = inspection.labels.data + seen->label;
        seen->object.jobs = inspection.jobs + seen->first_job;
        gather_waits(&inspection, &seen->object);
        gather_holders(&inspection, &seen->object);
        visit(context, &seen->object);
    }
    free_all(&inspection);
    return has_all ? 0 : ENOMEM;
}

#ifdef __BLOCKS__
static void visit_by_block(void *block, const weir_inspect_object_t *object) {
    ((void (^)(const weir_inspect_object_t *))block)(object);
}

int weir_inspect(void (^visit)(const weir_inspect_object_t *object)) {
    return weir_inspect_f((void *)visit, visit_by_block);
}
#endif
