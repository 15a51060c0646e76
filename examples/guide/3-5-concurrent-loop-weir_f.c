/*
 * A concurrent loop in ranges, without blocks: the stride is an argument, or
 * Weir's choice.
 *
 *     gcc -O2 -o 3-5-concurrent-loop-weir_f 3-5-concurrent-loop-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Performing Loop Iterations Concurrently", listing 3-5, and
 * "Improving on Loop Code".
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <weir.h>

enum { COUNT = 1000000 };

struct tally {
    atomic_size_t calls;
    atomic_size_t iterations;
};

static void count_range(void *context, size_t begin, size_t end) {
    struct tally *tally = context;
    atomic_fetch_add(&tally->calls, 1);
    atomic_fetch_add(&tally->iterations, end - begin);
}

static void show_ranges(void) {
    struct tally tally = {0};
    weir_apply_f(100, 4, NULL, &tally, count_range);
    printf("100 iterations with a stride of 4: %zu calls, %zu iterations.\n",
           (size_t)tally.calls, (size_t)tally.iterations);
}

static void multiply(void *context, size_t begin, size_t end) {
    uint32_t *results = context;
    for (size_t i = begin; i < end; i++)
        results[i] = (uint32_t)i * 2654435761u;
}

static void show_time(const char *name, size_t stride) {
    static uint32_t results[COUNT];
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        weir_apply_f(COUNT, stride, NULL, results, multiply);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double time = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                      (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
        if (time < best)
            best = time;
    }
    printf("1,000,000 tiny iterations, %s: %.2f ms.\n", name, best);
}

static bool look_for_5000(void *context, size_t begin, size_t end) {
    atomic_fetch_add((atomic_size_t *)context, end - begin);
    /* The search succeeded: no further range begins. */
    return !(begin <= 5000 && 5000 < end);
}

static void show_stop(void) {
    atomic_size_t run = 0;
    bool whole = weir_apply_while_f(COUNT, 10, NULL, &run, look_for_5000);
    printf("Looking for 5,000: the loop %s, with less than a tenth of it "
           "run: %s.\n",
           whole ? "ran to its end" : "stopped",
           atomic_load(&run) < COUNT / 10 ? "yes" : "no");
}

int main(void) {
    show_ranges();
    show_time("one at a time", 1);
    show_time("a stride of 256", 256);
    show_time("WEIR_STRIDE_AUTO", WEIR_STRIDE_AUTO);
    show_stop();
    return 0;
}
