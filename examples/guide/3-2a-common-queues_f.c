/*
 * Queues that exist already, and the queue of a task, without blocks.
 *
 *     gcc -o 3-2a-common-queues_f 3-2a-common-queues_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Getting Common Queues at Runtime".
 */
#include <stdio.h>
#include <weir/libdispatch.h>

static char mark;

static const char *label(dispatch_queue_t queue) {
    return dispatch_queue_get_label(queue);
}

/* Deprecated on Apple's systems. On Linux it gives no warning, but misleads in
   the same way: a task on a queue with a target is on both queues at once. */
static const char *current(void) { return label(dispatch_get_current_queue()); }

static void print_current(void *context) {
    (void)context;
    printf("In a task of com.example.mine the current queue is %s.\n",
           current());
}

static void print_mark(void *context) {
    (void)context;
    printf("In a task the mark of the queue says: %s.\n",
           (char *)dispatch_get_specific(&mark));
}

int main(void) {
    printf("The main queue is %s.\n", label(dispatch_get_main_queue()));
    printf("The default global queue is %s.\n",
           label(dispatch_get_global_queue(0, 0)));

    dispatch_queue_t queue = dispatch_queue_create("com.example.mine", NULL);
    dispatch_sync_f(queue, NULL, print_current);
    printf("In no task, on the main thread, it is %s.\n", current());
    printf("  (The guide says: the default concurrent queue.)\n");

    /* The alternative: mark the queue, and test for the mark. */
    dispatch_queue_set_specific(queue, &mark, "mine", NULL);
    dispatch_sync_f(queue, NULL, print_mark);
    printf("In no task there is %s mark.\n",
           dispatch_get_specific(&mark) ? "a" : "no");
    dispatch_release(queue);
    return 0;
}
