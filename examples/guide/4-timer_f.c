/*
 * A dispatch source that ticks, without blocks.
 *
 *     gcc -o 4-timer_f 4-timer_f.c $(pkg-config --cflags --libs weir)
 *
 * The guide: "Queue-Related Technologies", and its chapter on dispatch
 * sources.
 */
#include <dirent.h>
#include <stdio.h>
#include <weir/libdispatch.h>

static int descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    int count = -3; /* ".", ".." and the directory itself */
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* All handlers of a source get the context of the source. */
struct clock {
    dispatch_source_t timer;
    dispatch_semaphore_t stopped;
    int tick;
};

static void handle_tick(void *context) {
    struct clock *clock = context;
    if (dispatch_source_testcancel(clock->timer))
        return;
    printf("Tick %d.\n", ++clock->tick);
    if (clock->tick == 4)
        dispatch_source_cancel(clock->timer);
}

static void handle_cancel(void *context) {
    struct clock *clock = context;
    printf("Cancelled: this is the last of it.\n");
    dispatch_semaphore_signal(clock->stopped);
}

int main(void) {
    int before = descriptors();
    dispatch_queue_t queue = dispatch_queue_create("com.example.clock", NULL);
    struct clock clock = {
        .timer =
            dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue),
        .stopped = dispatch_semaphore_create(0),
    };
    /* From now on every 20 ms; a millisecond late is as good. */
    dispatch_source_set_timer(clock.timer, dispatch_time(DISPATCH_TIME_NOW, 0),
                              20 * NSEC_PER_MSEC, NSEC_PER_MSEC);
    dispatch_set_context(clock.timer, &clock);
    dispatch_source_set_event_handler_f(clock.timer, handle_tick);
    dispatch_source_set_cancel_handler_f(clock.timer, handle_cancel);
    dispatch_resume(clock.timer); /* sources are made suspended */
    dispatch_semaphore_wait(clock.stopped, DISPATCH_TIME_FOREVER);

    printf("libdispatch has opened %d descriptors for its event loop.\n",
           descriptors() - before);
    dispatch_release(clock.timer);
    dispatch_release(queue);
    dispatch_release(clock.stopped);
    return 0;
}
