/*
 * dispatch.c: the queues of libdispatch that Weir uses, on fibers.
 *
 * DESIGN. Work goes to a list, from which workers take it; a worker is a fiber,
 * made when there is work and no spare one, up to a limit. A worker drains a
 * serial queue to its end, and takes the items of concurrent queues one by one.
 * Workers that have ended their work stay, with their thread-local variables.
 */
#include "dispatch.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* The objects that are always there. */
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

struct dispatch_object_s *object_create(enum kind kind) {
    struct dispatch_object_s *object = memory_allocate(sizeof *object, true);
    object->kind = kind;
    object->references = 1;
    object->end = &object->first;
    STATE->objects++;
    return object;
}

void object_use(const struct dispatch_object_s *object, const char *doing) {
    memory_check(object, doing);
    CHECK(object->references > 0, "%s: an object without references", doing);
}

static void submit(struct item *item);

struct item *item_create(struct dispatch_object_s *queue, void *context,
                         dispatch_function_t work) {
    struct item *item = memory_allocate(sizeof *item, true);
    *item = (struct item){.work = work, .context = context, .queue = queue};
    queue->references++;
    orders_edge(item, true);
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

void object_release(struct dispatch_object_s *object) {
    object_use(object, "dispatch_release");
    orders_edge(&object->references, true);
    if (--object->references == 0) {
        orders_edge(&object->references, false);
        destroy(object);
    }
}

void dispatch_retain(dispatch_object_t object) {
    schedule_point("dispatch_retain", object.any);
    object_use(object.any, "dispatch_retain");
    object.any->references++;
}

void dispatch_release(dispatch_object_t object) {
    schedule_point("dispatch_release", object.any);
    object_release(object.any);
}

void *dispatch_get_context(dispatch_object_t object) {
    object_use(object.any, "dispatch_get_context");
    return object.any->context;
}

void dispatch_set_context(dispatch_object_t object, void *context) {
    object_use(object.any, "dispatch_set_context");
    object.any->context = context;
}

void dispatch_set_finalizer_f(dispatch_object_t object,
                              dispatch_function_t finalizer) {
    object_use(object.any, "dispatch_set_finalizer_f");
    object.any->finalizer = finalizer;
}

/* ---- workers ------------------------------------------------------------ */

static void run_item(struct item *item) {
    struct dispatch_object_s **current = &pool.current[fiber_current()->number];
    *current = item->queue;
    orders_edge(item, false);
    if (item->queue->kind == SERIAL) {
        orders_edge(item->queue, false);
    }
    item->work(item->context);
    orders_edge(item->queue, true);
    *current = NULL;
    struct dispatch_object_s *group = item->group;
    object_release(item->queue);
    memory_free(item);
    if (group) {
        dispatch_group_leave((dispatch_group_t)group);
        object_release(group);
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
    object_release(queue);
}

static void work(void *unused) {
    (void)unused;
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
    if (pool.workers < pool.most) {
        pool.workers++;
        fiber_create("worker", work, NULL);
    }
}

void item_enqueue(struct item *item) {
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
        object_create(attr == DISPATCH_QUEUE_CONCURRENT ? CONCURRENT : SERIAL);
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
    object_use(&queue->object, "dispatch_async");
    item_enqueue(item_create(&queue->object, context, function));
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
    object_use(&queue->object, "dispatch_queue_set_specific");
    struct specific *specific = find_specific(&queue->object, key);
    if (!specific) {
        specific = memory_allocate(sizeof *specific, true);
        *specific = (struct specific){queue->object.specifics, key, NULL};
        queue->object.specifics = specific;
    }
    specific->value = value;
}

void *dispatch_queue_get_specific(dispatch_queue_t queue, const void *key) {
    object_use(&queue->object, "dispatch_queue_get_specific");
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
