/*
 * queue.c: dispatch queues that own a context.
 *
 * DESIGN. The context and the finalizer are set with dispatch_set_context and
 * dispatch_set_finalizer_f, so that everything libdispatch knows about them
 * stays true. What Weir has to know in addition is in queue-specific values
 * that need no memory of their own and no destructor: libdispatch runs one on
 * the default global queue, and the first job there starts a monitor thread
 * that keeps three descriptors open.
 *
 * libdispatch calls the finalizer only if the context is not NULL. So a NULL
 * context with a finalizer is a small allocation, the stand-in, that stores the
 * finalizer and is never visible to a caller. dispatch_set_context can replace
 * it: libdispatch then calls finalize_null with the other context, which leads
 * to neither the queue nor the finalizer. So the context is an address within
 * the stand-in that no pointer to an object has, and the stand-in begins with
 * its own address: any other context is reported.
 */
#include "base/internal.h"
#include "base/serial_queue.h"

#include <weir/queue.h>

/* The addresses are the keys; see also weir__serial_queue_key. */
static char key_self;      /* the queue itself: Weir made it */
static char key_finalizer; /* the finalizer, if there is one */
static char key_stand_in;  /* the stand-in, while the context is NULL */

/* Returns the attribute without its service class and autorelease frequency. */
static dispatch_queue_attr_t plain_attr(dispatch_queue_attr_t attr) {
    return dispatch_queue_attr_make_with_autorelease_frequency(
        dispatch_queue_attr_make_with_qos_class(attr, QOS_CLASS_UNSPECIFIED, 0),
        DISPATCH_AUTORELEASE_FREQUENCY_INHERIT);
}

/* True if an attribute makes a serial queue. One that is neither plainly serial
   nor plainly concurrent counts as not serial. */
static bool is_serial(dispatch_queue_attr_t attr) {
    dispatch_queue_attr_t serial = plain_attr(DISPATCH_QUEUE_SERIAL);
    attr = plain_attr(attr);
    return attr == serial ||
           attr == dispatch_queue_attr_make_initially_inactive(serial);
}

struct stand_in {
    struct stand_in *self;
    dispatch_function_t finalizer;
};

enum { TAG = 5, ALIGNMENT = 8, LEAST_ADDRESS = 4096 };

/* Returns the context of a queue with a stand-in. */
static void *tagged(struct stand_in *stand_in) {
    return (char *)stand_in + TAG;
}

/* Returns the stand-in of a context, or NULL if the context is another one. */
static struct stand_in *stand_in_of(void *context) {
    uintptr_t address = (uintptr_t)context;
    if (address < LEAST_ADDRESS || address % ALIGNMENT != TAG) {
        return NULL;
    }
    struct stand_in *stand_in = (void *)((char *)context - TAG);
    return stand_in->self == stand_in ? stand_in : NULL;
}

static void finalize_null(void *context) {
    struct stand_in *stand_in = stand_in_of(context);
    if (!stand_in) {
        weir__misuse("a queue that was made with a finalizer and without a "
                     "context was given one by dispatch_set_context; set it "
                     "through Weir instead");
    }
    dispatch_function_t finalizer = stand_in->finalizer;
    free(stand_in);
    finalizer(NULL);
}

/* Makes `context` the queue's, through a stand-in if it is NULL. */
static int install_context(dispatch_queue_t queue, void *context,
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
        *stand_in = (struct stand_in){stand_in, finalizer};
        dispatch_queue_set_specific(queue, &key_stand_in, stand_in, NULL);
        dispatch_set_context(queue, tagged(stand_in));
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
        dispatch_queue_set_specific(queue, weir__serial_queue_key(queue), queue,
                                    NULL);
    }
    if (finalizer) {
        dispatch_queue_set_specific(queue, &key_finalizer, (void *)finalizer,
                                    NULL);
    }
    if (install_context(queue, context, finalizer) != 0) {
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
    struct stand_in *stand_in =
        dispatch_queue_get_specific(queue, &key_stand_in);
    return stand_in && context == tagged(stand_in) ? NULL : context;
}

int weir_queue_set_context(dispatch_queue_t queue, void *context) {
    if (!dispatch_queue_get_specific(queue, &key_self)) {
        return EINVAL;
    }
    return install_context(queue, context,
                           (dispatch_function_t)dispatch_queue_get_specific(
                               queue, &key_finalizer));
}
