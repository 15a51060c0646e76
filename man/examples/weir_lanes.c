/* A hundred jobs, four at once. Each lane counts in a context of its
   own, without a lock; the counts are added when no job runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

static void *make_count(void *user, size_t lane) {
    (void)user, (void)lane;
    return calloc(1, sizeof(size_t));
}

static void job(void *context, void *lane_context) {
    size_t *count = (size_t *)lane_context;
    (void)context;
    if (count)
        ++*count;
}

static void add(void *user, void *lane_context) {
    if (lane_context)
        *(size_t *)user += *(size_t *)lane_context;
}

int main(void) {
    static weir_lanes_options_t options; /* zero is each default */
    options.label = "counters";
    options.width = 4;
    options.backlog = 16; /* more jobs make the submit wait */
    options.lane_create = make_count;
    options.lane_destroy = free;
    weir_lanes_t lanes = weir_lanes_create(&options);
    int error = lanes ? 0 : errno;
    size_t sum = 0;
    for (int i = 0; i < 100 && !error; i++)
        error = weir_lanes_async_f(lanes, NULL, job);
    if (lanes) {
        weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
        if (!error)
            error = weir_lanes_each(lanes, &sum, add);
        weir_lanes_release(lanes);
    }
    if (error) {
        fprintf(stderr, "lanes: %s\n", strerror(error));
        return 1;
    }
    printf("%zu jobs\n", sum);
    return fflush(stdout) ? 1 : 0;
}
