/* Twelve uploads of 1 to 3 MB each, of which at most 4 MB are in memory
   at once. The permits are taken before a thread is: none waits. */
#include <stdio.h>
#include <string.h>
#include <weir.h>

static dispatch_group_t all;

static void upload(void *context) {
    (void)context; /* the permits are returned when this returns */
    dispatch_group_leave(all);
}

int main(void) {
    weir_gate_t memory = weir_gate_create("megabytes", 4);
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    all = dispatch_group_create();
    if (!memory) {
        perror("gate");
        return 1;
    }
    for (size_t i = 0; i < 12; i++) {
        dispatch_group_enter(all);
        int error =
            weir_gate_async_f(memory, 1 + i % 3, queue, NULL, upload);
        if (error) {
            fprintf(stderr, "gate: %s\n", strerror(error));
            return 1;
        }
    }
    dispatch_group_wait(all, DISPATCH_TIME_FOREVER);
    weir_gate_stats_t stats;
    weir_gate_stats(memory, &stats, sizeof stats);
    weir_gate_release(memory);
    printf("%s\n",
           stats.peak <= 4 ? "never more than 4 MB" : "too much");
    return fflush(stdout) || stats.peak > 4 ? 1 : 0;
}
