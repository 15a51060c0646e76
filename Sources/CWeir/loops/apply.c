/*
 * apply.c: concurrent loops with striding.
 *
 * DESIGN. dispatch_apply_f starts one worker a core, and each worker claims
 * range after range until none is left. Passing each range to dispatch_apply as
 * an iteration of its own was rejected: it could not stop early without running
 * through the rest, and ranges that adapt to their cost have no fixed number.
 *
 * The automatic stride is guided self-scheduling (Polychronopoulos and Kuck,
 * 1987) bounded by the clock. A worker takes half of its share of the remaining
 * iterations, so that all workers end together. Measured by the time of its own
 * last range, it takes at most a millisecond and at least two microseconds of
 * work, and at most 16 times the range before. It begins with a single
 * iteration, which may take an hour. Two microseconds compare with the 50 ns
 * that a claim and a reading of the clock take; a millisecond bounds the loss
 * if the costs jump. The lower bound never takes more than a worker's share of
 * the rest.
 *
 * A claim orders nothing but the claims: what bodies wrote is before the caller
 * goes on by the end of dispatch_apply.
 *
 * Rejected: ranges of one size (too small for tiny bodies in short loops, and
 * too large if a few iterations cost most); guided without a clock, as in
 * OpenMP (its first ranges are the largest); one range a worker with stealing
 * (two more atomics a range, and ranges would not start in index order).
 */
#include "base/internal.h"
#include "base/serial_queue.h"
#include "permits/holder.h"
#include "system/cores.h"

#include <weir/apply.h>

#include "loops/ranges.h"
#include "loops/spread.h"
#include "loops/trap.h"

enum {
    RANGE_NANOSECONDS_MAX = 1000000,
    RANGE_NANOSECONDS_MIN = 2000,
    GROWTH_MAX = 16,
    YIELD_NANOSECONDS = 5000,
};

struct loop {
    size_t count;
    size_t stride;
    size_t workers;
    bool guided;
    bool is_watched;          /* by trap.c */
    struct weir__holder *job; /* that called the loop, or NULL */
    void *context;
    void (*body)(void *context, size_t begin, size_t end);
    bool (*body_while)(void *context, size_t begin, size_t end);
    struct weir__spread spread;
    _Atomic size_t next; /* the next range, or the next index if automatic */
    _Atomic bool stopped;
};

static bool is_stopped(struct loop *loop) {
    return load_relaxed(&loop->stopped);
}

static void run_range(struct loop *loop, size_t begin, size_t end) {
    if (loop->body) {
        loop->body(loop->context, begin, end);
    } else if (!loop->body_while(loop->context, begin, end)) {
        store_relaxed(&loop->stopped, true);
    }
}

static void run_strides(struct loop *loop) {
    size_t count = loop->count, stride = loop->stride, range;
    size_t ranges = weir__ranges(count, stride);
    while (!is_stopped(loop) &&
           (range = add_relaxed(&loop->next, 1)) < ranges) {
        run_range(loop, range * stride, weir__range_end(count, stride, range));
    }
}

/* Like run_strides, without a look at `stopped`, and with all in registers. */
static void run_all_strides(struct loop *loop) {
    size_t count = loop->count, stride = loop->stride, range;
    size_t ranges = weir__ranges(count, stride), last = ranges - 1;
    void *context = loop->context;
    void (*body)(void *, size_t, size_t) = loop->body;
    if (stride == 1) {
        while ((range = add_relaxed(&loop->next, 1)) < count) {
            body(context, range, range + 1);
        }
        return;
    }
    while ((range = add_relaxed(&loop->next, 1)) < ranges) {
        size_t begin = range * stride;
        body(context, begin, range == last ? count : begin + stride);
    }
}

/* ---- the automatic stride ---------------------------------------------- */

/* The number of iterations that a worker may take next. */
struct pace {
    size_t least;
    size_t most;
};

/* Returns the iterations that fit, if `size` of them took `elapsed`. */
static size_t fitting_count(size_t size, uint64_t elapsed, uint64_t nanoseconds,
                            size_t most) {
    /* As double: the product need not fit into any integer. */
    double fit = (double)size * (double)nanoseconds / (double)elapsed;
    return fit < 1 ? 1 : fit < (double)most ? (size_t)fit : most;
}

static struct pace pace_after(size_t size, uint64_t elapsed) {
    size_t most = size <= SIZE_MAX / GROWTH_MAX ? size * GROWTH_MAX : SIZE_MAX;
    elapsed = elapsed == 0 ? 1 : elapsed;
    return (struct pace){
        .least = fitting_count(size, elapsed, RANGE_NANOSECONDS_MIN, most),
        .most = fitting_count(size, elapsed, RANGE_NANOSECONDS_MAX, most),
    };
}

