/* dispatch.h: the objects of the stand-in libdispatch. */
#pragma once

#include "../Scheduler/schedule.h"

#include <weir/libdispatch.h>

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

struct dispatch_queue_s {
    struct dispatch_object_s object;
};

struct dispatch_object_s *object_create(enum kind kind);

void object_use(const struct dispatch_object_s *object, const char *doing);
void object_release(struct dispatch_object_s *object);

/* Makes an item, which retains its queue; submits it. */
struct item *item_create(struct dispatch_object_s *queue, void *context,
                         dispatch_function_t work);
void item_enqueue(struct item *item);
