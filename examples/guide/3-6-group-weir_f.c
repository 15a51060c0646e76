/*
 * A group whose tasks have results, without blocks: the first error is kept,
 * and a group can be cancelled.
 *
 *     gcc -o 3-6-group-weir_f 3-6-group-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Waiting on Groups of Queued Tasks", listing 3-6.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

static void check(int error) {
    if (error)
        abort(); /* no memory */
}

static weir_group_t create(const char *label) {
    weir_group_t group = weir_group_create(label);
    if (!group)
        abort();
    return group;
}

static int give_result(void *context) { return *(const int *)context; }

static void keep_the_first_error(dispatch_queue_t queue) {
    int results[] = {0, ENOENT, 0, EACCES};
    weir_group_t group = create("with errors");
    for (int task = 0; task < 4; task++)
        check(weir_group_async_f(group, queue, &results[task], give_result));
    int error = weir_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("Of four tasks the second and the fourth fail; the group says: "
           "%s.\n",
           strerror(error));
    weir_group_release(group);
}

struct run {
    weir_group_t group;
    dispatch_semaphore_t told;
    int whole;
    int skipped;
};

static int work_unless_cancelled(void *context) {
    struct run *run = context;
    if (weir_group_cancelled(run->group)) {
        run->skipped++;
        return 0;
    }
    if (++run->whole == 2)
        weir_group_cancel(run->group); /* the rest is not needed */
    return 0;
}

static void report(void *context, int result) {
    struct run *run = context;
    printf("Five tasks, the second cancels: %d done, %d skipped; the group "
           "says: %s.\n",
           run->whole, run->skipped, strerror(result));
    dispatch_semaphore_signal(run->told);
}

static void cancel(dispatch_queue_t queue) {
    struct run run = {create("cancelled"), dispatch_semaphore_create(0), 0, 0};
    for (int task = 0; task < 5; task++)
        check(
            weir_group_async_f(run.group, queue, &run, work_unless_cancelled));
    check(weir_group_notify_f(run.group, queue, &run, report));
    dispatch_semaphore_wait(run.told, DISPATCH_TIME_FOREVER);
    printf("Outstanding now: %zu.\n", weir_group_outstanding(run.group));
    dispatch_release(run.told);
    weir_group_release(run.group);
}

int main(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.group", NULL);
    keep_the_first_error(queue);
    cancel(queue);
    dispatch_release(queue);
    return 0;
}
