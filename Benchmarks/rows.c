/*
 * rows: the curve of `weir-demo loops` by plain dispatch_apply_f, to compare
 * with that of the demo.
 *
 *     cc -O2 -o rows Benchmarks/rows.c -ldispatch
 *     rows mandelbrot|even SIZE ROUNDS
 *
 * SIZE is the note "SIZE of a row" of the demo's run. Prints the median time of
 * each stride in nanoseconds, 0 for the plain loop, and the nanoseconds of a
 * core that a block without work takes. The rows are those of
 * examples/demos/Sources/Demos/Models/LoopBody.swift.
 */
#include <dispatch/dispatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 2048, LIMIT = 32, LINE = 8, EMPTY = 20000, FORMS = 9 };

static uint64_t drawn[ROWS * LINE];
static size_t stride, size;
static int is_even;

static uint64_t escape(double real, double imaginary, uint64_t limit) {
    double x = 0, y = 0;
    uint64_t count = 0;
    while (count < limit && x * x + y * y <= 4) {
        double next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        count++;
    }
    return count;
}

static uint64_t row_iterations(size_t row) {
    double height = ((double)row + 0.5) / ROWS;
    if (is_even)
        return escape(-0.1, height / 1e3, size);
    uint64_t sum = 0;
    for (size_t column = 0; column < size; column++)
        sum += escape(-2.2 + 2.9 * ((double)column + 0.5) / (double)size,
                      1.3 - 1.4 * height, LIMIT);
    return sum;
}

static void draw_block(void *unused, size_t block) {
    (void)unused;
    size_t begin = block * stride, end = begin + stride;
    for (size_t row = begin; row < (end < ROWS ? end : ROWS); row++)
        drawn[row * LINE] += row_iterations(row);
}

static void draw_nothing(void *unused, size_t block) {
    (void)unused, (void)block;
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int compare(const void *one, const void *other) {
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    static const size_t strides[FORMS] = {0, 1, 4, 16, 64, 256, 1024, ROWS};
    static uint64_t times[FORMS][1000];
    size_t rounds = count == 4 ? (size_t)atoll(arguments[3]) : 0;
    if (rounds < 1 || rounds > 1000)
        return fputs("usage: rows mandelbrot|even SIZE ROUNDS\n", stderr), 2;
    is_even = strcmp(arguments[1], "even") == 0;
    size = (size_t)atoll(arguments[2]);
    for (size_t round = 0; round < rounds; round++)
        for (int form = 0; form < FORMS; form++) {
            stride = strides[form] ? strides[form] : ROWS;
            uint64_t begin = nanoseconds();
            if (form == FORMS - 1)
                dispatch_apply_f(EMPTY, DISPATCH_APPLY_AUTO, NULL,
                                 draw_nothing);
            else if (form == 0)
                draw_block(NULL, 0);
            else
                dispatch_apply_f((ROWS + stride - 1) / stride,
                                 DISPATCH_APPLY_AUTO, NULL, draw_block);
            times[form][round] = nanoseconds() - begin;
        }
    for (int form = 0; form < FORMS; form++) {
        qsort(times[form], rounds, sizeof times[form][0], compare);
        uint64_t time = times[form][rounds / 2];
        if (form == FORMS - 1)
            printf("a block %.1f\n", (double)time *
                                         (double)sysconf(_SC_NPROCESSORS_ONLN) /
                                         EMPTY);
        else
            printf("%zu %llu\n", strides[form], (unsigned long long)time);
    }
    return 0;
}
