/*
 * dispatch.c: the part of libdispatch that Weir uses, on fibers.
 *
 * DESIGN. Work goes to a list, from which workers take it; a worker is a fiber,
 * made when there is work and no spare one, up to a limit. A worker drains a
 * serial queue to its end, and takes the items of concurrent queues one by one.
 * If the system grants no more threads, the submitting thread sleeps for a
 * second and tries again, as it does in libdispatch. Workers that have ended
 * their work stay, with their thread-local variables.
 *
 * One thing is kinder than libdispatch: a worker that has ended its work, as Weir
 * counts it, and does not wait for the next yet counts as one that waits, so that
 * a submitter needs no thread. libdispatch asks for one in that moment, forever
 * if the system grants none.
 */
#include "../Scheduler/schedule.h"

#include <string.h>

#include <weir/libdispatch.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define SECOND UINT64_C(1000000000)

enum kind { SERIAL, CONCURRENT, GROUP, SEMAPHORE };

struct item {
    struct item *next;
    dispatch_function_t work;
    void *context;
    struct dispatch_object_s *queue; /* retained */
    struct dispatch_object_s *group; /* entered and retained, or NULL */
};

struct waiter {
    struct waiter *next;
    struct fiber *fiber;
    bool is_served;
};

struct specific {
    struct specific *next;
    const void *key;
    void *value;
};

struct dispatch_object_s {
    enum kind kind;
    size_t references;
    void *context;
    dispatch_function_t finalizer;
    char *label;
    struct specific *specifics;
    struct item *first, **end; /* of a serial queue; notifications of a group */
    bool is_drained;           /* by a worker, or soon */
    intptr_t value, initial;   /* of a group or a semaphore */
    struct waiter *waiters;
    struct item ready; /* in the list of work */
};

/* The objects that are always there. */
struct dispatch_queue_s {
    struct dispatch_object_s object;
};
struct dispatch_queue_attr_s {
    int unused;
};
struct dispatch_queue_s _dispatch_main_q;
struct dispatch_queue_attr_s _dispatch_queue_attr_concurrent;
static struct dispatch_queue_s global;

static struct {
    struct item *first, **end; /* work that no worker has begun */
    size_t queued;
    unsigned workers, most;
    bool is_free[FIBERS_MAX]; /* a worker that looks for its next work */
    struct fiber *spare[FIBERS_MAX];
    unsigned spares;
    struct dispatch_object_s *current[FIBERS_MAX]; /* the queue of a fiber */
} pool;

void dispatch_begin(void) {
    pool.end = &pool.first;
    pool.most = STATE->scenario->workers ? STATE->scenario->workers : 16;
    global.object = (struct dispatch_object_s){
        .kind = CONCURRENT, .references = 1, .label = "global"};
}

/* ---- objects ------------------------------------------------------------ */

static struct dispatch_object_s *create(enum kind kind) {
    struct dispatch_object_s *object = memory_allocate(sizeof *object, true);
    object->kind = kind;
    object->references = 1;
    object->end = &object->first;
    STATE->objects++;
    return object;
}

static void use(const struct dispatch_object_s *object, const char *doing) {
    memory_check(object, doing);
    CHECK(object->references > 0, "%s: an object without references", doing);
}

static void submit(struct item *item);

static struct item *item_create(struct dispatch_object_s *queue, void *context,
                                dispatch_function_t work) {
    struct item *item = memory_allocate(sizeof *item, true);
    *item = (struct item){.work = work, .context = context, .queue = queue};
    queue->references++;
    return item;
}

static void destroy(struct dispatch_object_s *object) {
    CHECK(!object->waiters, "an object was freed while threads wait for it");
    CHECK(object->kind != SEMAPHORE || object->value >= object->initial,
          "BUG IN CLIENT OF LIBDISPATCH: a semaphore was freed in use");
    CHECK(object->kind != GROUP || object->value == 0,
          "BUG IN CLIENT OF LIBDISPATCH: a group was freed in use");
    while (object->specifics) {
        struct specific *specific = object->specifics;
        object->specifics = specific->next;
        memory_free(specific);
    }
    if (object->context && object->finalizer && object->kind <= CONCURRENT) {
        submit(item_create(&global.object, object->context, object->finalizer));
    }
    if (object->label) {
        memory_free(object->label);
    }
    memory_free(object);
    STATE->objects--;
}

