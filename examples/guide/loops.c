/*
 * loops: the concurrent loop, to teach with. The same loop plain, concurrent
 * and with strides from 1 to 1,024: the thread of each iteration, and the times
 * side by side.
 *
 *     clang -fblocks -O2 -o loops loops.c \
 *         $(pkg-config --cflags --libs weir)
 *
 *     ./loops           1,048,576 iterations of some nanoseconds
 *     ./loops 40        the same with 40 steps each, where 4 are usual
 *
 * Guess first, then run it: which stride is best? Which is best with 40 steps?
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weir.h>

enum { COUNT = 1048576, PIECES = 32, ROUNDS = 5, BAR = 20 };

static int steps = 4;
static uint32_t results[COUNT];
static char who[COUNT];

/* A letter for each thread, in the order of their first use. */
static char my_letter(void) {
    static atomic_int threads;
    static _Thread_local char letter;
    if (!letter) {
        int number = atomic_fetch_add(&threads, 1);
        letter = number < 26 ? (char)('A' + number) : '?';
    }
    return letter;
}

static void run_range(size_t begin, size_t end) {
    char letter = my_letter();
    for (size_t i = begin; i < end; i++) {
        uint32_t x = (uint32_t)i + 1;
        for (int step = 0; step < steps; step++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        results[i] = x;
        who[i] = letter;
    }
}

/* ---- the ways --------------------------------------------------------- */

static void plain(size_t stride) {
    (void)stride;
    run_range(0, COUNT);
}

static void strided(size_t stride) {
    dispatch_apply(COUNT / stride, dispatch_get_global_queue(0, 0),
                   ^(size_t block) {
                     run_range(block * stride, (block + 1) * stride);
                   });
}

static void chosen(size_t stride) {
    (void)stride;
    weir_apply(COUNT, WEIR_STRIDE_AUTO, NULL, ^(size_t begin, size_t end) {
      run_range(begin, end);
    });
}

/* ---- the table -------------------------------------------------------- */

static uint32_t sum(void) {
    uint32_t total = 0;
    for (int i = 0; i < COUNT; i++)
        total += results[i];
    return total;
}

struct row {
    char name[24];
    char letters[PIECES + 1];
    double time;
    uint32_t sum;
};

/* The best of some rounds, and the thread of each iteration in it. */
static struct row measure(void (*way)(size_t), size_t stride) {
    struct row row = {.time = 1e9};
    for (int round = 0; round < ROUNDS; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        way(stride);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double time = (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                      (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
        if (time >= row.time)
            continue;
        row.time = time;
        for (int piece = 0; piece < PIECES; piece++)
            row.letters[piece] = who[piece * (COUNT / PIECES)];
    }
    row.sum = sum();
    return row;
}

int main(int argc, char **argv) {
    struct row rows[16];
    int count = 0;
    if (argc > 1)
        steps = atoi(argv[1]);
    my_letter(); /* main is A */

    rows[count] = measure(plain, 0);
    strcpy(rows[count++].name, "plain for");
    for (size_t stride = 1; stride <= 1024; stride *= 2) {
        rows[count] = measure(strided, stride);
        snprintf(rows[count].name, sizeof rows[count].name, "stride %4zu",
                 stride);
        count++;
    }
    rows[count] = measure(chosen, 0);
    strcpy(rows[count++].name, "Weir's auto");

    double longest = 0;
    int same = 0;
    for (int i = 0; i < count; i++) {
        longest = rows[i].time > longest ? rows[i].time : longest;
        same += rows[i].sum == rows[0].sum;
    }
    printf("%d iterations of %d steps; a letter is the thread that began "
           "%d of\nthem, A is main.\n\n",
           COUNT, steps, COUNT / PIECES);
    for (int i = 0; i < count; i++) {
        int bar = (int)(rows[i].time / longest * (double)BAR + 0.5);
        printf("%-12s %s %8.3f ms %.*s\n", rows[i].name, rows[i].letters,
               rows[i].time, bar > 0 ? bar : 1, "####################");
    }
    printf("\nA row with one letter: the other threads got no processor in "
           "time.\n%d of %d ways have the same result.\n",
           same, count);
    return 0;
}
