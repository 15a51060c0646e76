/*
 * gate.c: threads at a gate.
 *
 * Promises of weir/gate.h: no more permits are in use than there are; waiters
 * are served in the order in which they were queued; no waiter is forgotten; a
 * wait that times out or is refused holds nothing; a close and a resize end
 * waits as documented; the last signal may free the gate.
 */
#include "scenarios.h"

#include "permits/gate_state.h"

static weir_gate_t gate;
static struct count in_use;
static size_t most; /* permits, the highest number so far */

static void make(size_t permits) {
    gate = weir_gate_create("gate", permits);
    most = permits;
}

static weir_gate_stats_t stats(void) {
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    return stats;
}

static void use(size_t count) {
    count_up(&in_use, count, most);
    /* The only permit orders what is done with it. */
    orders_access(&in_use, 1, __builtin_return_address(0), most == 1);
    let_others_run();
    count_down(&in_use, count);
    weir_gate_signal(gate, count);
}

/* At the end of a scenario: all permits are free, nobody waits. */
static void check_free(void) {
    weir_gate_stats_t now = stats();
    CHECK(now.in_use == 0, "%zu permits were lost", now.in_use);
    CHECK(now.waiting == 0, "%zu waiters were forgotten", now.waiting);
    CHECK(in_use.now == 0, "the threads hold %zu permits", in_use.now);
    weir_gate_release(gate);
}

/* ---- waits -------------------------------------------------------------- */

static void wait_until(dispatch_time_t end, size_t count, int refusal) {
    int error = weir_gate_wait(gate, count, end);
    CHECK(error == 0 || error == refusal, "a wait failed with %d", error);
    if (error == 0) {
        use(count);
    }
}

static void wait_and_use(void *count) {
    wait_until(FOREVER, number_of(count), 0);
}

static void run_table(void) {
    make(STATE->scenario->sizes[0]);
    threads_run();
    check_free();
}

static void run_in_order(void) {
    observe_order();
    run_table();
}

static void try_and_use(void *count) {
    for (int i = 0; i < 2; i++) {
        int error = weir_gate_try(gate, number_of(count));
        CHECK(error == 0 || error == EAGAIN, "a try failed with %d", error);
        if (error == 0) {
            use(number_of(count));
        }
    }
}

/* ---- the number of waits ------------------------------------------------- */

enum { WAITS_BEFORE = 65534 };

static void wait_twice(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        CHECK(weir_gate_try(gate, 1) == 0, "too few permits");
    }
}

static void count_waits(void *unused) {
    (void)unused;
    uint64_t before = WAITS_BEFORE;
    for (int i = 0; i < 3; i++) {
        uint64_t waits = stats().waits;
        CHECK(before <= waits && waits <= WAITS_BEFORE + 4,
              "%llu waits after %llu", (unsigned long long)waits,
              (unsigned long long)before);
        before = waits;
    }
}

static void run_count(void) {
    make(4);
    gate->word = WAITS_BEFORE * WEIR_GATE_ONE_TAKE;
    gate->halves = 1;
    thread_start("a", wait_twice, NULL);
    thread_start("b", wait_twice, NULL);
    thread_start("counts", count_waits, NULL);
    threads_join();
    CHECK(stats().waits == WAITS_BEFORE + 4, "a wait was not counted");
    weir_gate_signal(gate, 4);
    check_free();
}

/* ---- time-outs ---------------------------------------------------------- */

static void wait_for_a_while(void *count) {
    wait_until(in_milliseconds(5), number_of(count), ETIMEDOUT);
}

static void time_out(void *count) {
    int error = weir_gate_wait(gate, number_of(count), in_milliseconds(5));
    CHECK(error == ETIMEDOUT, "a wait returned %d", error);
}

/* One permit returns only after the small wait, which may stand behind the one
   that times out. */
static void run_time_out_at_head(void) {
    make(2);
    CHECK(weir_gate_wait(gate, 1, FOREVER) == 0, "wait");
    thread_start("times out", time_out, address_of(2));
    thread_start("waits", wait_and_use, address_of(1));
    threads_join();
    weir_gate_signal(gate, 1);
    check_free();
}

/* ---- close -------------------------------------------------------------- */

static void wait_until_closed(void *count) {
    wait_until(FOREVER, number_of(count), ECANCELED);
}

static void close_gate(void *unused) {
    (void)unused;
    weir_gate_close(gate);
    CHECK(weir_gate_wait(gate, 1, FOREVER) == ECANCELED,
          "a closed gate was entered");
}

/* ---- resize ------------------------------------------------------------- */

static void wait_or_be_refused(void *count) {
    wait_until(FOREVER, number_of(count), EINVAL);
}

static void resize(void *unused) {
    (void)unused;
    CHECK(weir_gate_resize(gate, 0) == 0, "resize");
    let_others_run();
    CHECK(weir_gate_resize(gate, 1) == 0, "resize");
    most = 3; /* before the call: a thread may pass during it */
    CHECK(weir_gate_resize(gate, 3) == 0, "resize");
}

