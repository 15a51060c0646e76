/*
 * Listing 3-2 without blocks: creating queues. A serial one keeps the order;
 * several run at the same time.
 *
 *     gcc -o 3-2-serial-queue_f 3-2-serial-queue_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Creating Serial Dispatch Queues".
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <weir/libdispatch.h>

enum { TASKS = 8, QUEUES = 4 };

/* A meeting point: no task leaves before all have come. */
struct meeting {
    int expected;
    atomic_int come;
    dispatch_semaphore_t all_are_here;
};

static void meet(void *context) {
    struct meeting *meeting = context;
    if (atomic_fetch_add(&meeting->come, 1) + 1 == meeting->expected) {
        for (int i = 0; i < meeting->expected; i++)
            dispatch_semaphore_signal(meeting->all_are_here);
    }
    dispatch_semaphore_wait(meeting->all_are_here, DISPATCH_TIME_FOREVER);
}

/* A small number fits into the context itself. */
static void print_number(void *context) {
    printf(" %d", (int)(intptr_t)context);
}

static void end_line(void *context) {
    (void)context;
    printf("\n");
}

static void one_serial_queue(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.one", NULL);
    printf("One serial queue, tasks in order:");
    for (intptr_t i = 1; i <= TASKS; i++)
        dispatch_async_f(queue, (void *)i, print_number);
    /* The last task in the queue: when it has run, all have. */
    dispatch_sync_f(queue, NULL, end_line);
    dispatch_release(queue);
}

static void four_serial_queues(void) {
    struct meeting meeting = {.expected = QUEUES,
                              .all_are_here = dispatch_semaphore_create(0)};
    dispatch_group_t group = dispatch_group_create();
    for (int i = 0; i < QUEUES; i++) {
        dispatch_queue_t queue = dispatch_queue_create(NULL, NULL);
        dispatch_group_async_f(group, queue, &meeting, meet);
        dispatch_release(queue); /* it lives until its task has ended */
    }
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("Four serial queues ran %d tasks at the same time: they met.\n",
           atomic_load(&meeting.come));
    dispatch_release(group);
    dispatch_release(meeting.all_are_here);
}

static void one_concurrent_queue(void) {
    /* The guide wants NULL here, "reserved for future use". The future came:
       this attribute makes a concurrent queue of your own. */
    dispatch_queue_t queue = dispatch_queue_create("com.example.concurrent",
                                                   DISPATCH_QUEUE_CONCURRENT);
    struct meeting meeting = {.expected = 2,
                              .all_are_here = dispatch_semaphore_create(0)};
    dispatch_group_t group = dispatch_group_create();
    for (int i = 0; i < 2; i++)
        dispatch_group_async_f(group, queue, &meeting, meet);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("One concurrent queue ran %d tasks at the same time: they met.\n",
           atomic_load(&meeting.come));
    dispatch_release(group);
    dispatch_release(queue);
    dispatch_release(meeting.all_are_here);
}

int main(void) {
    one_serial_queue();
    four_serial_queues();
    one_concurrent_queue();
    return 0;
}