static void release(struct dispatch_object_s *object) {
    use(object, "dispatch_release");
    if (--object->references == 0) {
        destroy(object);
    }
}

void dispatch_retain(dispatch_object_t object) {
    schedule_point("dispatch_retain", object.any);
    use(object.any, "dispatch_retain");
    object.any->references++;
}

void dispatch_release(dispatch_object_t object) {
    schedule_point("dispatch_release", object.any);
    release(object.any);
}

void *dispatch_get_context(dispatch_object_t object) {
    use(object.any, "dispatch_get_context");
    return object.any->context;
}

void dispatch_set_context(dispatch_object_t object, void *context) {
    use(object.any, "dispatch_set_context");
    object.any->context = context;
}

void dispatch_set_finalizer_f(dispatch_object_t object,
                              dispatch_function_t finalizer) {
    use(object.any, "dispatch_set_finalizer_f");
    object.any->finalizer = finalizer;
}

/* ---- workers ------------------------------------------------------------ */

static void run_item(struct item *item) {
    struct dispatch_object_s **current = &pool.current[fiber_current()->number];
    *current = item->queue;
    pool.is_free[fiber_current()->number] = false;
    item->work(item->context);
    pool.is_free[fiber_current()->number] = true;
    *current = NULL;
    struct dispatch_object_s *group = item->group;
    release(item->queue);
    memory_free(item);
    if (group) {
        dispatch_group_leave((dispatch_group_t)group);
        release(group);
    }
}

static void drain(struct dispatch_object_s *queue) {
    while (queue->first) {
        struct item *item = queue->first;
        queue->first = item->next;
        if (!queue->first) {
            queue->end = &queue->first;
        }
        run_item(item);
        schedule_point("next item of the queue", queue);
    }
    queue->is_drained = false;
    release(queue);
}

static void work(void *unused) {
    (void)unused;
    pool.is_free[fiber_current()->number] = true;
    for (;;) {
        while (pool.first) {
            struct item *item = pool.first;
            pool.first = item->next;
            pool.queued--;
            if (!pool.first) {
                pool.end = &pool.first;
            }
            if (item->work) {
                run_item(item);
            } else {
                drain(item->queue);
            }
            schedule_point("next work", NULL);
        }
        struct fiber *fiber = fiber_current();
        fiber->is_spare = true;
        pool.spare[pool.spares++] = fiber;
        fiber_block("wait for work", NULL, NEVER);
    }
}

void dispatch_work_ends(void) { pool.is_free[fiber_current()->number] = true; }

/* A worker that submits within its work is not free. */
static bool has_free_worker(void) {
    for (int i = 0; i < FIBERS_MAX; i++) {
        if (pool.is_free[i] &&
            (!pool.current[i] || fiber_current()->number != i)) {
            return true;
        }
    }
    return false;
}

/* Adds to the list of work, and finds a worker. */
static void submit(struct item *item) {
    item->next = NULL;
    *pool.end = item;
    pool.end = &item->next;
    pool.queued++;
    if (pool.spares > 0) {
        struct fiber *fiber = pool.spare[--pool.spares];
        fiber->is_spare = false;
        fiber_wake(fiber);
        return;
    }
    while (pool.workers < pool.most) {
        if (has_free_worker() && STATE->threads >= STATE->thread_limit) {
            return;
        }
        if (STATE->threads < STATE->thread_limit) {
            pool.workers++;
            STATE->threads++;
            fiber_create("worker", work, NULL);
            return;
        }
        fiber_block("libdispatch lacks a thread", NULL,
                    schedule_now() + SECOND);
    }
}

static void enqueue(struct item *item) {
    struct dispatch_object_s *queue = item->queue;
    if (queue->kind == CONCURRENT) {
        submit(item);
        return;
    }
    item->next = NULL;
    *queue->end = item;
    queue->end = &item->next;
    if (!queue->is_drained) {
        queue->is_drained = true;
        queue->references++;
        queue->ready = (struct item){.queue = queue};
        submit(&queue->ready);
    }
}

/* ---- queues ------------------------------------------------------------- */

dispatch_queue_t dispatch_queue_create(const char *label,
                                       dispatch_queue_attr_t attr) {
    struct dispatch_object_s *queue =
        create(attr == DISPATCH_QUEUE_CONCURRENT ? CONCURRENT : SERIAL);
    size_t size = strlen(label ? label : "") + 1;
    queue->label = memory_allocate(size, false);
    memcpy(queue->label, label ? label : "", size);
    return (dispatch_queue_t)queue;
}

