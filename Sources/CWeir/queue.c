/*
 * queue.c: queues that own a context.
 *
 * DESIGN. The queue is an ordinary dispatch queue; context and finalizer are
 * set with dispatch_set_context and dispatch_set_finalizer_f, so that
 * everything libdispatch knows about them stays true. What Weir must know in
 * addition (that it made the queue, whether it is serial, the finalizer) is
 * kept in queue-specific values that need no memory of their own and no
 * destructor. A destructor was rejected: libdispatch runs it on the default
 * global queue, and the first job there starts a monitor thread that keeps
 * three descriptors open, in a library that is about having few of them.
 *
 * libdispatch calls the finalizer only where the context is not NULL. So a
 * NULL context with a finalizer is a small allocation, the stand-in, that
 * knows the finalizer and is never shown to anybody.
 */
#include "internal.h"

#include <weir/queue.h>

/* The addresses are the keys. Besides them a serial queue is known by a key
   of its own: serial_key. */
static char key_self;      /* the queue itself: "Weir made me" */
static char key_finalizer; /* the finalizer, where there is one */
static char key_stand_in;  /* the stand-in, while the context is NULL */

/* The attribute without its service class and autorelease frequency. */
static dispatch_queue_attr_t plain(dispatch_queue_attr_t attr) {
    return dispatch_queue_attr_make_with_autorelease_frequency(
        dispatch_queue_attr_make_with_qos_class(attr, QOS_CLASS_UNSPECIFIED, 0),
        DISPATCH_AUTORELEASE_FREQUENCY_INHERIT);
}

/* A key for each queue, so that it is found from a queue that targets it too:
   of a key that both have, the lower queue's value would hide the other's.
   Nobody else has a reason to use an address inside a queue. */
static const void *serial_key(dispatch_queue_t queue) {
    return (const char *)queue + 1;
}

/* Whether an attribute makes a serial queue: what else it says is taken off,
   as far as libdispatch lets it. An attribute that is neither plainly serial
   nor plainly concurrent counts as not serial. */
static bool is_serial(dispatch_queue_attr_t attr) {
    dispatch_queue_attr_t serial = plain(DISPATCH_QUEUE_SERIAL);
    attr = plain(attr);
    return attr == serial ||
           attr == dispatch_queue_attr_make_initially_inactive(serial);
}

struct stand_in {
    dispatch_function_t finalizer;
};

static void finalize_null(void *context) {
    struct stand_in *stand_in = context;
    dispatch_function_t finalizer = stand_in->finalizer;
    free(stand_in);
    finalizer(NULL);
}

/* Makes `context` the queue's, behind a stand-in where it is NULL. */
static int install(dispatch_queue_t queue, void *context,
                   dispatch_function_t finalizer) {
    struct stand_in *old = dispatch_queue_get_specific(queue, &key_stand_in);
    if (context || !finalizer) {
        dispatch_set_context(queue, context);
        dispatch_set_finalizer_f(queue, finalizer);
        dispatch_queue_set_specific(queue, &key_stand_in, NULL, NULL);
        free(old);
    } else if (!old) {
        struct stand_in *stand_in = malloc(sizeof *stand_in);
        if (!stand_in) {
            return ENOMEM;
        }
        stand_in->finalizer = finalizer;
        dispatch_queue_set_specific(queue, &key_stand_in, stand_in, NULL);
        dispatch_set_context(queue, stand_in);
        dispatch_set_finalizer_f(queue, finalize_null);
    }
    return 0;
}

dispatch_queue_t weir_queue_create(const char *label,
                                   dispatch_queue_attr_t attr, void *context,
                                   dispatch_function_t finalizer) {
    dispatch_queue_t queue = dispatch_queue_create(label, attr);
    if (!queue) {
        errno = ENOMEM;
        return NULL;
    }
    dispatch_queue_set_specific(queue, &key_self, queue, NULL);
    if (is_serial(attr)) {
        dispatch_queue_set_specific(queue, serial_key(queue), queue, NULL);
    }
    if (finalizer) {
        dispatch_queue_set_specific(queue, &key_finalizer, (void *)finalizer,
                                    NULL);
    }
    if (install(queue, context, finalizer) != 0) {
        dispatch_release(queue);
        errno = ENOMEM;
        return NULL;
    }
    return queue;
}

void *weir_queue_get_context(dispatch_queue_t queue) {
    if (!dispatch_queue_get_specific(queue, &key_self)) {
        return NULL;
    }
    void *context = dispatch_get_context(queue);
    return context == dispatch_queue_get_specific(queue, &key_stand_in)
               ? NULL
               : context;
}

int weir_queue_set_context(dispatch_queue_t queue, void *context) {
    if (!dispatch_queue_get_specific(queue, &key_self)) {
        return EINVAL;
    }
    return install(queue, context,
                   (dispatch_function_t)dispatch_queue_get_specific(
                       queue, &key_finalizer));
}

bool weir__on_serial_queue(dispatch_queue_t queue) {
    return dispatch_get_specific(serial_key(queue)) != NULL;
}
