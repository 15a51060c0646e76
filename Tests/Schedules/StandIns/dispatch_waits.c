/* dispatch_waits.c: the semaphores, groups and loops of libdispatch, on fibers. */
#include "dispatch.h"

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

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
    } else {
        orders_edge(object, false);
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
    object_use(object, "wake");
    if (fiber->object == object) {
        fiber_wake(fiber);
    }
    return true;
}

/* A point, after which the object is used. */
static struct dispatch_object_s *enter(void *given, const char *doing) {
    schedule_point(doing, given);
    object_use(given, doing);
    return given;
}

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) {
    struct dispatch_object_s *semaphore = object_create(SEMAPHORE);
    semaphore->value = semaphore->initial = value;
    return (dispatch_semaphore_t)semaphore;
}

intptr_t dispatch_semaphore_wait(dispatch_semaphore_t given,
                                 dispatch_time_t timeout) {
    struct dispatch_object_s *semaphore =
        enter(given, "dispatch_semaphore_wait");
    if (semaphore->value > 0) {
        semaphore->value--;
        orders_edge(semaphore, false);
        return 0;
    }
    return !wait_at(semaphore, "dispatch_semaphore_wait", timeout);
}

intptr_t dispatch_semaphore_signal(dispatch_semaphore_t given) {
    struct dispatch_object_s *semaphore =
        enter(given, "dispatch_semaphore_signal");
    bool woke = semaphore->waiters != NULL;
    orders_edge(semaphore, true);
    semaphore->value += !woke;
    serve_one(semaphore);
    return woke;
}

/* ---- groups ------------------------------------------------------------- */

dispatch_group_t dispatch_group_create(void) {
    return (dispatch_group_t)object_create(GROUP);
}

void dispatch_group_enter(dispatch_group_t given) {
    struct dispatch_object_s *group = enter(given, "dispatch_group_enter");
    group->value++;
}

static void group_is_empty(struct dispatch_object_s *group) {
    while (serve_one(group)) {
    }
    while (group->first) {
        struct item *item = group->first;
        group->first = item->next;
        orders_edge(item, true);
        item_enqueue(item);
    }
    group->end = &group->first;
}

void dispatch_group_leave(dispatch_group_t given) {
    struct dispatch_object_s *group = enter(given, "dispatch_group_leave");
    CHECK(group->value > 0,
          "BUG IN CLIENT OF LIBDISPATCH: unbalanced dispatch_group_leave");
    orders_edge(group, true);
    if (--group->value == 0) {
        orders_edge(group, false);
        group->references++;
        group_is_empty(group);
        object_release(group);
    }
}

void dispatch_group_async_f(dispatch_group_t given, dispatch_queue_t queue,
                            void *context, dispatch_function_t function) {
    struct dispatch_object_s *group = enter(given, "dispatch_group_async");
    group->value++;
    group->references++;
    struct item *item = item_create(&queue->object, context, function);
    item->group = group;
    item_enqueue(item);
}

void dispatch_group_notify_f(dispatch_group_t given, dispatch_queue_t queue,
                             void *context, dispatch_function_t function) {
    struct dispatch_object_s *group = enter(given, "dispatch_group_notify");
    struct item *item = item_create(&queue->object, context, function);
    if (group->value == 0) {
        orders_edge(group, false);
        orders_edge(item, true);
        item_enqueue(item);
        return;
    }
    *group->end = item;
    group->end = &item->next;
}

intptr_t dispatch_group_wait(dispatch_group_t given, dispatch_time_t timeout) {
    struct dispatch_object_s *group = enter(given, "dispatch_group_wait");
    if (group->value == 0) {
        orders_edge(group, false);
    }
    return group->value > 0 && !wait_at(group, "dispatch_group_wait", timeout);
}

/* ---- loops -------------------------------------------------------------- */

/* No scenario has a loop: the caller is the only worker. */
void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context,
                      void (*function)(void *context, size_t iteration)) {
    (void)queue;
    for (size_t i = 0; i < iterations; i++) {
        function(context, i);
    }
}
