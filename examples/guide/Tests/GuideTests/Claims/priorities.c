/*
 * priorities: the nice values that the threads of the four global queues have
 * in a process without privilege: HIGH, DEFAULT, LOW, BACKGROUND; and whether
 * the quality of service above HIGH's has a queue of its own.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <weir/libdispatch.h>

static void print_nice(void *context) {
    (void)context;
    printf("%d ", getpriority(PRIO_PROCESS, 0));
}

int main(void) {
    static const long priorities[] = {
        DISPATCH_QUEUE_PRIORITY_HIGH, DISPATCH_QUEUE_PRIORITY_DEFAULT,
        DISPATCH_QUEUE_PRIORITY_LOW, DISPATCH_QUEUE_PRIORITY_BACKGROUND};
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        return 1;
    /* A limit above 20 would be a privilege. */
    setrlimit(RLIMIT_NICE, &(struct rlimit){0, 0});
    for (int i = 0; i < 4; i++) {
        dispatch_group_t group = dispatch_group_create();
        dispatch_group_async_f(group,
                               dispatch_get_global_queue(priorities[i], 0),
                               NULL, print_nice);
        dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    }
    printf("\n%s\n",
           dispatch_get_global_queue(QOS_CLASS_USER_INTERACTIVE, 0) ==
                   dispatch_get_global_queue(QOS_CLASS_USER_INITIATED, 0)
               ? "the same queue"
               : "a queue of its own");
    return 0;
}
