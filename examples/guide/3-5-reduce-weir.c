/*
 * A concurrent loop with a result, the same to the last bit on any number of
 * cores.
 *
 *     clang -fblocks -O2 -o 3-5-reduce-weir 3-5-reduce-weir.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide's loops have no result: see "Performing Loop Iterations
 * Concurrently". A sum of doubles depends on the order of the additions;
 * weir_reduce splits the range and adds the partial sums in the same way each
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

static double harmonic_sum(size_t count, dispatch_queue_t queue) {
    double sum = 0;
    int error = weir_reduce(
        count, WEIR_STRIDE_AUTO, queue, &sum, sizeof sum,
        ^(size_t begin, size_t end, void *partial) {
          double *part = partial;
          for (size_t i = begin; i < end; i++)
              *part += 1 / (double)(i + 1);
        },
        ^(void *result, const void *partial) {
          *(double *)result += *(const double *)partial;
        });
    if (error)
        abort(); /* no memory */
    return sum;
}

int main(void) {
    double sum = harmonic_sum(1000000, NULL);
    printf("1/1 + 1/2 + ... + 1/1,000,000 = %.15f\n", sum);

    int same = 0;
    for (int round = 0; round < 10; round++)
        same += harmonic_sum(1000000, NULL) == sum;
    printf("Ten times more, on all cores: %d times the same to the last bit.\n",
           same);

    dispatch_queue_t serial = dispatch_queue_create("com.example.serial", NULL);
    printf("On a serial queue: %s.\n",
           harmonic_sum(1000000, serial) == sum ? "the same" : "another");
    dispatch_release(serial);
    return 0;
}
