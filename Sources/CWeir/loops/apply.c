/*
 * apply.c: concurrent loops with striding.
 *
 * DESIGN. dispatch_apply_f starts one worker a core, and each claims range
 * after range until none is left. Handing each range to dispatch_apply as an
 * iteration of its own was rejected: it claims them in the same way, but could
 * not be stopped early without running through the rest, and ranges that adapt
 * to what they cost have no fixed number.
 *
 * The automatic stride is guided self-scheduling (Polychronopoulos and Kuck,
 * 1987) held to the clock. A worker takes half of its share of what is left,
 * so that the ranges shrink towards the end and all workers end together, but
 * by what its own last range took, no more than a millisecond of work and no
 * less than two microseconds, and at most 16 times the range before. It begins
 * with a single iteration: nothing is known yet, and one may be an hour. So a
 * body of a nanosecond soon runs in ranges beside which claiming does not show,
 * and one of a millisecond an iteration at a time. Two microseconds are beside
 * the 50 ns that a claim and a reading of the clock take; a millisecond bounds
 * what is lost where the costs jump. The lower bound never takes more than a
 * share of what is left: that what came last was cheap does not say that the
 * end is.
 *
 * Rejected: ranges that are all of one size, of count / 1,024 for instance
 * (they are too small for tiny bodies in short loops and too large where a few
 * iterations cost most); guided without a clock, as OpenMP's (its first ranges
 * are the largest, and when these hold the costly iterations the others wait);
 * one range a worker with stealing (two more atomics a range, and ranges would
 * not start in index order).
 */
#include "base/internal.h"
#include "base/serial_queue.h"
#include "permits/holder.h"
#include "system/cores.h"

#include <weir/apply.h>

#include "loops/loop.h"
#include "loops/spread.h"
#include "loops/trap.h"

enum {
    RANGE_NANOSECONDS_MAX = 1000000,
    RANGE_NANOSECONDS_MIN = 2000,
    GROWTH_MAX = 16,
    WAY_NANOSECONDS = 5000,
};

struct loop {
    size_t count;
    size_t stride;
    size_t workers;
    bool guided;
    struct weir__holder *job; /* that called the loop, or NULL */
    void *context;
    void (*body)(void *context, size_t begin, size_t end);
    bool (*body_while)(void *context, size_t begin, size_t end);
    struct weir__spread spread;
    _Atomic size_t next; /* the next range, or index if automatic */
    _Atomic bool stopped;
};

static bool is_stopped(struct loop *loop) {
    return atomic_load_explicit(&loop->stopped, memory_order_relaxed);
}

static void run_range(struct loop *loop, size_t begin, size_t end) {
    if (loop->body) {
        loop->body(loop->context, begin, end);
    } else if (!loop->body_while(loop->context, begin, end)) {
        atomic_store_explicit(&loop->stopped, true, memory_order_relaxed);
    }
}

static void run_strides(struct loop *loop) {
    size_t ranges = weir__ranges(loop->count, loop->stride);
    while (!is_stopped(loop)) {
        size_t range =
            atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (range >= ranges) {
            return;
        }
        run_range(loop, range * loop->stride,
                  weir__range_end(loop->count, loop->stride, range));
    }
}

/* ---- the automatic stride ---------------------------------------------- */

/* How many iterations a worker may take next. */
struct pace {
    size_t least;
    size_t most;
};

/* How many iterations fit into a time, when `size` took `elapsed`. */
static size_t fitting(size_t size, uint64_t elapsed, uint64_t nanoseconds,
                      size_t most) {
    /* As double: the product need not fit into any integer. */
    double fit = (double)size * (double)nanoseconds / (double)elapsed;
    return fit < 1 ? 1 : fit < (double)most ? (size_t)fit : most;
}

static struct pace pace_after(size_t size, uint64_t elapsed) {
    size_t most = size <= SIZE_MAX / GROWTH_MAX ? size * GROWTH_MAX : SIZE_MAX;
    elapsed = elapsed == 0 ? 1 : elapsed;
    return (struct pace){
        .least = fitting(size, elapsed, RANGE_NANOSECONDS_MIN, most),
        .most = fitting(size, elapsed, RANGE_NANOSECONDS_MAX, most),
    };
}

static size_t chosen(struct pace pace, size_t left, size_t workers) {
    size_t share = left / workers;
    size_t size = share / 2;
    size = size > pace.most ? pace.most : size;
    size = size < pace.least ? pace.least : size;
    size = size > share ? share : size;
    return size == 0 ? 1 : size;
}

/* Takes the next range; its size, or 0 when none is left. Compared and
   exchanged, not added: an addition of what was left a while ago could run
   past SIZE_MAX, and the loop would begin again. */
static size_t claim(struct loop *loop, struct pace pace, size_t *begin) {
    size_t next = atomic_load_explicit(&loop->next, memory_order_relaxed);
    size_t size;
    do {
        if (next == loop->count) {
            return 0;
        }
        size = chosen(pace, loop->count - next, loop->workers);
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
    uint64_t start = before, way_after = WAY_NANOSECONDS;
    size_t begin, size;
    while (!is_stopped(loop) && (size = claim(loop, pace, &begin)) != 0) {
        run_range(loop, begin, begin + size);
        uint64_t now = weir__nanoseconds();
        pace = pace_after(size, now - before);
        before = now;
        if (now - start >= way_after) {
            way_after *= 4;
            weir__spread_make_way(&loop->spread);
        }
    }
}

/* ---- starting ---------------------------------------------------------- */

/* A worker on another thread works for the job that called the loop: what that
   must not do (wait for its own lanes), or may (pass their backlog), it does
   likewise. */
static void run_worker(void *context, size_t worker) {
    (void)worker;
    weir__trap_passed();
    struct loop *loop = context;
    struct weir__holder holder;
    bool adopted = weir__holder_adopt(&holder, loop->job);
    if (loop->guided) {
        run_guided(loop);
    } else {
        run_strides(loop);
    }
    if (adopted) {
        weir__holder_pop(&holder);
    }
}

static void run(struct loop *loop, dispatch_queue_t queue) {
    if (queue && weir__on_serial_queue(queue)) {
        weir__misuse(
            "a concurrent loop was started on the serial queue "
            "\"%.100s\" from a job on that queue, which it would wait for "
            "forever; pass another queue, or NULL",
            dispatch_queue_get_label(queue));
    }
    if (loop->count == 0) {
        return;
    }
    weir__holder_clear(); /* its bodies may give permits back elsewhere */
    loop->job = weir__top_holder;
    loop->guided = loop->stride == WEIR_STRIDE_AUTO;
    size_t most =
        loop->guided ? loop->count : weir__ranges(loop->count, loop->stride);
    size_t cores = weir__cores();
    loop->workers = most < cores ? most : cores;
    weir__spread_begin(&loop->spread, loop->guided ? loop->workers : 1);
    bool watched = weir__trap_watch(queue);
    /* A NULL queue is DISPATCH_APPLY_AUTO. */
    dispatch_apply_f(loop->workers, queue, loop, run_worker);
    if (watched) {
        weir__trap_unwatch();
    }
    weir__holder_clear();
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
    return !is_stopped(&loop);
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
