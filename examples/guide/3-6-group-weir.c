/*
 * A group whose tasks have results: the first error is kept, and a group can
 * be cancelled.
 *
 *     clang -fblocks -o 3-6-group-weir 3-6-group-weir.c \
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

static void keep_the_first_error(dispatch_queue_t queue) {
    static const int results[] = {0, ENOENT, 0, EACCES};
    const int *result = results;
    weir_group_t group = create("with errors");
    for (int task = 0; task < 4; task++) {
        check(weir_group_async(group, queue, ^int {
          return result[task];
        }));
    }
    int error = weir_group_wait(group, DISPATCH_TIME_FOREVER);
    printf("Of four tasks the second and the fourth fail; the group says: "
           "%s.\n",
           strerror(error));
    weir_group_release(group);
}

static void cancel(dispatch_queue_t queue) {
    static int whole, skipped;
    weir_group_t group = create("cancelled");
    for (int task = 0; task < 5; task++) {
        check(weir_group_async(group, queue, ^int {
          if (weir_group_cancelled(group)) {
              skipped++;
              return 0;
          }
          whole++;
          if (task == 1)
              weir_group_cancel(group); /* the rest is not needed */
          return 0;
        }));
    }
    dispatch_semaphore_t told = dispatch_semaphore_create(0);
    check(weir_group_notify(group, queue, ^(int result) {
      printf("Five tasks, the second cancels: %d done, %d skipped; the "
             "group says: %s.\n",
             whole, skipped, strerror(result));
      dispatch_semaphore_signal(told);
    }));
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
    printf("Outstanding now: %zu.\n", weir_group_outstanding(group));
    dispatch_release(told);
    weir_group_release(group);
}

int main(void) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.group", NULL);
    keep_the_first_error(queue);
    cancel(queue);
    dispatch_release(queue);
    return 0;
}
