/*
 * Adding tasks: dispatch_async returns at once, dispatch_sync waits.
 *
 * The guide: "Adding a Single Task to a Queue".
 */
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_t here = pthread_self();
    dispatch_queue_t queue = dispatch_queue_create("com.example.tasks", NULL);

    dispatch_async(queue, ^{
      printf("Task one, on %s thread.\n",
             pthread_equal(here, pthread_self()) ? "the caller's" : "another");
    });
    /* This line may come before or after it. */
    printf("Task one may or may not have run.\n");

    dispatch_sync(queue, ^{
      printf("Task two, on %s thread.\n",
             pthread_equal(here, pthread_self()) ? "the caller's" : "another");
    });
    printf("Both tasks have run.\n");
    dispatch_release(queue);
    return 0;
}
