/*
 * lanes.c: jobs on lanes, and threads and requests that wait for room or for
 * idle lanes.
 *
 * Promises of weir/lanes.h: each accepted job runs once, or is dropped once by a
 * cancel, and a refused one does neither; no more jobs run at once than the
 * width; the backlog bounds; a wait returns when no job is queued or running;
 * each lane context is destroyed once; the last reference may be dropped in a
 * job. Waiting submits, of threads and of requests, are served in the order in
 * which they came, before any later one; `decided` is called exactly once; a
 * cancel calls it before it returns, or came too late.
 */
#include "scenarios.h"

#include "queues/lanes_state.h"

#define MOST 32

static weir_lanes_t lanes;
static size_t width, backlog, running, made, destroyed, dropped;

/* A submit, in the order of the scenario. */
static struct submit {
    bool is_decided, is_withdrawn;
    int result;
    unsigned ends; /* how often its job ran or was dropped */
} submits[MOST];

static size_t next;        /* the number of the next submit */
static size_t begun[MOST]; /* the submits whose jobs began, in order */
static size_t begins;

/* They are of one instant, and the backlog bounds. */
static void check_stats(void) {
    weir_lanes_stats_t stats;
    weir_lanes_stats(lanes, &stats, sizeof stats);
    CHECK(stats.submitted ==
              stats.queued + stats.running + stats.finished + stats.dropped,
          "of %llu jobs %zu are queued", (unsigned long long)stats.submitted,
          stats.queued);
    size_t most = backlog == WEIR_LANES_NO_BACKLOG ? width : backlog;
    CHECK(backlog == 0 || stats.queued_peak <= most, "%zu jobs were queued",
          stats.queued_peak);
}

static void *create_context(void *user, size_t lane) {
    made++;
    return address_of(lane + 1);
}

static void destroy_context(void *context) {
    CHECK(context, "a context was lost");
    destroyed++;
}

static void job(void *number, void *lane_context) {
    CHECK(lane_context, "a job has no lane context");
    CHECK(++running <= width, "%zu jobs run at once on %zu lanes", running,
          width);
    begun[begins++] = number_of(number);
    let_others_run();
    check_stats();
    running--;
    submits[number_of(number)].ends++;
}

static void drop(void *number) {
    submits[number_of(number)].ends++;
    dropped++;
}

static weir_lanes_options_t options(size_t wanted, size_t room) {
    backlog = wanted == WEIR_LANES_INLINE ? 0 : room;
    width = wanted == WEIR_LANES_INLINE ? 1 : wanted;
    return (weir_lanes_options_t){.label = "lanes",
                                  .width = wanted,
                                  .backlog = room,
                                  .lane_create = create_context,
                                  .lane_destroy = destroy_context,
                                  .dropped = drop};
}

static void make(size_t wanted, size_t room) {
    weir_lanes_options_t wanted_options = options(wanted, room);
    lanes = weir_lanes_create(&wanted_options);
}

