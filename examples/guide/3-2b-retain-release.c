/*
 * Retain and release: a queue lives as long as it has a reference.
 *
 * The guide: "Memory Management for Dispatch Queues".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>

static dispatch_semaphore_t gone;

/* The finalizer, listing 3-3, reports the end of a queue. */
static void finalize(void *context) {
    printf("Finalizer: %s is gone.\n", (char *)context);
    dispatch_semaphore_signal(gone);
}

static dispatch_queue_t create(char *name) {
    dispatch_queue_t queue = dispatch_queue_create(name, NULL);
    dispatch_set_context(queue, name);
    dispatch_set_finalizer_f(queue, finalize);
    return queue;
}

int main(void) {
    gone = dispatch_semaphore_create(0);

    dispatch_queue_t queue = create("the shared queue");
    dispatch_retain(queue);  /* for a second owner */
    dispatch_release(queue); /* by its creator */
    dispatch_sync(queue, ^{
      printf("Created, retained, released once: it runs tasks.\n");
    });
    dispatch_release(queue);
    dispatch_semaphore_wait(gone, DISPATCH_TIME_FOREVER);

    /* A queued task holds a reference too. */
    queue = create("the busy queue");
    dispatch_async(queue, ^{
      printf("Released with a task in it: the task runs.\n");
    });
    dispatch_release(queue);
    dispatch_semaphore_wait(gone, DISPATCH_TIME_FOREVER);

    /* Retain and release have no effect on the global queues. */
    queue = dispatch_get_global_queue(0, 0);
    for (int i = 0; i < 1000; i++)
        dispatch_release(queue);
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async(group, queue, ^{
      printf("Released 1,000 times, a global queue runs tasks.\n");
    });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
    dispatch_release(gone);
    return 0;
}
