/*
 * Queues that exist already, and the queue of a task.
 *
 * The guide: "Getting Common Queues at Runtime".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>

static const char *label(dispatch_queue_t queue) {
    return dispatch_queue_get_label(queue);
}

/* Deprecated on Apple's systems. On Linux it gives no warning, but misleads in
   the same way: a task on a queue with a target is on both queues at once. */
static const char *current(void) { return label(dispatch_get_current_queue()); }

int main(void) {
    printf("The main queue is %s.\n", label(dispatch_get_main_queue()));
    printf("The default global queue is %s.\n",
           label(dispatch_get_global_queue(0, 0)));

    dispatch_queue_t queue = dispatch_queue_create("com.example.mine", NULL);
    dispatch_sync(queue, ^{
      printf("In a task of com.example.mine the current queue is %s.\n",
             current());
    });
    printf("In no task, on the main thread, it is %s.\n", current());
    printf("  (The guide says: the default concurrent queue.)\n");

    /* The alternative: mark the queue, and test for the mark. */
    static char mark;
    dispatch_queue_set_specific(queue, &mark, "mine", NULL);
    dispatch_sync(queue, ^{
      printf("In a task the mark of the queue says: %s.\n",
             (char *)dispatch_get_specific(&mark));
    });
    printf("In no task there is %s mark.\n",
           dispatch_get_specific(&mark) ? "a" : "no");
    dispatch_release(queue);
    return 0;
}
