/*
 * gate.c: threads, requests and asynchronous work at a gate.
 *
 * Promises of weir/gate.h: no more permits are in use than there are; waiters
 * are served in the order in which they were queued; no waiter is forgotten; a
 * wait that times out or is refused holds nothing; a close and a resize end
 * waits as documented; the last signal may free the gate. `decided` is called
 * exactly once; a cancel calls it before it returns, or came too late; accepted
 * work runs exactly once, also after a close, and returns its permits.
 */
#include "scenarios.h"

#include "permits/gate_state.h"

static struct count in_use;
static size_t most; /* permits, the highest number so far */
static size_t decisions, accepted, runs;

static void make(size_t permits) {
    gate = weir_gate_create("gate", permits);
    most = permits;
}

static void hold(size_t count) {
    count_up(&in_use, count, most);
    /* The only permit orders what is done with it. */
    orders_access(&in_use, 1, __builtin_return_address(0), most == 1);
    let_others_run();
    count_down(&in_use, count);
}

static void use(size_t count) {
    hold(count);
    weir_gate_signal(gate, count);
}

/* At the end of a scenario: all permits are free, nobody waits. */
static void check_free(void) {
    weir_gate_stats_t now = stats_of(gate);
    CHECK(now.in_use == 0, "%zu permits were lost", now.in_use);
    CHECK(now.waiting == 0, "%zu waiters were forgotten", now.waiting);
    weir_gate_release(gate);
}

/* After it: also what ran without a thread of the scenario. */
static void end(void) {
    CHECK(runs == accepted, "%zu works ran, of %zu", runs, accepted);
    CHECK(in_use.now == 0, "%zu permits are held", in_use.now);
}

static void run_table(void) {
    make(STATE->scenario->permits);
    threads_run();
    check_free();
}

/* ---- waits -------------------------------------------------------------- */

static void wait_and_use(void *count) {
    take(number_of(count));
    use(number_of(count));
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
    for (int i = 0; i < 2; i++) {
        CHECK(weir_gate_try(gate, 1) == 0, "too few permits");
    }
}