static void decide(void *number, int result) {
    struct submit *submit = &submits[number_of(number)];
    CHECK(!submit->is_decided, "submit %zu was decided twice",
          number_of(number));
    CHECK(result == 0 || result == ECANCELED || result == EAGAIN,
          "a decision is %d", result);
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

static void submit(void *count) {
    for (size_t i = 0; i < number_of(count); i++) {
        submit_by_thread(address_of(next++));
    }
}

static void try_to_submit(void) {
    void *number = address_of(next++);
    decide(number, weir_lanes_try_async_f(lanes, number, job));
}

/* At the end of each scenario. */
static void end(void) {
    for (size_t i = 0; i < MOST; i++) {
        const struct submit *submit = &submits[i];
        CHECK(submit->ends == (submit->is_decided && submit->result == 0),
              "the job of submit %zu ended %u times, result %d", i,
              submit->ends, submit->result);
    }
    for (size_t i = 0; i < begins; i++) {
        CHECK(!submits[begun[i]].is_withdrawn, "the withdrawn job %zu ran",
              begun[i]);
    }
    CHECK(made == destroyed, "%zu contexts were made, %zu destroyed", made,
          destroyed);
}

static void wait_for_all(void) {
    CHECK(weir_lanes_wait(lanes, FOREVER) == 0, "wait");
    CHECK(running == 0, "%zu jobs run after the wait", running);
    for (size_t i = 0; i < next; i++) {
        CHECK(submits[i].ends || submits[i].result,
              "the job of submit %zu has not ended after the wait", i);
    }
}

static void release_in_job(void *number, void *lane_context) {
    job(number, lane_context);
    submit(address_of(1));
    weir_lanes_release(lanes);
}

static void run_release_in_job(void) {
    static const size_t widths[] = {1, 2, WEIR_LANES_INLINE};
    void *number = address_of(next++);
    make(widths[schedule_pick(3, "width")], 0);
    decide(number, weir_lanes_async_f(lanes, number, release_in_job));
}

/* ---- width, threads ----------------------------------------------------- */

static void change_width(void *unused) {
    width = 3;
    weir__lanes_set_width(lanes, 3);
    weir__lanes_set_width(lanes, 1);
    weir__lanes_set_width(lanes, 2);
}

static void run_width(void) {
    const weir_lanes_options_t first = options(1, 0);
    lanes = weir__lanes_create_variable(&first, 3);
    thread_start("a", submit, address_of(3));
    thread_start("width", change_width, NULL);
    threads_join();
    wait_for_all();
    weir_lanes_release(lanes);
}

static weir_lanes_t others;

static void submit_to_others(void *count) {
    for (size_t i = 0; i < number_of(count); i++) {
        void *number = address_of(next++);
        decide(number, weir_lanes_async_f(others, number, job));
    }
}

/* Three lanes share one thread: a lane that waits for it is not forgotten. */
static void run_threads(void) {
    weir__lanes_threads_max = 1;
    make(1, 0);
    others = lanes;
    make(2, 0);
    width = 1;
    thread_start("a", submit, address_of(2));
    thread_start("b", submit_to_others, address_of(2));
    threads_join();
    weir_lanes_wait(others, FOREVER);
    wait_for_all();
    weir_lanes_release(others);
    weir_lanes_release(lanes);
}

/* ---- jobs that submit --------------------------------------------------- */

/* Beyond the backlog, without a wait. A request waits like any other. */
static void submit_on_lane(void *number, void *lane_context) {
    job(number, lane_context);
    submit(address_of(2));
    submit_by_request(address_of(next++));
}

static void run_own(void) {
    void *number = address_of(next++);
    make(1 + schedule_pick(2, "width"), 1);
    backlog = 0; /* which they exceed */
    decide(number, weir_lanes_async_f(lanes, number, submit_on_lane));
    submit_by_request(address_of(next++));
    thread_start("waits", submit, address_of(1));
    threads_join();
    wait_for_all();
    weir_lanes_release(lanes);
}

/* ---- many --------------------------------------------------------------- */

static void suspend_and_resume(void) {
    weir_lanes_suspend(lanes);
    let_others_run();
    weir_lanes_resume(lanes);
}

static void count_visit(void *user, void *context) {
    CHECK(context && running == 0, "a lane was visited while a job ran");
    if (++*(size_t *)user == 1) {
        try_to_submit();
    }
    CHECK(weir_lanes_each(lanes, user, count_visit) == EBUSY,
          "a visit began during a visit");
    let_others_run();
    CHECK(running == 0, "a job began during a visit");
}

static void visit(void) {
    size_t visits = 0;
    int error = weir_lanes_each(lanes, &visits, count_visit);
    CHECK(error == 0 ? visits == width : error == EBUSY && visits == 0,
          "%zu lanes were visited, result %d", visits, error);
}

static size_t cancelled;

static void cancel(void) {
    size_t count = weir_lanes_cancel(lanes);
    cancelled += count;
}

static void act(void *unused) {
    for (unsigned left = 1 + schedule_pick(4, "actions"); left > 0; left--) {
        switch (schedule_pick(7, "action")) {
        case 0:
            suspend_and_resume();
            break;
        case 1:
            cancel();
            break;
        case 2:
            visit();
            break;
        case 3:
            try_to_submit();
            break;
        default:
            submit(address_of(1));
        }
    }
}

static void run_many(void) {
    static const size_t widths[] = {1, 2, 3, WEIR_LANES_INLINE};
    static const size_t backlogs[] = {0, 1, 2, WEIR_LANES_NO_BACKLOG};
    make(widths[schedule_pick(4, "width")],
         backlogs[schedule_pick(4, "backlog")]);
    threads_run();
    wait_for_all();
    check_stats();
    CHECK(cancelled == dropped, "%zu jobs were dropped, not %zu", dropped,
          cancelled);
    weir_lanes_release(lanes);
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
    make(1, 4); /* a thread at the head waits until two jobs are taken */
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
    wait_for_all();
    CHECK(begins == 9, "%zu jobs ran", begins);
    for (size_t i = 0; i < begins; i++) {
        CHECK(begun[i] == i, "the job of submit %zu began in place %zu",
              begun[i], i);
    }
    weir_lanes_release(lanes);
}

static void submit_again(void *unused, void *lane_context) {
    if (begins == 0) {
        CHECK(weir_lanes_async_f(lanes, NULL, submit_again) == 0, "submit");
    }
}

/* Until the job of the producer begins, the backlog is never half empty. */
static void run_full(void) {
    make(1, 4);
    backlog = 0;
    weir_lanes_suspend(lanes);
    for (int i = 0; i < 4; i++) {
        CHECK(weir_lanes_async_f(lanes, NULL, submit_again) == 0, "submit");
    }
    thread_start("producer", submit, address_of(1));
    wait_until_blocked(1);
    weir_lanes_resume(lanes);
    threads_join();
    wait_for_all();
    weir_lanes_release(lanes);
}

/* ---- cancel, close ------------------------------------------------------ */

static weir_lanes_request_t ask(void *number) {
    weir_lanes_request_t request;
    CHECK(weir_lanes_request_f(lanes, number, job, decide, &request) == 0,
          "request");
    return request;
}

/* After the cancel or the withdrawal of a request, which dropped the job, or decided the
   request before it returned, or came too late. */
static void check_ended(void *number, weir_lanes_request_t request, int late) {
    const struct submit *submit = &submits[number_of(number)];
    CHECK(late == 0 || late == EALREADY, "the end of a request: %d", late);
    CHECK(late || submit->ends == 1 ||
              (submit->is_decided && submit->result == ECANCELED),
          "an ended request was neither dropped nor decided");
    weir_lanes_request_release(request);
}

static void request_and_cancel(void *number) {
    weir_lanes_request_t request = ask(number);
    check_ended(number, request, weir_lanes_request_cancel(request));
}

static void request_and_withdraw(void *number) {
    weir_lanes_request_t request = ask(number);
    int late = weir_lanes_request_withdraw(request);
    submits[number_of(number)].is_withdrawn = late == 0;
    check_ended(number, request, late);
}

static void close_lanes(void *unused) {
    weir_lanes_cancel(lanes);
    weir_lanes_close(lanes);
    CHECK(weir_lanes_async_f(lanes, NULL, job) == ECANCELED,
          "closed lanes took a job");
}

static void run_requests(void) {
    make(1, schedule_pick(2, "backlog") ? 1 : WEIR_LANES_NO_BACKLOG);
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
    make(1, 1);
    submit_by_request(address_of(0));
    thread_start("waits", submit_by_thread, address_of(1));
    thread_start("withdraws", request_and_withdraw, address_of(2));
    request_and_withdraw(address_of(3));
    threads_join();
    wait_for_all();
    weir_lanes_release(lanes);
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
    check_ended(number, request, weir_lanes_request_cancel(request));
}

static void end_idle(void) {
    for (size_t i = 2; i < 5; i++) {
        CHECK(submits[i].is_decided, "request %zu was not decided", i);
    }
}

static void run_idle(void) {
    make(1, 0);
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

const struct scenario lanes_scenarios[] = {
    {"lanes-release-in-job",
     "a job may drop the last reference, and what it submitted runs",
     run_release_in_job, end},
    {"lanes-width",
     "no job is forgotten while the number of lanes goes 1, 3, 1, 2", run_width,
     end},
    {"lanes-threads",
     "lanes that share a thread run one job at a time, and all jobs",
     run_threads, end},
    {"lanes-own", "a submit from a job never waits", run_own, end},
    {"lanes-full",
     "a producer comes through if jobs keep the backlog nearly full", run_full,
     end},
    {"lanes-many",
     "each accepted job runs or is dropped once, within the width "
     "and the backlog, and not during a visit",
     run_many, .threads = {{"a", act, 0}, {"b", act, 0}, {"c", act, 0}},
     .ended = end, .has_faults = true},
    {"lanes-order",
     "threads and requests get room in the order in which they came", run_order,
     end},
    {"lanes-requests",
     "one of a cancel, a close and a grant decides a request, once",
     run_requests, end_requests},
    {"lanes-withdrawals", "a withdrawn job never runs, and its place is free",
     run_withdrawals, end_requests},
    {"lanes-idle",
     "a request for idle lanes is decided once, when no job is there", run_idle,
     end_idle},
    {NULL},
};