const char *dispatch_queue_get_label(dispatch_queue_t queue) {
    return queue->object.label;
}

dispatch_queue_global_t dispatch_get_global_queue(intptr_t identifier,
                                                  uintptr_t flags) {
    (void)identifier;
    (void)flags;
    return &global;
}

dispatch_queue_attr_t
dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attr,
                                        dispatch_qos_class_t qos_class,
                                        int relative_priority) {
    (void)qos_class;
    (void)relative_priority;
    return attr;
}

dispatch_queue_attr_t dispatch_queue_attr_make_with_autorelease_frequency(
    dispatch_queue_attr_t attr, dispatch_autorelease_frequency_t frequency) {
    (void)frequency;
    return attr;
}

dispatch_queue_attr_t
dispatch_queue_attr_make_initially_inactive(dispatch_queue_attr_t attr) {
    return attr;
}

void dispatch_async_f(dispatch_queue_t queue, void *context,
                      dispatch_function_t function) {
    schedule_point("dispatch_async", queue);
    use(&queue->object, "dispatch_async");
    enqueue(item_create(&queue->object, context, function));
}

static struct specific *find_specific(struct dispatch_object_s *queue,
                                      const void *key) {
    struct specific *specific = queue->specifics;
    while (specific && specific->key != key) {
        specific = specific->next;
    }
    return specific;
}

void dispatch_queue_set_specific(dispatch_queue_t queue, const void *key,
                                 void *value, dispatch_function_t destructor) {
    (void)destructor;
    use(&queue->object, "dispatch_queue_set_specific");
    struct specific *specific = find_specific(&queue->object, key);
    if (!specific) {
        specific = memory_allocate(sizeof *specific, true);
        *specific = (struct specific){queue->object.specifics, key, NULL};
        queue->object.specifics = specific;
    }
    specific->value = value;
}

void *dispatch_queue_get_specific(dispatch_queue_t queue, const void *key) {
    use(&queue->object, "dispatch_queue_get_specific");
    struct specific *specific = find_specific(&queue->object, key);
    return specific ? specific->value : NULL;
}

void *dispatch_get_specific(const void *key) {
    struct dispatch_object_s *queue = pool.current[fiber_current()->number];
    struct specific *specific = queue ? find_specific(queue, key) : NULL;
    return specific ? specific->value : NULL;
}

dispatch_queue_t dispatch_get_current_queue(void) {
    struct dispatch_object_s *queue = pool.current[fiber_current()->number];
    return queue ? (dispatch_queue_t)queue : &global;
}

/* The workers beside the caller are submitted; each takes iterations. */
struct apply {
    size_t next, count;
    void *context;
    void (*work)(void *context, size_t iteration);
    dispatch_group_t group;
};

static void apply_some(void *argument) {
    struct apply *apply = argument;
    for (;;) {
        schedule_point("next iteration", NULL);
        if (apply->next >= apply->count) {
            return;
        }
        apply->work(apply->context, apply->next++);
    }
}

void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context,
                      void (*function)(void *context, size_t iteration)) {
    struct apply *apply = memory_allocate(sizeof *apply, true);
    *apply = (struct apply){.count = iterations,
                            .context = context,
                            .work = function,
                            .group = dispatch_group_create()};
    for (size_t i = 1; i < iterations && i < 4; i++) {
        dispatch_group_async_f(apply->group, queue ? queue : &global, apply,
                               apply_some);
    }
    apply_some(apply);
    dispatch_group_wait(apply->group, DISPATCH_TIME_FOREVER);
    dispatch_release(apply->group);
    memory_free(apply);
}

/* ---- waiting ------------------------------------------------------------ */

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta) {
    if (when == DISPATCH_TIME_FOREVER) {
        return when;
    }
    return (when ? when : schedule_now()) + (uint64_t)delta;
}

/* Returns true if the waiter was served before the deadline. */
static bool wait_at(struct dispatch_object_s *object, const char *doing,
                    dispatch_time_t timeout) {
    if (timeout == DISPATCH_TIME_NOW) {
        return false;
    }
    struct waiter waiter = {.fiber = fiber_current()};
    struct waiter **place = &object->waiters;
    while (*place) {
        place = &(*place)->next;
    }
    *place = &waiter;
    fiber_block(doing, object, timeout);
    if (!waiter.is_served) {
        place = &object->waiters;
        while (*place != &waiter) {
            place = &(*place)->next;
        }
        *place = waiter.next;
    }
    return waiter.is_served;
}

