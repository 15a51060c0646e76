/*
 * Striding: several iterations a block, and when it pays.
 *
 * The guide: "Performing Loop Iterations Concurrently", "Improving on Loop
 * Code".
 */
#include <dispatch/dispatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Calls the body for ranges that are together [0, count). */
static void apply_strided(size_t count, size_t stride,
                          void (^body)(size_t begin, size_t end)) {
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    dispatch_apply((count + stride - 1) / stride, queue, ^(size_t block) {
      size_t begin = block * stride;
      /* The last range is shorter if the stride does not divide the count. */
      size_t end = count - begin < stride ? count : begin + stride;
      body(begin, end);
    });
}

static void show_ranges(size_t count, size_t stride) {
    static size_t ends[64];
    size_t *last = ends;
    size_t blocks = (count + stride - 1) / stride;
    apply_strided(count, stride, ^(size_t begin, size_t end) {
      last[begin / stride] = end;
    });
    printf("%zu iterations with a stride of %zu are %zu blocks: 0 to %zu, ..., "
           "%zu to %zu.\n",
           count, stride, blocks, ends[0] - 1, (blocks - 1) * stride,
           ends[blocks - 1] - 1);
}

/* An iteration of so many steps; the result is kept so that the compiler drops
   no step. */
static uint32_t iteration(size_t i, int steps) {
    uint32_t x = (uint32_t)i + 1;
    for (int step = 0; step < steps; step++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

static double milliseconds(size_t count, int steps, size_t stride) {
    static uint32_t results[1000000];
    uint32_t *into = results;
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        apply_strided(count, stride, ^(size_t first, size_t last) {
          for (size_t i = first; i < last; i++)
              into[i] = iteration(i, steps);
        });
        clock_gettime(CLOCK_MONOTONIC, &end);
        double time = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                      (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
        if (time < best)
            best = time;
    }
    return best;
}

static void compare(const char *what, size_t count, int steps) {
    static const size_t strides[] = {1, 4, 16, 64};
    double one = 0;
    printf("\n%s\n", what);
    for (int i = 0; i < 4; i++) {
        double time = milliseconds(count, steps, strides[i]);
        if (i == 0)
            one = time;
        printf("  stride %2zu: %6.2f ms, %.1f times as fast\n", strides[i],
               time, one / time);
    }
}

int main(void) {
    show_ranges(100, 4);
    show_ranges(102, 4);
    compare("1,000,000 iterations of a few nanoseconds:", 1000000, 1);
    compare("1,000 iterations of some ten microseconds:", 1000, 5000);
    printf("\nStriding pays where an iteration costs about as much as handing "
           "it out.\n");
    return 0;
}
