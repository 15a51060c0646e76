/*
 * Listing 3-6: waiting for a group of tasks.
 *
 * The guide: "Waiting on Groups of Queued Tasks".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>

int main(void) {
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    dispatch_group_t group = dispatch_group_create();

    static long sums[3];
    for (int task = 0; task < 3; task++) {
        dispatch_group_async(group, queue, ^{
          for (long n = task * 1000; n < (task + 1) * 1000; n++)
              sums[task] += n;
        });
    }
    printf("Three tasks are in the group; main does something else.\n");
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("All have ended: 0 to 2,999 make %ld.\n",
           sums[0] + sums[1] + sums[2]);

    /* A wait with a time-out returns 0 if all had ended. */
    dispatch_semaphore_t may_end = dispatch_semaphore_create(0);
    dispatch_group_async(group, queue, ^{
      dispatch_semaphore_wait(may_end, DISPATCH_TIME_FOREVER);
    });
    long late = dispatch_group_wait(group, DISPATCH_TIME_NOW);
    printf("With a task that waits: %s.\n", late ? "not yet" : "ended");

    /* Instead of waiting: a task for that time. */
    dispatch_semaphore_t told = dispatch_semaphore_create(0);
    dispatch_group_notify(group, queue, ^{
      printf("The group is empty: this was submitted.\n");
      dispatch_semaphore_signal(told);
    });
    dispatch_semaphore_signal(may_end);
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);

    /* For work that is no task of a queue, count by hand, in pairs. */
    dispatch_group_enter(group);
    dispatch_after(DISPATCH_TIME_NOW, queue, ^{
      dispatch_group_leave(group);
    });
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("Entered and left once: empty again.\n");

    dispatch_release(told);
    dispatch_release(may_end);
    dispatch_release(group);
    return 0;
}
