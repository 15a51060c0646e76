/*
 * gate_requests.c: requests and asynchronous work at a gate.
 *
 * Promises of weir/gate.h: `decided` is called exactly once; a cancel calls it
 * before it returns, or came too late; accepted work runs exactly once, also
 * after a close, and returns its permits; work that cannot begin, since waiting
 * blocks have all threads, lets those go first.
 */
#include "scenarios.h"

static weir_gate_t gate;
static struct count in_use;
static size_t most;
static size_t decisions, runs;

static void check_free(size_t expected) {
    CHECK(runs == expected, "%zu works ran, not %zu", runs, expected);
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    CHECK(stats.in_use == 0, "%zu permits were lost", stats.in_use);
    CHECK(stats.waiting == 0, "%zu waiters were forgotten", stats.waiting);
    weir_gate_release(gate);
}

static void use(size_t count) {
    count_up(&in_use, count, most);
    let_others_run();
    count_down(&in_use, count);
    weir_gate_signal(gate, count);
}

static void wait_and_use(void *count) {
    int error = weir_gate_wait(gate, number_of(count), FOREVER);
    CHECK(error == 0 || error == ECANCELED, "a wait failed with %d", error);
    if (error == 0) {
        use(number_of(count));
    }
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
    (void)unused;
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

static void run_request(void) {
    most = 1;
    gate = weir_gate_create("gate", most);
    thread_start("a", wait_and_use, address_of(1));
    thread_start("cancel", request_and_cancel, NULL);
    thread_start("cancel too", request_and_cancel, NULL);
    threads_join();
    CHECK(decisions == 2, "%zu requests were decided, of 2", decisions);
    check_free(0);
}

/* ---- work --------------------------------------------------------------- */

static void run_work(void *count) {
    runs++;
    count_up(&in_use, number_of(count), most);
    let_others_run();
    count_down(&in_use, number_of(count));
}

static void submit_work(void *count) {
    int error =
        weir_gate_async_f(gate, number_of(count),
                          dispatch_get_global_queue(0, 0), count, run_work);
    CHECK(error == 0, "work was refused with %d", error);
}

static void run_works(void) {
    most = 2;
    gate = weir_gate_create("gate", most);
    thread_start("waits", wait_and_use, address_of(2));
    submit_work(address_of(1));
    submit_work(address_of(2));
    threads_join();
    CHECK(weir_gate_wait(gate, 2, FOREVER) == 0, "wait");
    weir_gate_signal(gate, 2);
    /* The last work may still be about to return its permits. */
    while (runs < 2) {
        schedule_yield("wait for the works");
    }
    CHECK(weir_gate_wait(gate, 2, FOREVER) == 0, "wait");
    weir_gate_signal(gate, 2);
    check_free(2);
}

static void close_gate(void *unused) {
    (void)unused;
    CHECK(weir_gate_resize(gate, 1) == 0, "resize");
    weir_gate_close(gate);
}

static void end_closed(void) {
    CHECK(runs == 2, "%zu works ran, of 2 that were accepted", runs);
    CHECK(in_use.now == 0, "the works hold %zu permits", in_use.now);
}

static void run_close(void) {
    most = 2;
    gate = weir_gate_create("gate", most);
    thread_start("waits", wait_and_use, address_of(1));
    submit_work(address_of(2));
    submit_work(address_of(1));
    thread_start("close", close_gate, NULL);
    weir_gate_release(weir_gate_retain(gate));
    threads_join();
    weir_gate_release(gate);
}

/* Blocks that wait have both threads, and the works behind them the permits. */
static void wait_in_block(void *unused) {
    wait_and_use(address_of(1));
    (void)unused;
    runs++;
}

static void run_mix(void) {
    most = 2;
    gate = weir_gate_create("gate", most);
    CHECK(weir_gate_wait(gate, 2, FOREVER) == 0, "wait");
    dispatch_queue_t queue = dispatch_get_global_queue(0, 0);
    submit_work(address_of(1));
    dispatch_async_f(queue, NULL, wait_in_block);
    dispatch_async_f(queue, NULL, wait_in_block);
    submit_work(address_of(1));
    weir_gate_signal(gate, 2);
    while (runs < 4) {
        fiber_block("wait for the works", NULL,
                    schedule_now() + UINT64_C(10000000000));
    }
    CHECK(weir_gate_wait(gate, 2, FOREVER) == 0, "wait");
    weir_gate_signal(gate, 2);
    check_free(4);
}

/* ---- many --------------------------------------------------------------- */

static struct { size_t accepted, begun; } works;

static void run_some_work(void *count) {
    works.begun++;
    count_up(&in_use, number_of(count), SIZE_MAX); /* a resize may shrink it */
    let_others_run();
    count_down(&in_use, number_of(count));
}

static void act(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        size_t count = 1 + schedule_pick(3, "permits");
        switch (schedule_pick(5, "action")) {
        case 0:
            request_and_cancel(NULL);
            break;
        case 1:
        case 2:
            works.accepted +=
                weir_gate_async_f(gate, count, dispatch_get_global_queue(0, 0),
                                  address_of(count), run_some_work) == 0;
            break;
        case 3: {
            int error = weir_gate_wait(gate, count, in_milliseconds(1));
            if (error == 0) {
                let_others_run();
                weir_gate_signal(gate, count);
            }
            break;
        }
        case 4:
            if (weir_gate_try(gate, 1) == 0) {
                weir_gate_signal(gate, 1);
            }
            break;
        }
    }
}

static void resize_at_random(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        CHECK(weir_gate_resize(gate, schedule_pick(4, "permits")) == 0,
              "resize");
        let_others_run();
    }
    CHECK(weir_gate_resize(gate, 3) == 0, "resize");
}

static void run_many(void) {
    most = SIZE_MAX;
    gate = weir_gate_create("gate", 3);
    thread_start("a", act, NULL);
    thread_start("b", act, NULL);
    thread_start("c", act, NULL);
    thread_start("resize", resize_at_random, NULL);
    threads_join();
    weir_gate_close(gate);
    weir_gate_release(gate);
}

static void end_many(void) {
    CHECK(works.begun == works.accepted, "%zu works ran, of %zu", works.begun,
          works.accepted);
    CHECK(in_use.now == 0, "the works hold %zu permits", in_use.now);
}

const struct scenario gate_requests_scenarios[] = {
    {.name = "gate-request",
     .promise = "a cancel that races with a grant: one of them decides, once",
     .run = run_request,
     .kept = 2},
    {.name = "gate-work",
     .promise = "asynchronous work runs once, within the permits, in its turn",
     .run = run_works,
     .workers = 2},
    {.name = "gate-work-close",
     .promise = "accepted work runs although the gate shrinks and closes",
     .run = run_close,
     .ended = end_closed,
     .workers = 2},
    {.name = "gate-mix",
     .promise = "work that cannot begin lends its permits to waiting blocks",
     .run = run_mix,
     .workers = 2},
    {.name = "gate-many-requests",
     .promise = "three threads with random requests, cancels, works and waits",
     .run = run_many,
     .ended = end_many,
     .workers = 3,
     .has_faults = true,
     .is_large = true,
     .ignores_leaks = true},
    {.name = NULL},
};
