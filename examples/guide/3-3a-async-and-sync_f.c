/*
 * Adding tasks, without blocks: dispatch_async_f returns at once,
 * dispatch_sync_f waits.
 *
 *     gcc -o 3-3a-async-and-sync_f 3-3a-async-and-sync_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Adding a Single Task to a Queue".
 */
#include <pthread.h>
#include <stdio.h>
#include <weir/libdispatch.h>

static pthread_t caller;

static void say(void *context) {
    printf("%s, on %s thread.\n", (char *)context,
           pthread_equal(caller, pthread_self()) ? "the caller's" : "another");
}

int main(void) {
    caller = pthread_self();
    dispatch_queue_t queue = dispatch_queue_create("com.example.tasks", NULL);

    dispatch_async_f(queue, "Task one", say);
    /* This line may come before or after it. */
    printf("Task one may or may not have run.\n");

    dispatch_sync_f(queue, "Task two", say);
    printf("Both tasks have run.\n");
    dispatch_release(queue);
    return 0;
}
