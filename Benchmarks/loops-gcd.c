/*
 * loops-gcd: the bodies of loops.h on libdispatch.
 *
 *     loops-gcd weir          weir_apply_f with the automatic stride
 *     loops-gcd apply STRIDE  dispatch_apply_f, STRIDE iterations a block
 *     loops-gcd plain         a plain loop on one thread
 */
#include "loops.h"

#include <weir.h>

static size_t stride;

/* loop_range_TINY and the others: a range of iterations. */
#define RANGE(body)                                                            \
    static void loop_range_##body(void *context, size_t begin, size_t end) {   \
        (void)context;                                                         \
        for (size_t i = begin; i < end; i++)                                   \
            loop_iteration(body, i);                                           \
    }                                                                          \
    static void loop_stride_##body(void *context, size_t number) {             \
        size_t begin = number * stride, count = loop_bodies[body].count;       \
        size_t end = begin + stride < count ? begin + stride : count;          \
        loop_range_##body(context, begin, end);                                \
    }

RANGE(TINY)
RANGE(LIGHT)
RANGE(HEAVY)
RANGE(IRREGULAR)
RANGE(SPIKES)

#define WEIR_LOOP(body)                                                        \
    weir_apply_f(loop_bodies[body].count, WEIR_STRIDE_AUTO, NULL, NULL,        \
                 loop_range_##body)
#define APPLY_LOOP(body)                                                       \
    dispatch_apply_f((loop_bodies[body].count + stride - 1) / stride, NULL,    \
                     NULL, loop_stride_##body)
#define PLAIN_LOOP(body) loop_range_##body(NULL, 0, loop_bodies[body].count)

static void by_weir(int body) { LOOP_RUN(body, WEIR_LOOP); }

static void by_apply(int body) { LOOP_RUN(body, APPLY_LOOP); }

static void plainly(int body) { LOOP_RUN(body, PLAIN_LOOP); }

int main(int count, char **arguments) {
    const char *means = count > 1 ? arguments[1] : "";
    stride = count > 2 ? (size_t)atoll(arguments[2]) : 1;
    if (strcmp(means, "weir") == 0)
        return loop_serve(by_weir);
    if (strcmp(means, "apply") == 0 && stride > 0)
        return loop_serve(by_apply);
    if (strcmp(means, "plain") == 0)
        return loop_serve(plainly);
    fputs("usage: loops-gcd weir | apply STRIDE | plain\n", stderr);
    return 2;
}