static size_t range_size(struct pace pace, size_t left, size_t workers) {
    size_t share = left / workers;
    size_t size = share / 2;
    size = size > pace.most ? pace.most : size;
    size = size < pace.least ? pace.least : size;
    size = size > share ? share : size;
    return size == 0 ? 1 : size;
}

/* Takes the next range. Returns its size, or 0 if none is left. An addition,
   computed from an older rest, could run past SIZE_MAX. */
static size_t claim_range(struct loop *loop, struct pace pace, size_t *begin) {
    size_t next = load_relaxed(&loop->next);
    size_t size;
    do {
        if (next == loop->count) {
            return 0;
        }
        size = range_size(pace, loop->count - next, loop->workers);
    } while (!atomic_compare_exchange_weak_explicit(
        &loop->next, &next, next + size, memory_order_relaxed,
        memory_order_relaxed));
    *begin = next;
    return size;
}

static void run_guided(struct loop *loop) {
    weir__spread_arrive(&loop->spread);
    struct pace pace = {1, 1};
    uint64_t before = weir__nanoseconds();
    uint64_t start = before, yield_after = YIELD_NANOSECONDS;
    size_t begin, size;
    while (!is_stopped(loop) && (size = claim_range(loop, pace, &begin)) != 0) {
        run_range(loop, begin, begin + size);
        uint64_t now = weir__nanoseconds();
        pace = pace_after(size, now - before);
        before = now;
        if (now - start >= yield_after) {
            yield_after *= 4;
            weir__spread_make_way(&loop->spread);
        }
    }
}

/* ---- starting ---------------------------------------------------------- */

/* A worker on another thread works for the job that called the loop, and may do
   what that job may. */
static void run_loop_worker(void *context, size_t worker) {
    struct loop *loop = context;
    if (loop->is_watched) {
        weir__trap_passed();
    }
    struct weir__holder holder;
    bool adopted = loop->job && weir__holder_adopt(&holder, loop->job);
    if (loop->guided) {
        run_guided(loop);
    } else if (loop->workers == weir__ranges(loop->count, loop->stride)) {
        if (!is_stopped(loop)) { /* dispatch_apply has claimed it */
            size_t begin = worker * loop->stride;
            run_range(loop, begin,
                      weir__range_end(loop->count, loop->stride, worker));
        }
    } else if (loop->body) {
        run_all_strides(loop);
    } else {
        run_strides(loop);
    }
    if (adopted) {
        weir__holder_pop(&holder);
    }
}

static void run_loop(struct loop *loop, dispatch_queue_t queue) {
    bool is_global = !queue || weir__is_global_queue(queue);
    if (!is_global && weir__on_serial_queue(queue)) {
        weir__misuse(
            "a concurrent loop was started on the serial queue "
            "\"%.100s\" from a job on that queue and would wait for that job "
            "forever; pass another queue, or NULL",
            dispatch_queue_get_label(queue));
    }
    if (loop->count == 0) {
        return;
    }
    loop->job = weir__holder_exists() ? weir__top_holder : NULL;
    if (loop->job) {
        weir__holder_clear(); /* its bodies may return permits elsewhere */
    }
    loop->guided = loop->stride == WEIR_STRIDE_AUTO;
    size_t most =
        loop->guided ? loop->count : weir__ranges(loop->count, loop->stride);
    size_t cores = weir__cores();
    loop->workers = most < cores ? most : cores;
    if (loop->guided) {
        weir__spread_begin(&loop->spread, loop->workers);
    }
    loop->is_watched = !is_global && weir__trap_watch(queue);
    /* A NULL queue is DISPATCH_APPLY_AUTO. */
    dispatch_apply_f(loop->workers, queue, loop, run_loop_worker);
    if (loop->is_watched) {
        weir__trap_unwatch();
    }
    if (loop->job) {
        weir__holder_clear();
    }
}

void weir_apply_f(size_t count, size_t stride, dispatch_queue_t queue,
                  void *context,
                  void (*body)(void *context, size_t begin, size_t end)) {
    struct loop loop = {
        .count = count, .stride = stride, .context = context, .body = body};
    run_loop(&loop, queue);
}

bool weir_apply_while_f(size_t count, size_t stride, dispatch_queue_t queue,
                        void *context,
                        bool (*body)(void *context, size_t begin, size_t end)) {
    struct loop loop = {.count = count,
                        .stride = stride,
                        .context = context,
                        .body_while = body};
    run_loop(&loop, queue);
    return !is_stopped(&loop);
}

#ifdef __BLOCKS__
static void call_body(void *context, size_t begin, size_t end) {
    ((void (^)(size_t, size_t))context)(begin, end);
}

static bool call_while(void *context, size_t begin, size_t end) {
    return ((bool (^)(size_t, size_t))context)(begin, end);
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
