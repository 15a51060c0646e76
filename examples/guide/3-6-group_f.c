/*
 * Listing 3-6 without blocks: waiting for a group of tasks.
 *
 * The guide: "Waiting on Groups of Queued Tasks".
 */
#include <stdio.h>
#include <weir/libdispatch.h>

struct part {
    long begin;
    long end;
    long sum;
};

static void add_up(void *context) {
    struct part *part = context;
    for (long n = part->begin; n < part->end; n++)
        part->sum += n;
}

static void wait_for(void *context) {
    dispatch_semaphore_wait((dispatch_semaphore_t)context,
                            DISPATCH_TIME_FOREVER);
}

static void tell(void *context) {
    printf("The group is empty: this was submitted.\n");
    dispatch_semaphore_signal((dispatch_semaphore_t)context);
}

static void leave(void *context) {
    dispatch_group_leave((dispatch_group_t)context);
}

int main(void) {
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    dispatch_group_t group = dispatch_group_create();

    struct part parts[3] = {{0, 1000, 0}, {1000, 2000, 0}, {2000, 3000, 0}};
    for (int task = 0; task < 3; task++)
        dispatch_group_async_f(group, queue, &parts[task], add_up);
    printf("Three tasks are in the group; main does something else.\n");
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("All have ended: 0 to 2,999 make %ld.\n",
           parts[0].sum + parts[1].sum + parts[2].sum);

    /* A wait with a time-out returns 0 if all had ended. */
    dispatch_semaphore_t may_end = dispatch_semaphore_create(0);
    dispatch_group_async_f(group, queue, may_end, wait_for);
    long late = dispatch_group_wait(group, DISPATCH_TIME_NOW);
    printf("With a task that waits: %s.\n", late ? "not yet" : "ended");

    /* Instead of waiting: a task for that time. */
    dispatch_semaphore_t told = dispatch_semaphore_create(0);
    dispatch_group_notify_f(group, queue, told, tell);
    dispatch_semaphore_signal(may_end);
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);

    /* For work that is no task of a queue, count by hand, in pairs. */
    dispatch_group_enter(group);
    dispatch_after_f(DISPATCH_TIME_NOW, queue, group, leave);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("Entered and left once: empty again.\n");

    dispatch_release(told);
    dispatch_release(may_end);
    dispatch_release(group);
    return 0;
}
