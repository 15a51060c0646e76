/*
 * A concurrent loop in ranges: the stride is an argument, or Weir's choice.
 *
 *     clang -fblocks -O2 -o 3-5-concurrent-loop-weir \
 *         3-5-concurrent-loop-weir.c $(pkg-config --cflags --libs weir)
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

static void show_ranges(void) {
    static atomic_size_t calls, iterations;
    weir_apply(100, 4, NULL, ^(size_t begin, size_t end) {
      atomic_fetch_add(&calls, 1);
      atomic_fetch_add(&iterations, end - begin);
    });
    printf("100 iterations with a stride of 4: %zu calls, %zu iterations.\n",
           (size_t)calls, (size_t)iterations);
}

static void show_time(const char *name, size_t stride) {
    static uint32_t results[COUNT];
    uint32_t *into = results;
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        weir_apply(COUNT, stride, NULL, ^(size_t first, size_t last) {
          for (size_t i = first; i < last; i++)
              into[i] = (uint32_t)i * 2654435761u;
        });
        clock_gettime(CLOCK_MONOTONIC, &end);
        double time = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                      (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
        if (time < best)
            best = time;
    }
    printf("1,000,000 tiny iterations, %s: %.2f ms.\n", name, best);
}

static void show_stop(void) {
    static atomic_size_t run;
    bool whole =
        weir_apply_while(COUNT, 10, NULL, ^bool(size_t begin, size_t end) {
          atomic_fetch_add(&run, end - begin);
          /* The search succeeded: no further range begins. */
          return !(begin <= 5000 && 5000 < end);
        });
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
