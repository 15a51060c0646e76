/*
 * lanes_waiters.c: threads and requests that wait for room, or for idle lanes.
 *
 * Promises of weir/lanes.h: waiting submits, of threads and of requests, are
 * served in the order in which they came, before any later one; `decided` is
 * called exactly once; a cancel calls it before it returns, or came too late; an
 * accepted job runs or is dropped, once, and a refused one does neither.
 */
#include "scenarios.h"

#define MOST 9

static weir_lanes_t lanes;

/* A submit, in the order of the scenario. */
static struct submit {
    bool is_decided;
    int result;
    unsigned ends; /* how often its job ran or was dropped */
} submits[MOST];

static size_t begun[MOST]; /* the submits whose jobs began, in order */
static size_t begins;
static bool is_withdrawn[MOST];

static void job(void *number, void *lane_context) {
    (void)lane_context;
    begun[begins++] = number_of(number);
    submits[number_of(number)].ends++;
    let_others_run();
}

static void drop(void *number) { submits[number_of(number)].ends++; }

static void decide(void *number, int result) {
    struct submit *submit = &submits[number_of(number)];
    CHECK(!submit->is_decided, "submit %zu was decided twice",
          number_of(number));
    CHECK(result == 0 || result == ECANCELED, "a decision is %d", result);
    submit->is_decided = true;
    submit->result = result;
}

static void submit_by_thread(void *number) {
    decide(number, weir_lanes_async_f(lanes, number, job));
}

static void submit_by_request(void *number) {
    CHECK(weir_lanes_request_f(lanes, number, job, decide, NULL) == 0,
          "request");
}

static void make(size_t backlog) {
    const weir_lanes_options_t options = {
        .label = "lanes", .width = 1, .backlog = backlog, .dropped = drop};
    lanes = weir_lanes_create(&options);
}

static void end(void) {
    for (size_t i = 0; i < MOST; i++) {
        const struct submit *submit = &submits[i];
        CHECK(submit->ends == (submit->is_decided && submit->result == 0),
              "the job of submit %zu ended %u times, result %d", i,
              submit->ends, submit->result);
    }
}

/* ---- the order ---------------------------------------------------------- */

static void wait_until_blocked(size_t count) {
    weir_lanes_stats_t stats;
    while (weir_lanes_stats(lanes, &stats, sizeof stats),
           stats.blocked < count) {
        schedule_yield("wait for the queue");
    }
}

static void run_order(void) {
    make(4); /* a thread at the head waits until two jobs are taken */
    weir_lanes_suspend(lanes);
    for (size_t i = 0; i < 4; i++) {
        submit_by_thread(address_of(i));
    }
    thread_start("4", submit_by_thread, address_of(4));
    wait_until_blocked(1);
    submit_by_request(address_of(5));
    thread_start("6", submit_by_thread, address_of(6));
    wait_until_blocked(3);
    submit_by_request(address_of(7));
    weir_lanes_resume(lanes);
    submit_by_thread(address_of(8));
    threads_join();
    CHECK(weir_lanes_wait(lanes, FOREVER) == 0, "wait");
    CHECK(begins == MOST, "%zu jobs ran", begins);
    for (size_t i = 0; i < begins; i++) {
        CHECK(begun[i] == i, "the job of submit %zu began in place %zu",
              begun[i], i);
    }
    weir_lanes_release(lanes);
}

/* ---- cancel, close ------------------------------------------------------ */

static void request_and_cancel(void *number) {
    weir_lanes_request_t request;
    CHECK(weir_lanes_request_f(lanes, number, job, decide, &request) == 0,
          "request");
    int late = weir_lanes_request_cancel(request);
    const struct submit *submit = &submits[number_of(number)];
    CHECK(late == 0 || late == EALREADY, "a cancel failed with %d", late);
    CHECK(late || (submit->is_decided && submit->result == ECANCELED),
          "a cancelled request was not decided before the cancel returned");
    weir_lanes_request_release(request);
}

