/*
 * A dispatch source that ticks.
 *
 * The guide: "Queue-Related Technologies", and its chapter on dispatch
 * sources.
 */
#include <dirent.h>
#include <dispatch/dispatch.h>
#include <stdio.h>

static int descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    int count = -3; /* ".", ".." and the directory itself */
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

int main(void) {
    int before = descriptors();
    dispatch_queue_t queue = dispatch_queue_create("com.example.clock", NULL);
    dispatch_semaphore_t stopped = dispatch_semaphore_create(0);

    dispatch_source_t timer =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    /* From now on every 20 ms; a millisecond late is as good. */
    dispatch_source_set_timer(timer, dispatch_time(DISPATCH_TIME_NOW, 0),
                              20 * NSEC_PER_MSEC, NSEC_PER_MSEC);
    static int tick;
    dispatch_source_set_event_handler(timer, ^{
      if (dispatch_source_testcancel(timer))
          return;
      printf("Tick %d.\n", ++tick);
      if (tick == 4)
          dispatch_source_cancel(timer);
    });
    dispatch_source_set_cancel_handler(timer, ^{
      printf("Cancelled: this is the last of it.\n");
      dispatch_semaphore_signal(stopped);
    });
    dispatch_resume(timer); /* sources are made suspended */
    dispatch_semaphore_wait(stopped, DISPATCH_TIME_FOREVER);

    printf("libdispatch has opened %d descriptors for its event loop.\n",
           descriptors() - before);
    dispatch_release(timer);
    dispatch_release(queue);
    dispatch_release(stopped);
    return 0;
}
