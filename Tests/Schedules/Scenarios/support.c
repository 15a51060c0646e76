/* support.c: threads and observations that the scenarios share. */
#include "support.h"

static int live;
static bool is_joined;

struct start {
    void (*function)(void *);
    void *argument;
};

static void run(void *given) {
    struct start start = *(struct start *)given;
    memory_free(given);
    orders_edge(&live, false);
    start.function(start.argument);
    orders_edge(&is_joined, true);
    if (--live == 0 && is_joined) {
        fiber_wake(&STATE->fibers[0]);
    }
}

void thread_start(const char *name, void (*function)(void *), void *argument) {
    struct start *start = memory_allocate(sizeof *start, false);
    *start = (struct start){function, argument};
    live++;
    orders_edge(&live, true);
    fiber_create(name, run, start);
}

void threads_join(void) {
    CHECK(fiber_current()->number == 0, "another thread joins");
    is_joined = true;
    while (live > 0) {
        fiber_block("end of the threads", NULL, NEVER);
    }
    is_joined = false;
    orders_edge(&is_joined, false);
}

void threads_run(void) {
    for (size_t i = 0; STATE->scenario->threads[i].name; i++) {
        thread_start(STATE->scenario->threads[i].name,
                     STATE->scenario->threads[i].function,
                     address_of(STATE->scenario->threads[i].argument));
    }
    threads_join();
}

void let_others_run(void) { schedule_point("scenario", NULL); }

dispatch_time_t in_milliseconds(unsigned milliseconds) {
    return schedule_now() + milliseconds * UINT64_C(1000000);
}

void count_up(struct count *count, size_t more, size_t most) {
    count->now += more;
    CHECK(count->now <= most, "%zu permits are in use, of %zu", count->now,
          most);
    count->peak = count->now > count->peak ? count->now : count->peak;
}

void count_down(struct count *count, size_t less) { count->now -= less; }

weir_gate_t gate;

void take(size_t count) {
    CHECK(weir_gate_wait(gate, count, FOREVER) == 0, "wait");
}

weir_gate_stats_t stats_of(weir_gate_t gate) {
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    return stats;
}

void *address_of(size_t number) { return (void *)(uintptr_t)number; }
size_t number_of(const void *address) { return (uintptr_t)address; }

/* ---- the order of waiters ----------------------------------------------- */

static struct queued {
    const void *gate;
    uint64_t number;
    bool was_passed; /* by one that came later: it must have timed out */
} queue[64];
static size_t queued;

/* A waiter that times out leaves the queue some time before it says so. */
static void leave(size_t place, bool was_woken) {
    for (size_t i = 0; i < place && was_woken; i++) {
        queue[i].was_passed |= queue[i].gate == queue[place].gate;
    }
    CHECK(!was_woken || !queue[place].was_passed,
          "waiter %llu was served after one that came later",
          (unsigned long long)queue[place].number);
    memmove(&queue[place], &queue[place + 1],
            (--queued - place) * sizeof queue[0]);
}

static void observe(void *context, const weir_trace_event_t *event) {
    if (event->kind == WEIR_TRACE_WAIT) {
        CHECK(queued < 64, "too many waiters");
        queue[queued++] = (struct queued){event->object, event->job, false};
    } else if (event->kind == WEIR_TRACE_WAKE ||
               event->kind == WEIR_TRACE_CANCEL ||
               event->kind == WEIR_TRACE_TIMED_OUT) {
        for (size_t i = 0; i < queued; i++) {
            if (queue[i].gate == event->object &&
                queue[i].number == event->job) {
                leave(i, event->kind == WEIR_TRACE_WAKE);
                break;
            }
        }
    }
}

void observe_order(void) {
    static const weir_trace_observer_t observer = {.observe = observe};
    weir_trace_set_observer(&observer);
}
