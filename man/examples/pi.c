/* pi: adds ten million strips of a quarter circle on all cores. The sum
   is the same, to the last bit, on any number of cores. */
#include <stdio.h>
#include <string.h>
#include <weir.h>

#define STRIPS ((size_t)10000000)

/* Adds the strips [begin, end) to one partial sum, on any core. */
static void add(void *context, size_t begin, size_t end,
                void *partial) {
    double *sum = (double *)partial;
    (void)context;
    for (size_t i = begin; i < end; i++) {
        double x = ((double)i + 0.5) / (double)STRIPS;
        *sum += 4 / (1 + x * x);
    }
}

/* Adds one partial sum to the result, in order, on one thread. */
static void combine(void *context, void *result, const void *partial) {
    (void)context;
    *(double *)result += *(const double *)partial;
}

int main(void) {
    double sum = 0;
    int error = weir_reduce_f(STRIPS, WEIR_STRIDE_AUTO, NULL, NULL,
                              &sum, sizeof sum, add, combine);
    if (error) {
        fprintf(stderr, "pi: %s\n", strerror(error));
        return 1;
    }
    printf("%.10f\n", sum / (double)STRIPS);
    return fflush(stdout) ? 1 : 0;
}
