/*
 * The main queue, without blocks: nothing on it runs until dispatch_main
 * drains it.
 *
 *     gcc -o 3-5b-main-queue_f 3-5b-main-queue_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Performing Tasks on the Main Thread".
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir/libdispatch.h>

static pthread_t main_thread;
static char mark;
static int run;

static void say_where(void *context) {
    run++;
    printf("Task %d: on the main queue: %s; on the main thread: %s.\n",
           (int)(intptr_t)context, dispatch_get_specific(&mark) ? "yes" : "no",
           pthread_equal(main_thread, pthread_self()) ? "yes" : "no");
}

static void finish(void *context) {
    (void)context;
    printf("A task of another queue has sent this one; %d have run.\n", run);
    printf("On Linux dispatch_main drains the main queue on another thread: "
           "ask the\nqueue where you are, never the thread.\n");
    exit(0);
}

static void send_to_main(void *context) {
    dispatch_async_f(dispatch_get_main_queue(), context, finish);
}

int main(void) {
    main_thread = pthread_self();
    dispatch_queue_t queue = dispatch_get_main_queue();
    dispatch_queue_set_specific(queue, &mark, "main", NULL);

    for (intptr_t task = 1; task <= 3; task++)
        dispatch_async_f(queue, (void *)task, say_where);
    printf("Three tasks are on the main queue; %d have run.\n", run);

    /* From any other queue results come together here. */
    dispatch_async_f(dispatch_get_global_queue(0, 0), NULL, send_to_main);
    dispatch_main(); /* never returns */
}
