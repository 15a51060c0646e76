/* A serial queue that owns a total: jobs add to it one after the other,
   without a lock, and the finalizer gets it in the end. */
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

static dispatch_semaphore_t ended;

static void add(void *context) {
    size_t *total =
        (size_t *)weir_queue_get_context((dispatch_queue_t)context);
    *total += 5;
}

static void finish(void *total) {
    printf("total %zu\n", *(size_t *)total);
    free(total);
    dispatch_semaphore_signal(ended);
}

int main(void) {
    ended = dispatch_semaphore_create(0);
    size_t *total = (size_t *)calloc(1, sizeof *total);
    dispatch_queue_t queue =
        total ? weir_queue_create("total", DISPATCH_QUEUE_SERIAL, total,
                                  finish)
              : NULL;
    if (!queue) {
        perror("queue");
        return 1;
    }
    for (int i = 0; i < 8; i++)
        dispatch_async_f(queue, queue, add);
    dispatch_release(queue); /* the jobs still run, then finish */
    dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
    return fflush(stdout) ? 1 : 0;
}