static void count_waits(void *unused) {
    uint64_t before = WAITS_BEFORE;
    for (int i = 0; i < 3; i++) {
        uint64_t waits = stats_of(gate).waits;
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
    CHECK(stats_of(gate).waits == WAITS_BEFORE + 4, "a wait was not counted");
    weir_gate_signal(gate, 4);
    check_free();
}

/* ---- time-outs ---------------------------------------------------------- */

static void time_out(void *count) {
    int error = weir_gate_wait(gate, number_of(count), in_milliseconds(5));
    CHECK(error == ETIMEDOUT, "a wait returned %d", error);
}

/* One permit returns only after the small wait, which may stand after the one
   that times out. */
static void run_time_out_at_head(void) {
    make(2);
    take(1);
    thread_start("times out", time_out, address_of(2));
    thread_start("waits", wait_and_use, address_of(1));
    threads_join();
    weir_gate_signal(gate, 1);
    check_free();
}

/* ---- the last signal ---------------------------------------------------- */

static void signal_last(void *count) {
    weir_gate_signal(gate, number_of(count));
}

static void run_orphan(void) {
    make(3);
    take(3);
    thread_start("one", signal_last, address_of(1));
    thread_start("two", signal_last, address_of(2));
    weir_gate_release(gate);
    threads_join();
}

/* The signaller's permit keeps the gate alive, although the thread that it
   wakes drops the last reference. */
static void wait_use_and_release(void *unused) {
    take(1);
    weir_gate_release(gate);
    weir_gate_signal(gate, 1);
}

static void run_wake_and_end(void) {
    make(1);
    take(1);
    thread_start("waits", wait_use_and_release, NULL);
    let_others_run();
    weir_gate_signal(gate, 1);
    threads_join();
}

/* ---- requests ----------------------------------------------------------- */

struct asked {
    bool is_decided;
    int result;
};

static void decide(void *context, int result) {
    struct asked *asked = context;
    CHECK(!asked->is_decided, "a request was decided twice");
    asked->is_decided = true;
    asked->result = result;
    decisions++;
    if (result == 0) {
        count_up(&in_use, 1, most);
        count_down(&in_use, 1);
        weir_gate_signal(gate, 1);
    }
}

static void request_and_cancel(void *unused) {
    struct asked *asked = memory_allocate(sizeof *asked, true);
    weir_gate_request_t request;
    CHECK(weir_gate_request_f(gate, 1, asked, decide, &request) == 0,
          "request");
    int late = weir_gate_request_cancel(request);
    CHECK(late == 0 || late == EALREADY, "a cancel failed with %d", late);
    CHECK(late || (asked->is_decided && asked->result == ECANCELED),
          "a cancelled request was not decided before the cancel returned");
    weir_gate_request_release(request);
}

static void end_requests(void) {
    CHECK(decisions == 2, "%zu requests were decided, of 2", decisions);
    end();
}

/* ---- work --------------------------------------------------------------- */

static void work(void *count) {
    hold(number_of(count));
    runs++;
}

static void submit_work(void *count) {
    accepted +=
        weir_gate_async_f(gate, number_of(count),
                          dispatch_get_global_queue(0, 0), count, work) == 0;
}

/* Waits until all works have returned their permits. */
static void finish(size_t permits) {
    while (runs < accepted) {
        fiber_block("wait for the works", NULL,
                    schedule_now() + UINT64_C(10000000000));
    }
    take(permits);
    weir_gate_signal(gate, permits);
    check_free();
}

static void run_works(void) {
    make(2);
    thread_start("waits", wait_and_use, address_of(2));
    submit_work(address_of(1));
    submit_work(address_of(2));
    threads_join();
    finish(2);
}

/* ---- many --------------------------------------------------------------- */

static void do_anything(void *unused) {
    for (unsigned left = 1 + schedule_pick(4, "waits"); left > 0; left--) {
        size_t count = 1 + schedule_pick(3, "permits");
        dispatch_time_t end =
            schedule_pick(2, "time-out") ? FOREVER : in_milliseconds(1);
        int error = schedule_pick(4, "try") ? weir_gate_wait(gate, count, end)
                                            : weir_gate_try(gate, count);
        CHECK(error == 0 || error == ETIMEDOUT || error == EAGAIN ||
                  error == EINVAL || error == ECANCELED,
              "a wait failed with %d", error);
        if (error == 0) {
            use(count);
        }
    }
}

/* The same without a bound, since work that was accepted keeps its permits in a
   smaller gate. */
static void ask_for_anything(void *unused) {
    most = SIZE_MAX;
    for (int i = 0; i < 4; i++) {
        size_t count = 1 + schedule_pick(3, "permits");
        switch (schedule_pick(5, "action")) {
        case 0:
            request_and_cancel(NULL);
            break;
        case 1:
            if (weir_gate_wait(gate, count, in_milliseconds(1)) == 0) {
                use(count);
            }
            break;
        case 2:
            try_and_use(address_of(1));
            break;
        default:
            submit_work(address_of(count));
        }
    }
}

static void resize_at_random(void *unused) {
    for (int i = 0; i < 4; i++) {
        size_t permits = schedule_pick(5, "permits");
        most = permits > most ? permits : most;
        CHECK(weir_gate_resize(gate, permits) == 0, "resize");
        let_others_run();
    }
    most = most > 3 ? most : 3;
    CHECK(weir_gate_resize(gate, 3) == 0, "resize");
}

static void resize_or_close(void *unused) {
    if (schedule_pick(2, "close")) {
        weir_gate_close(gate);
        CHECK(weir_gate_wait(gate, 1, FOREVER) == ECANCELED,
              "a closed gate was entered");
    } else {
        resize_at_random(NULL);
    }
}

static void run_waits(void) {
    observe_order();
    make(2 + schedule_pick(2, "permits"));
    threads_run();
    check_free();
}

static void run_many(void) {
    make(3);
    threads_run();
    weir_gate_close(gate);
    weir_gate_release(gate);
}

const struct scenario gate_scenarios[] = {
    {"gate-two", "two threads take the one permit in turn", run_table,
     .permits = 1, .threads = {{"a", wait_and_use, 1}, {"b", wait_and_use, 1}}},
    {"gate-count",
     "the number of waits is exact while the word's part of it "
     "changes its top bit",
     run_count},
    {"gate-head", "a time-out at the head serves the next waiter at once",
     run_time_out_at_head},
    {"gate-orphan",
     "the last signal after the last release frees the gate, once", run_orphan,
     .has_faults = true},
    {"gate-wake-and-end",
     "a signal is safe although the woken thread ends the gate",
     run_wake_and_end},
    {"gate-many",
     "in their order, waits and tries take all of their permits or "
     "nothing, and end with a time-out, a resize or a close",
     run_waits,
     .threads = {{"a", do_anything, 0},
                 {"b", do_anything, 0},
                 {"c", do_anything, 0},
                 {"d", do_anything, 0},
                 {"changes", resize_or_close, 0}},
     .ended = end, .has_faults = true},
    {"gate-request",
     "a cancel that races with a grant: one of them decides, once", run_table,
     .permits = 1,
     .threads = {{"a", wait_and_use, 1},
                 {"cancel", request_and_cancel, 0},
                 {"cancel too", request_and_cancel, 0}},
     .ended = end_requests, .kept = 2},
    {"gate-work",
     "asynchronous work runs once, within the permits, in its turn", run_works,
     end, .workers = 2},
    {"gate-many-requests",
     "three threads with random requests, cancels, works and waits", run_many,
     .threads = {{"a", ask_for_anything, 0},
                 {"b", ask_for_anything, 0},
                 {"c", ask_for_anything, 0},
                 {"resize", resize_at_random, 0}},
     .ended = end, .workers = 3, .has_faults = true, .ignores_leaks = true},
    {NULL},
};
