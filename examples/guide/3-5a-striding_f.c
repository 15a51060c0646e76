/*
 * Striding without blocks: several iterations a call, and when it pays.
 *
 *     gcc -O2 -o 3-5a-striding_f 3-5a-striding_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Performing Loop Iterations Concurrently", "Improving on Loop
 * Code".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weir/libdispatch.h>

struct loop {
    size_t count;
    size_t stride;
    void *context;
    void (*body)(void *context, size_t begin, size_t end);
};

static void run_range(void *context, size_t block) {
    const struct loop *loop = context;
    size_t begin = block * loop->stride;
    /* The last range is shorter if the stride does not divide the count. */
    size_t end =
        loop->count - begin < loop->stride ? loop->count : begin + loop->stride;
    loop->body(loop->context, begin, end);
}

/* Calls the body for ranges that are together [0, count). */
static void apply_strided(size_t count, size_t stride, void *context,
                          void (*body)(void *, size_t begin, size_t end)) {
    struct loop loop = {count, stride, context, body};
    dispatch_apply_f((count + stride - 1) / stride,
                     dispatch_get_global_queue(0, 0), &loop, run_range);
}

struct ranges {
    size_t stride;
    size_t ends[64];
};

static void note_end(void *context, size_t begin, size_t end) {
    struct ranges *ranges = context;
    ranges->ends[begin / ranges->stride] = end;
}

static void show_ranges(size_t count, size_t stride) {
    struct ranges ranges = {.stride = stride};
    size_t blocks = (count + stride - 1) / stride;
    apply_strided(count, stride, &ranges, note_end);
    printf("%zu iterations with a stride of %zu are %zu blocks: 0 to %zu, ..., "
           "%zu to %zu.\n",
           count, stride, blocks, ranges.ends[0] - 1, (blocks - 1) * stride,
           ranges.ends[blocks - 1] - 1);
}

struct work {
    int steps;
    uint32_t *results;
};

/* Iterations of so many steps; the results are kept so that the compiler drops
   no step. */
static void iterate(void *context, size_t begin, size_t end) {
    const struct work *work = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t x = (uint32_t)i + 1;
        for (int step = 0; step < work->steps; step++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        work->results[i] = x;
    }
}

static double milliseconds(size_t count, int steps, size_t stride) {
    static uint32_t results[1000000];
    struct work work = {steps, results};
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        apply_strided(count, stride, &work, iterate);
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
