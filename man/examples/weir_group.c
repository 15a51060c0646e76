/* Three parts of one job. The second one fails: its error is the result
   of the group, and parts that have not begun are dropped. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

static weir_group_t group;

static int part(void *context) {
    int number = *(const int *)context;
    if (number == 2)
        weir_group_fail(group, ENOSPC);
    return 0;
}

int main(void) {
    static int numbers[] = {1, 2, 3};
    int error = 0;
    group = weir_group_create("parts");
    if (!group) {
        perror("group");
        return 1;
    }
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    for (int i = 0; i < 3 && !error; i++)
        error = weir_group_async_f(group, queue, &numbers[i], part);
    if (error)
        weir_group_fail(group, error);
    error = weir_group_wait(group, DISPATCH_TIME_FOREVER);
    weir_group_release(group);
    printf("the job: %s\n", strerror(error));
    return fflush(stdout) || error != ENOSPC ? 1 : 0;
}