/* Before the job of a withdrawn request could run, drop or a decision had it. */
static void request_and_withdraw(void *number) {
    weir_lanes_request_t request;
    CHECK(weir_lanes_request_f(lanes, number, job, decide, &request) == 0,
          "request");
    int late = weir_lanes_request_withdraw(request);
    const struct submit *submit = &submits[number_of(number)];
    CHECK(late == 0 || late == EALREADY, "a withdrawal failed with %d", late);
    is_withdrawn[number_of(number)] = late == 0;
    CHECK(late || submit->ends == 1 ||
              (submit->is_decided && submit->result == ECANCELED),
          "a withdrawn job was neither dropped nor refused");
    weir_lanes_request_release(request);
}

static void close_lanes(void *unused) {
    (void)unused;
    weir_lanes_cancel(lanes);
    weir_lanes_close(lanes);
    CHECK(weir_lanes_async_f(lanes, NULL, job) == ECANCELED,
          "closed lanes took a job");
}

static void run_requests(size_t backlog) {
    make(backlog);
    submit_by_request(address_of(0));
    thread_start("waits", submit_by_thread, address_of(1));
    thread_start("cancels", request_and_cancel, address_of(2));
    thread_start("closes", close_lanes, NULL);
    submit_by_request(address_of(3));
    threads_join();
    weir_lanes_release(lanes); /* a request may still be queued */
}

static void end_requests(void) {
    for (size_t i = 0; i < 4; i++) {
        CHECK(submits[i].is_decided, "submit %zu was not decided", i);
    }
    end();
}

/* The thread gets the room that a withdrawn job gives up. */
static void run_withdrawals(void) {
    make(1);
    submit_by_request(address_of(0));
    thread_start("waits", submit_by_thread, address_of(1));
    thread_start("withdraws", request_and_withdraw, address_of(2));
    request_and_withdraw(address_of(3));
    threads_join();
    CHECK(weir_lanes_wait(lanes, FOREVER) == 0, "wait");
    weir_lanes_release(lanes);
}

static void end_withdrawals(void) {
    for (size_t i = 0; i < begins; i++) {
        CHECK(!is_withdrawn[begun[i]], "the withdrawn job %zu ran", begun[i]);
    }
    end_requests();
}

static void run_requests_bounded(void) { run_requests(1); }

static void run_requests_without_backlog(void) {
    run_requests(WEIR_LANES_NO_BACKLOG);
}

/* ---- idle --------------------------------------------------------------- */

static void decide_idle(void *number, int result) {
    CHECK(result || (submits[0].ends == 1 && submits[1].ends == 1),
          "the lanes were reported idle before an earlier job had ended");
    decide(number, result);
}

static void request_idle_and_cancel(void *number) {
    weir_lanes_request_t request;
    CHECK(weir_lanes_request_idle_f(lanes, number, decide_idle, &request) == 0,
          "request");
    int late = weir_lanes_request_cancel(request);
    CHECK(late || submits[number_of(number)].is_decided,
          "a cancelled request was not decided before the cancel returned");
    weir_lanes_request_release(request);
}

static void end_idle(void) {
    for (size_t i = 2; i < 5; i++) {
        CHECK(submits[i].is_decided, "request %zu was not decided", i);
    }
}

static void run_idle(void) {
    make(0);
    submit_by_thread(address_of(0));
    submit_by_thread(address_of(1));
    thread_start("cancels", request_idle_and_cancel, address_of(2));
    thread_start("drops", close_lanes, NULL);
    CHECK(weir_lanes_request_idle_f(lanes, address_of(3), decide_idle, NULL) ==
              0,
          "request");
    thread_start("cancels too", request_idle_and_cancel, address_of(4));
    threads_join();
    weir_lanes_release(lanes);
}

const struct scenario lanes_waiters_scenarios[] = {
    {.name = "lanes-order",
     .promise = "threads and requests get room in the order in which they came",
     .run = run_order,
     .ended = end},
    {.name = "lanes-requests",
     .promise = "one of a cancel, a close and a grant decides a request, once",
     .run = run_requests_bounded,
     .ended = end_requests},
    {.name = "lanes-requests-no-backlog",
     .promise = "a lane that becomes free is the room of the first that waits",
     .run = run_requests_without_backlog,
     .ended = end_requests},
    {.name = "lanes-withdrawals",
     .promise = "a withdrawn job never runs, and its place is free",
     .run = run_withdrawals,
     .ended = end_withdrawals},
    {.name = "lanes-idle",
     .promise =
         "a request for idle lanes is decided once, when no job is there",
     .run = run_idle,
     .ended = end_idle},
    {.name = NULL},
};
