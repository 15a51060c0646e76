/*
 * The main queue: nothing on it runs until dispatch_main drains it.
 *
 * The guide: "Performing Tasks on the Main Thread".
 */
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t main_thread;
static char mark;

static void say_where(int task) {
    printf("Task %d: on the main queue: %s; on the main thread: %s.\n", task,
           dispatch_get_specific(&mark) ? "yes" : "no",
           pthread_equal(main_thread, pthread_self()) ? "yes" : "no");
}

int main(void) {
    main_thread = pthread_self();
    dispatch_queue_t queue = dispatch_get_main_queue();
    dispatch_queue_set_specific(queue, &mark, "main", NULL);

    static int run;
    for (int task = 1; task <= 3; task++) {
        dispatch_async(queue, ^{
          run++;
          say_where(task);
        });
    }
    printf("Three tasks are on the main queue; %d have run.\n", run);

    /* From any other queue results come together here. */
    dispatch_async(dispatch_get_global_queue(0, 0), ^{
      dispatch_async(queue, ^{
        printf("A task of another queue has sent this one; %d have run.\n",
               run);
        printf("On Linux dispatch_main drains the main queue on another "
               "thread: ask the\nqueue where you are, never the thread.\n");
        exit(0);
      });
    });
    dispatch_main(); /* never returns */
}
