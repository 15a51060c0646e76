/*
 * The four global queues, and the effect of their priorities on Linux.
 *
 * The guide: "Getting the Global Concurrent Dispatch Queues".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <sys/resource.h>

static const struct {
    const char *name;
    long priority;
} all[] = {{"HIGH", DISPATCH_QUEUE_PRIORITY_HIGH},
           {"DEFAULT", DISPATCH_QUEUE_PRIORITY_DEFAULT},
           {"LOW", DISPATCH_QUEUE_PRIORITY_LOW},
           {"BACKGROUND", DISPATCH_QUEUE_PRIORITY_BACKGROUND}};

int main(void) {
    for (int i = 0; i < 4; i++) {
        dispatch_queue_t queue = dispatch_get_global_queue(all[i].priority, 0);
        dispatch_group_t group = dispatch_group_create();
        dispatch_group_async(group, queue, ^{
          /* Of the calling thread: on Linux each thread has a nice value of its
             own. */
          int nice = getpriority(PRIO_PROCESS, 0);
          printf("%-10s runs on %s, at nice %d.\n", all[i].name,
                 dispatch_queue_get_label(queue), nice);
        });
        dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
        dispatch_release(group);
    }
    dispatch_queue_t once = dispatch_get_global_queue(0, 0);
    dispatch_queue_t twice = dispatch_get_global_queue(0, 0);
    printf("Asked for twice, a global queue is %s one.\n",
           once == twice ? "the same" : "another");
    printf("\nOn Linux a priority is a nice value, no order. HIGH needs the "
           "privilege to go\nbelow 0, and is the same as DEFAULT without it; "
           "LOW and BACKGROUND always work.\n");
    return 0;
}