/* ---- the last signal ---------------------------------------------------- */

static void signal_last(void *count) {
    weir_gate_signal(gate, number_of(count));
}

static void run_orphan(void) {
    make(3);
    CHECK(weir_gate_wait(gate, 3, FOREVER) == 0, "wait");
    thread_start("one", signal_last, address_of(1));
    thread_start("two", signal_last, address_of(2));
    weir_gate_release(gate);
    threads_join();
}

/* The signaller's permit keeps the gate alive, although the thread that it
   wakes drops the last reference. */
static void wait_use_and_release(void *unused) {
    (void)unused;
    CHECK(weir_gate_wait(gate, 1, FOREVER) == 0, "wait");
    weir_gate_release(gate);
    weir_gate_signal(gate, 1);
}

static void run_wake_and_end(void) {
    make(1);
    CHECK(weir_gate_wait(gate, 1, FOREVER) == 0, "wait");
    thread_start("waits", wait_use_and_release, NULL);
    let_others_run();
    weir_gate_signal(gate, 1);
    threads_join();
}

/* ---- many --------------------------------------------------------------- */

static void do_anything(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        size_t count = 1 + schedule_pick(3, "permits");
        dispatch_time_t end =
            schedule_pick(2, "time-out") ? FOREVER : in_milliseconds(1);
        int error = schedule_pick(4, "try") ? weir_gate_wait(gate, count, end)
                                            : weir_gate_try(gate, count);
        CHECK(error == 0 || error == ETIMEDOUT || error == EAGAIN ||
                  error == EINVAL,
              "a wait failed with %d", error);
        if (error == 0) {
            use(count);
        }
    }
}

static void resize_at_random(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        size_t permits = schedule_pick(5, "permits");
        most = permits > most ? permits : most;
        CHECK(weir_gate_resize(gate, permits) == 0, "resize");
        let_others_run();
    }
    most = most > 3 ? most : 3;
    CHECK(weir_gate_resize(gate, 3) == 0, "resize");
}

static void run_many(void) {
    observe_order();
    make(3);
    thread_start("a", do_anything, NULL);
    thread_start("b", do_anything, NULL);
    thread_start("c", do_anything, NULL);
    thread_start("d", do_anything, NULL);
    thread_start("resize", resize_at_random, NULL);
    threads_join();
    check_free();
}

const struct scenario gate_scenarios[] = {
    {.name = "gate-two",
     .promise = "two threads take the one permit in turn",
     .run = run_table,
     .sizes = {1},
     .threads = {{"a", wait_and_use, 1}, {"b", wait_and_use, 1}}},
    {.name = "gate-portions",
     .promise = "no request overtakes a bigger one, and none is forgotten",
     .run = run_in_order,
     .sizes = {2},
     .threads = {{"one", wait_and_use, 1},
                 {"two", wait_and_use, 2},
                 {"other", wait_and_use, 1}},
     .has_faults = true},
    {.name = "gate-count",
     .promise = "the number of waits is exact while the word's part of it "
                "changes its top bit",
     .run = run_count},
    {.name = "gate-try",
     .promise = "a try takes free permits, and never makes a waiter miss one",
     .run = run_table,
     .sizes = {2},
     .threads = {{"wait", wait_and_use, 2}, {"try", try_and_use, 1}}},
    {.name = "gate-time-out",
     .promise = "a time-out that races with a grant takes all or nothing, and "
                "the next waiter is served",
     .run = run_in_order,
     .sizes = {2},
     .threads = {{"holds", wait_and_use, 1},
                 {"times out", wait_for_a_while, 2},
                 {"waits", wait_and_use, 1}}},
    {.name = "gate-head",
     .promise = "a time-out at the head serves the next waiter at once",
     .run = run_time_out_at_head},
    {.name = "gate-close",
     .promise = "a close ends all waits, and takes no permit away",
     .run = run_table,
     .sizes = {1},
     .threads = {{"a", wait_until_closed, 1},
                 {"b", wait_until_closed, 1},
                 {"close", close_gate, 0}}},
    {.name = "gate-resize",
     .promise = "a gate of 0 permits pauses, and each growth serves waiters",
     .run = run_table,
     .sizes = {2},
     .threads = {{"one", wait_and_use, 1},
                 {"two", wait_or_be_refused, 2},
                 {"resize", resize, 0}}},
    {.name = "gate-orphan",
     .promise = "the last signal after the last release frees the gate, once",
     .run = run_orphan,
     .has_faults = true},
    {.name = "gate-wake-and-end",
     .promise = "a signal is safe although the woken thread ends the gate",
     .run = run_wake_and_end},
    {.name = "gate-many",
     .promise = "five threads with random waits, tries, time-outs and resizes",
     .run = run_many,
     .has_faults = true,
     .is_large = true},
    {.name = NULL},
};
