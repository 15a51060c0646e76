/*
 * Listing 3-2: creating queues. A serial one keeps the order; several run at
 * the same time.
 *
 * The guide: "Creating Serial Dispatch Queues".
 */
#include <dispatch/dispatch.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TASKS = 8, QUEUES = 4 };

/* A meeting point: no task leaves before all have come. */
static atomic_int come;
static dispatch_semaphore_t all_are_here;

static void meet(int expected) {
    if (atomic_fetch_add(&come, 1) + 1 == expected) {
        for (int i = 0; i < expected; i++)
            dispatch_semaphore_signal(all_are_here);
    }
    dispatch_semaphore_wait(all_are_here, DISPATCH_TIME_FOREVER);
}

static void one_serial_queue(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.one", NULL);
    printf("One serial queue, tasks in order:");
    for (int i = 1; i <= TASKS; i++) {
        dispatch_async(queue, ^{
          printf(" %d", i);
        });
    }
    /* The last task in the queue: when it has run, all have. */
    dispatch_sync(queue, ^{
      printf("\n");
    });
    dispatch_release(queue);
}

static void four_serial_queues(void) {
    dispatch_group_t group = dispatch_group_create();
    for (int i = 0; i < QUEUES; i++) {
        dispatch_queue_t queue = dispatch_queue_create(NULL, NULL);
        dispatch_group_async(group, queue, ^{
          meet(QUEUES);
        });
        dispatch_release(queue); /* it lives until its task has ended */
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("Four serial queues ran %d tasks at the same time: they met.\n",
           atomic_load(&come));
    dispatch_release(group);
}

static void one_concurrent_queue(void) {
    /* The guide wants NULL here, "reserved for future use". The future came:
       this attribute makes a concurrent queue of your own. */
    dispatch_queue_t queue = dispatch_queue_create("com.example.concurrent",
                                                   DISPATCH_QUEUE_CONCURRENT);
    atomic_store(&come, 0);
    dispatch_group_t group = dispatch_group_create();
    for (int i = 0; i < 2; i++) {
        dispatch_group_async(group, queue, ^{
          meet(2);
        });
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("One concurrent queue ran %d tasks at the same time: they met.\n",
           atomic_load(&come));
    dispatch_release(group);
    dispatch_release(queue);
}

int main(void) {
    all_are_here = dispatch_semaphore_create(0);
    one_serial_queue();
    four_serial_queues();
    one_concurrent_queue();
    dispatch_release(all_are_here);
    return 0;
}
