/*
 * apply.c: concurrent loops with striding.
 *
 * DESIGN. dispatch_apply_f starts one worker a core, and each claims the next
 * range with one atomic addition until none is left. Handing each range to
 * dispatch_apply as an iteration of its own was rejected: it claims them in
 * the same way, but could not be stopped early without running through the
 * rest, and a stride that adapts to what the ranges cost (the next version's)
 * has no fixed number of them.
 */
#include "internal.h"

#include <weir/apply.h>

/* As automatic stride, the smallest that makes at most so many ranges: few
   enough that claiming one (20 ns under contention) does not show for bodies
   of a nanosecond, enough of them that an uneven load spreads. */
#define AUTO_RANGES_MAX ((size_t)1024)

struct loop {
    size_t count;
    size_t stride;
    void *context;
    void (*body)(void *context, size_t begin, size_t end);
    bool (*body_while)(void *context, size_t begin, size_t end);
    _Atomic size_t next;
    _Atomic bool stopped;
};

static void run_ranges(void *context, size_t worker) {
    (void)worker;
    struct loop *loop = context;
    while (!atomic_load_explicit(&loop->stopped, memory_order_relaxed)) {
        /* In ranges, not indices: count + workers * stride might not fit. */
        size_t range =
            atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (range > (loop->count - 1) / loop->stride) {
            return;
        }
        size_t begin = range * loop->stride;
        size_t left = loop->count - begin;
        size_t end = begin + (left < loop->stride ? left : loop->stride);
        if (loop->body) {
            loop->body(loop->context, begin, end);
        } else if (!loop->body_while(loop->context, begin, end)) {
            atomic_store_explicit(&loop->stopped, true, memory_order_relaxed);
        }
    }
}

static void run(struct loop *loop, dispatch_queue_t queue) {
    if (queue && weir__on_serial_queue(queue)) {
        weir__misuse("a concurrent loop was started on the serial queue "
                     "\"%s\" from a job on that queue, which it would wait for "
                     "forever; pass another queue, or NULL",
                     dispatch_queue_get_label(queue));
    }
    if (loop->count == 0) {
        return;
    }
    if (loop->stride == WEIR_STRIDE_AUTO) {
        loop->stride = (loop->count - 1) / AUTO_RANGES_MAX + 1;
    }
    size_t ranges = (loop->count - 1) / loop->stride + 1;
    size_t cores = weir__cores();
    /* A NULL queue is DISPATCH_APPLY_AUTO. */
    dispatch_apply_f(ranges < cores ? ranges : cores, queue, loop, run_ranges);
}

void weir_apply_f(size_t count, size_t stride, dispatch_queue_t queue,
                  void *context,
                  void (*body)(void *context, size_t begin, size_t end)) {
    struct loop loop = {
        .count = count, .stride = stride, .context = context, .body = body};
    run(&loop, queue);
}

bool weir_apply_while_f(size_t count, size_t stride, dispatch_queue_t queue,
                        void *context,
                        bool (*body)(void *context, size_t begin, size_t end)) {
    struct loop loop = {.count = count,
                        .stride = stride,
                        .context = context,
                        .body_while = body};
    run(&loop, queue);
    return !atomic_load_explicit(&loop.stopped, memory_order_relaxed);
}

#ifdef __BLOCKS__
typedef void (^body_block_t)(size_t begin, size_t end);
typedef bool (^while_block_t)(size_t begin, size_t end);

static void call_body(void *context, size_t begin, size_t end) {
    ((body_block_t)context)(begin, end);
}

static bool call_while(void *context, size_t begin, size_t end) {
    return ((while_block_t)context)(begin, end);
}

void weir_apply(size_t count, size_t stride, dispatch_queue_t queue,
                void (^body)(size_t begin, size_t end)) {
    weir_apply_f(count, stride, queue, (void *)body, call_body);
}

bool weir_apply_while(size_t count, size_t stride, dispatch_queue_t queue,
                      bool (^body)(size_t begin, size_t end)) {
    return weir_apply_while_f(count, stride, queue, (void *)body, call_while);
}
#endif