/* Between the decision and the wake-up the object must not go: a thread that
   times out meanwhile finds that it was served, and may release it. */
static bool serve_one(struct dispatch_object_s *object) {
    struct waiter *waiter = object->waiters;
    if (!waiter) {
        return false;
    }
    struct fiber *fiber = waiter->fiber;
    object->waiters = waiter->next;
    waiter->is_served = true;
    schedule_point("wake", object);
    use(object, "wake");
    if (fiber->object == object) {
        fiber_wake(fiber);
    }
    return true;
}

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) {
    struct dispatch_object_s *semaphore = create(SEMAPHORE);
    semaphore->value = semaphore->initial = value;
    return (dispatch_semaphore_t)semaphore;
}

intptr_t dispatch_semaphore_wait(dispatch_semaphore_t given,
                                 dispatch_time_t timeout) {
    struct dispatch_object_s *semaphore = (struct dispatch_object_s *)given;
    schedule_point("dispatch_semaphore_wait", semaphore);
    use(semaphore, "dispatch_semaphore_wait");
    if (semaphore->value > 0) {
        semaphore->value--;
        return 0;
    }
    return !wait_at(semaphore, "dispatch_semaphore_wait", timeout);
}

intptr_t dispatch_semaphore_signal(dispatch_semaphore_t given) {
    struct dispatch_object_s *semaphore = (struct dispatch_object_s *)given;
    schedule_point("dispatch_semaphore_signal", semaphore);
    use(semaphore, "dispatch_semaphore_signal");
    bool woke = semaphore->waiters != NULL;
    semaphore->value += !woke;
    serve_one(semaphore);
    return woke;
}

/* ---- groups ------------------------------------------------------------- */

dispatch_group_t dispatch_group_create(void) {
    return (dispatch_group_t)create(GROUP);
}

void dispatch_group_enter(dispatch_group_t given) {
    struct dispatch_object_s *group = (struct dispatch_object_s *)given;
    schedule_point("dispatch_group_enter", group);
    use(group, "dispatch_group_enter");
    group->value++;
}

static void group_is_empty(struct dispatch_object_s *group) {
    while (serve_one(group)) {
    }
    while (group->first) {
        struct item *item = group->first;
        group->first = item->next;
        enqueue(item);
    }
    group->end = &group->first;
}

void dispatch_group_leave(dispatch_group_t given) {
    struct dispatch_object_s *group = (struct dispatch_object_s *)given;
    schedule_point("dispatch_group_leave", group);
    use(group, "dispatch_group_leave");
    CHECK(group->value > 0,
          "BUG IN CLIENT OF LIBDISPATCH: unbalanced dispatch_group_leave");
    if (--group->value == 0) {
        group->references++;
        group_is_empty(group);
        release(group);
    }
}

void dispatch_group_async_f(dispatch_group_t given, dispatch_queue_t queue,
                            void *context, dispatch_function_t function) {
    struct dispatch_object_s *group = (struct dispatch_object_s *)given;
    schedule_point("dispatch_group_async", group);
    use(group, "dispatch_group_async");
    group->value++;
    group->references++;
    struct item *item = item_create(&queue->object, context, function);
    item->group = group;
    enqueue(item);
}

void dispatch_group_notify_f(dispatch_group_t given, dispatch_queue_t queue,
                             void *context, dispatch_function_t function) {
    struct dispatch_object_s *group = (struct dispatch_object_s *)given;
    schedule_point("dispatch_group_notify", group);
    use(group, "dispatch_group_notify");
    struct item *item = item_create(&queue->object, context, function);
    if (group->value == 0) {
        enqueue(item);
        return;
    }
    *group->end = item;
    group->end = &item->next;
}

intptr_t dispatch_group_wait(dispatch_group_t given, dispatch_time_t timeout) {
    struct dispatch_object_s *group = (struct dispatch_object_s *)given;
    schedule_point("dispatch_group_wait", group);
    use(group, "dispatch_group_wait");
    return group->value > 0 && !wait_at(group, "dispatch_group_wait", timeout);
}
