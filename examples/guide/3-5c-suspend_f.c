/*
 * Suspend and resume, without blocks: they nest, and take effect between tasks.
 *
 *     gcc -o 3-5c-suspend_f 3-5c-suspend_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Suspending and Resuming Queues".
 */
#include <stdatomic.h>
#include <stdio.h>
#include <weir/libdispatch.h>

static atomic_int run;

static void count(void *context) {
    (void)context;
    atomic_fetch_add(&run, 1);
}

static void say_how_many(void *context) {
    printf("%s: %d have run.\n", (char *)context, atomic_load(&run));
}

struct slow_task {
    dispatch_semaphore_t begun;
    dispatch_semaphore_t go_on;
    dispatch_semaphore_t ended;
};

static void run_slowly(void *context) {
    struct slow_task *task = context;
    dispatch_semaphore_signal(task->begun);
    dispatch_semaphore_wait(task->go_on, DISPATCH_TIME_FOREVER);
    printf("Suspended while it ran: task one goes on to its end.\n");
    dispatch_semaphore_signal(task->ended);
}

int main(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.valve", NULL);

    dispatch_suspend(queue);
    dispatch_suspend(queue);
    for (int i = 0; i < 3; i++)
        dispatch_async_f(queue, NULL, count);
    say_how_many("Suspended twice, with three tasks");
    dispatch_resume(queue);
    say_how_many("Resumed once");
    dispatch_resume(queue);
    dispatch_sync_f(queue, "Resumed twice", say_how_many);

    /* A running task is not stopped. */
    struct slow_task task = {dispatch_semaphore_create(0),
                             dispatch_semaphore_create(0),
                             dispatch_semaphore_create(0)};
    dispatch_async_f(queue, &task, run_slowly);
    dispatch_async_f(queue, NULL, count);
    dispatch_semaphore_wait(task.begun, DISPATCH_TIME_FOREVER);
    dispatch_suspend(queue);
    dispatch_semaphore_signal(task.go_on);
    dispatch_semaphore_wait(task.ended, DISPATCH_TIME_FOREVER);
    say_how_many("Task two waits for the resume");
    dispatch_resume(queue);
    dispatch_sync_f(queue, "Resumed", say_how_many);

    dispatch_release(task.begun);
    dispatch_release(task.go_on);
    dispatch_release(task.ended);
    dispatch_release(queue); /* suspended, this would be a trap */
    return 0;
}
