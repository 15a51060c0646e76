/*
 * Suspend and resume: they nest, and take effect between tasks.
 *
 * The guide: "Suspending and Resuming Queues".
 */
#include <dispatch/dispatch.h>
#include <stdatomic.h>
#include <stdio.h>

int main(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.valve", NULL);
    static atomic_int run;

    dispatch_suspend(queue);
    dispatch_suspend(queue);
    for (int i = 0; i < 3; i++) {
        dispatch_async(queue, ^{
          atomic_fetch_add(&run, 1);
        });
    }
    printf("Suspended twice, with three tasks: %d have run.\n",
           atomic_load(&run));
    dispatch_resume(queue);
    printf("Resumed once: %d have run.\n", atomic_load(&run));
    dispatch_resume(queue);
    dispatch_sync(queue, ^{
      printf("Resumed twice: %d have run.\n", atomic_load(&run));
    });

    /* A running task is not stopped. */
    dispatch_semaphore_t begun = dispatch_semaphore_create(0);
    dispatch_semaphore_t go_on = dispatch_semaphore_create(0);
    dispatch_semaphore_t ended = dispatch_semaphore_create(0);
    dispatch_async(queue, ^{
      dispatch_semaphore_signal(begun);
      dispatch_semaphore_wait(go_on, DISPATCH_TIME_FOREVER);
      printf("Suspended while it ran: task one goes on to its end.\n");
      dispatch_semaphore_signal(ended);
    });
    dispatch_async(queue, ^{
      atomic_fetch_add(&run, 1);
    });
    dispatch_semaphore_wait(begun, DISPATCH_TIME_FOREVER);
    dispatch_suspend(queue);
    dispatch_semaphore_signal(go_on);
    dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
    printf("Task two waits for the resume: %d have run.\n", atomic_load(&run));
    dispatch_resume(queue);
    dispatch_sync(queue, ^{
      printf("Resumed: %d have run.\n", atomic_load(&run));
    });

    dispatch_release(begun);
    dispatch_release(go_on);
    dispatch_release(ended);
    dispatch_release(queue); /* suspended, this would be a trap */
    return 0;
}
