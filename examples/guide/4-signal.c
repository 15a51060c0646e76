/*
 * A dispatch source for signals: the handler is an ordinary task, and may do
 * what signal handlers may not.
 *
 * The guide: "Queue-Related Technologies", and its chapter on dispatch
 * sources.
 */
#include <dispatch/dispatch.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.signals", NULL);
    dispatch_semaphore_t ready = dispatch_semaphore_create(0);
    dispatch_semaphore_t handled = dispatch_semaphore_create(0);

    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, queue);
    dispatch_source_set_registration_handler(source, ^{
      dispatch_semaphore_signal(ready);
    });
    dispatch_source_set_event_handler(source, ^{
      printf("SIGUSR1 came; this is a task of %s.\n",
             dispatch_queue_get_label(queue));
      dispatch_semaphore_signal(handled);
    });
    dispatch_resume(source);

    /* Until the source is registered, the signal would end the program. */
    dispatch_semaphore_wait(ready, DISPATCH_TIME_FOREVER);
    for (int i = 0; i < 2; i++) {
        kill(getpid(), SIGUSR1);
        dispatch_semaphore_wait(handled, DISPATCH_TIME_FOREVER);
    }
    dispatch_source_cancel(source);
    dispatch_release(source);
    dispatch_release(queue);
    printf("Sent twice, one after the other: handled twice.\n");
    return 0;
}
