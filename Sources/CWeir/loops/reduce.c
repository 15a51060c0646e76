/*
 * reduce.c: concurrent loops that compute one value.
 *
 * DESIGN. The result must be the same to the last bit on any number of cores,
 * so neither the bounds of the ranges nor the order in which results are
 * combined may depend on the speed of a worker. One partial result a worker
 * would need less memory, but a sum of floating-point numbers would differ each
 * time; a tree of partial results saves nothing at 1,024. Each worker adds to a
 * partial result of its own, cache lines away from the others, and copies it
 * into the array once, when the range is done.
 */
#include "base/internal.h"
#include "system/cores.h"

#include <weir/apply.h>

#include "loops/ranges.h"

/* The most ranges of the automatic stride: combining them does not show. */
#define AUTO_RANGES_MAX ((size_t)1024)

/* Two cache lines: processors fetch them in pairs. */
#define APART ((size_t)128)

struct reduction {
    size_t count;
    size_t stride;
    size_t ranges;
    size_t workers;
    void *context;
    const void *neutral;
    size_t size;
    size_t scratch_size; /* `size` in whole pairs of cache lines */
    char *scratch;       /* one a worker */
    char *partials;      /* one a range */
    void (*body)(void *context, size_t begin, size_t end, void *partial);
    _Atomic size_t next;
};

static void run_reduction_worker(void *context, size_t worker,
                                 size_t end_of_worker) {
    (void)end_of_worker;
    struct reduction *reduction = context;
    size_t size = reduction->size;
    void *partial = reduction->scratch + worker * reduction->scratch_size;
    for (;;) {
        size_t range = add_relaxed(&reduction->next, 1);
        if (range >= reduction->ranges) {
            return;
        }
        memcpy(partial, reduction->neutral, size);
        reduction->body(
            reduction->context, range * reduction->stride,
            weir__range_end(reduction->count, reduction->stride, range),
            partial);
        memcpy(reduction->partials + range * size, partial, size);
    }
}

/* Allocates the partial results of the workers, then those of the ranges. */
static int allocate_partials(struct reduction *reduction) {
    size_t size = reduction->size, scratch, partials, all;
    if (__builtin_add_overflow(size, APART - 1, &reduction->scratch_size)) {
        return ENOMEM;
    }
    reduction->scratch_size -= reduction->scratch_size % APART;
    if (__builtin_mul_overflow(reduction->workers, reduction->scratch_size,
                               &scratch) ||
        __builtin_mul_overflow(reduction->ranges, size, &partials) ||
        __builtin_add_overflow(partials, APART - 1, &partials) ||
        __builtin_add_overflow(scratch, partials - partials % APART, &all) ||
        all > PTRDIFF_MAX) {
        return ENOMEM;
    }
    reduction->scratch = aligned_alloc(APART, all);
    if (!reduction->scratch) {
        return ENOMEM;
    }
    reduction->partials = reduction->scratch + scratch;
    return 0;
}

int weir_reduce_f(size_t count, size_t stride, dispatch_queue_t queue,
                  void *context, void *result, size_t size,
                  void (*body)(void *context, size_t begin, size_t end,
                               void *partial),
                  void (*combine)(void *context, void *result,
                                  const void *partial)) {
    if (size == 0) {
        return EINVAL;
    }
    if (stride == WEIR_STRIDE_AUTO) {
        stride = count == 0 ? 1 : (count - 1) / AUTO_RANGES_MAX + 1;
    }
    size_t ranges = weir__ranges(count, stride), cores = weir__cores();
    struct reduction reduction = {
        .count = count,
        .stride = stride,
        .ranges = ranges,
        .workers = ranges < cores ? ranges : cores,
        .context = context,
        .neutral = result,
        .size = size,
        .body = body,
    };
    int error = count == 0 ? 0 : allocate_partials(&reduction);
    if (error != 0) {
        return error;
    }
    weir_apply_f(reduction.workers, 1, queue, &reduction, run_reduction_worker);
    for (size_t range = 0; range < ranges; range++) {
        combine(context, result, reduction.partials + range * size);
    }
    free(reduction.scratch);
    return 0;
}

#ifdef __BLOCKS__
struct blocks {
    void (^body)(size_t begin, size_t end, void *partial);
    void (^combine)(void *result, const void *partial);
};

static void call_reduce_body(void *context, size_t begin, size_t end,
                             void *partial) {
    ((struct blocks *)context)->body(begin, end, partial);
}

static void call_combine(void *context, void *result, const void *partial) {
    ((struct blocks *)context)->combine(result, partial);
}

int weir_reduce(size_t count, size_t stride, dispatch_queue_t queue,
                void *result, size_t size,
                void (^body)(size_t begin, size_t end, void *partial),
                void (^combine)(void *result, const void *partial)) {
    struct blocks blocks = {body, combine};
    return weir_reduce_f(count, stride, queue, &blocks, result, size,
                         call_reduce_body, call_combine);
}
#endif
