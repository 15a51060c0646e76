/*
 * lanes.c: jobs on lanes.
 *
 * Promises of weir/lanes.h: each accepted job runs once, or is dropped once by a
 * cancel; no more jobs run at once than the width; the backlog bounds; a wait
 * returns when no job is queued or running; each lane context is destroyed
 * once; the last reference may be dropped in a job.
 */
#include "scenarios.h"

static weir_lanes_t lanes;
static size_t accepted, ran, dropped, running, peak, made, destroyed;
static size_t width;

static void *create_context(void *user, size_t lane) {
    (void)user;
    made++;
    return address_of(lane + 1);
}

static void destroy_context(void *context) {
    CHECK(context, "a context was lost");
    destroyed++;
}

static void drop(void *context) {
    (void)context;
    dropped++;
}

static void make(size_t wanted, size_t backlog) {
    width = wanted == WEIR_LANES_INLINE ? 1 : wanted;
    const weir_lanes_options_t options = {.label = "lanes",
                                          .width = wanted,
                                          .backlog = backlog,
                                          .lane_create = create_context,
                                          .lane_destroy = destroy_context,
                                          .dropped = drop};
    lanes = weir_lanes_create(&options);
}

static void job(void *context, void *lane_context) {
    (void)context;
    CHECK(lane_context, "a job has no lane context");
    running++;
    CHECK(running <= width, "%zu jobs run at once on %zu lanes", running,
          width);
    peak = running > peak ? running : peak;
    let_others_run();
    running--;
    ran++;
}

static void submit(void *count) {
    for (size_t i = 0; i < number_of(count); i++) {
        int error = weir_lanes_async_f(lanes, NULL, job);
        CHECK(error == 0 || error == ECANCELED, "a submit failed with %d",
              error);
        accepted += error == 0;
    }
}

static void wait_for_all(void) {
    CHECK(weir_lanes_wait(lanes, FOREVER) == 0, "wait");
    CHECK(ran + dropped == accepted && running == 0,
          "%zu jobs of %zu have ended after the wait", ran + dropped, accepted);
}

/* At the end of each scenario. */
static void end(void) {
    CHECK(ran + dropped == accepted,
          "%zu jobs ran and %zu were dropped, of %zu", ran, dropped, accepted);
    CHECK(made == destroyed, "%zu contexts were made, %zu destroyed", made,
          destroyed);
}

/* ---- submitting --------------------------------------------------------- */

static void run_table(void) {
    make(STATE->scenario->sizes[0], STATE->scenario->sizes[1]);
    threads_run();
    wait_for_all();
    weir_lanes_release(lanes);
}

static void release_in_job(void *context, void *lane_context) {
    job(context, lane_context);
    accepted++;
    CHECK(weir_lanes_async_f(lanes, NULL, job) == 0, "submit");
    weir_lanes_release(lanes);
}

static void run_release_in_job(void) {
    make(2, 0);
    accepted++;
    CHECK(weir_lanes_async_f(lanes, NULL, release_in_job) == 0, "submit");
}

/* ---- the backlog -------------------------------------------------------- */

static void run_backlog(void) {
    make(1, 1);
    thread_start("a", submit, address_of(2));
    thread_start("b", submit, address_of(2));
    threads_join();
    wait_for_all();
    weir_lanes_stats_t stats;
    weir_lanes_stats(lanes, &stats, sizeof stats);
    CHECK(stats.queued_peak <= 1, "%zu jobs were queued", stats.queued_peak);
    weir_lanes_release(lanes);
}

static void try_to_submit(void *unused) {
    (void)unused;
    int error = weir_lanes_try_async_f(lanes, NULL, job);
    CHECK(error == 0 || error == EAGAIN, "a submit failed with %d", error);
    accepted += error == 0;
}

/* ---- cancel, suspend ---------------------------------------------------- */

static size_t cancelled;

static void cancel(void *unused) {
    (void)unused;
    cancelled = weir_lanes_cancel(lanes);
}

static void run_cancel(void) {
    make(1, 1);
    thread_start("a", submit, address_of(2));
    thread_start("b", submit, address_of(1));
    thread_start("cancel", cancel, NULL);
    threads_join();
    wait_for_all();
    CHECK(cancelled == dropped, "%zu jobs were dropped, not %zu", dropped,
          cancelled);
    weir_lanes_release(lanes);
}

static void suspend_and_resume(void *unused) {
    (void)unused;
    weir_lanes_suspend(lanes);
    let_others_run();
    weir_lanes_resume(lanes);
}

/* ---- visits, width, inline ---------------------------------------------- */

static void count_visit(void *user, void *context) {
    CHECK(context && running == 0, "a lane was visited while a job ran");
    ++*(size_t *)user;
    let_others_run();
    CHECK(running == 0, "a job began during a visit");
}

static void visit(void *unused) {
    (void)unused;
    size_t visits = 0;
    int error = weir_lanes_each(lanes, &visits, count_visit);
    CHECK(error == 0 ? visits == 2 : error == EBUSY && visits == 0,
          "%zu lanes were visited, result %d", visits, error);
}

size_t weir__lanes_set_width(weir_lanes_t lanes, size_t width);
weir_lanes_t weir__lanes_create_variable(const weir_lanes_options_t *options,
                                         size_t most);

static void change_width(void *unused) {
    (void)unused;
    width = 3;
    weir__lanes_set_width(lanes, 3);
    weir__lanes_set_width(lanes, 1);
    weir__lanes_set_width(lanes, 2);
}

static void run_width(void) {
    const weir_lanes_options_t options = {.width = 1,
                                          .lane_create = create_context,
                                          .lane_destroy = destroy_context};
    width = 1;
    lanes = weir__lanes_create_variable(&options, 3);
    thread_start("a", submit, address_of(3));
    thread_start("width", change_width, NULL);
    threads_join();
    wait_for_all();
    weir_lanes_release(lanes);
}

/* queues/lanes_state.h */
extern size_t weir__lanes_threads_max;

static weir_lanes_t others;

static void submit_to_others(void *count) {
    for (size_t i = 0; i < number_of(count); i++) {
        CHECK(weir_lanes_async_f(others, NULL, job) == 0, "submit");
        accepted++;
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

/* ---- many --------------------------------------------------------------- */

static void act(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        switch (schedule_pick(6, "action")) {
        case 0:
        case 1:
        case 2:
            submit(address_of(1));
            break;
        case 3:
            suspend_and_resume(NULL);
            break;
        case 4:
            weir_lanes_cancel(lanes);
            break;
        case 5:
            try_to_submit(NULL);
            break;
        }
    }
}

const struct scenario lanes_scenarios[] = {
    {.name = "lanes-submit",
     .promise = "each job runs once, on at most two lanes, before a wait ends",
     .run = run_table,
     .sizes = {2, 0},
     .threads = {{"a", submit, 2}, {"b", submit, 1}},
     .ended = end},
    {.name = "lanes-release-in-job",
     .promise = "a job may drop the last reference, and what it submitted runs",
     .run = run_release_in_job,
     .ended = end},
    {.name = "lanes-backlog",
     .promise = "two producers wait for room for one, and both get it",
     .run = run_backlog,
     .ended = end,
     .has_faults = true},
    {.name = "lanes-no-backlog",
     .promise = "without a backlog a submit waits for a free lane, or refuses",
     .run = run_table,
     .sizes = {1, WEIR_LANES_NO_BACKLOG},
     .threads = {{"waits", submit, 2},
                 {"tries", try_to_submit, 0},
                 {"waits too", submit, 1}},
     .ended = end},
    {.name = "lanes-cancel",
     .promise = "a cancelled job is dropped once and does not run",
     .run = run_cancel,
     .ended = end},
    {.name = "lanes-suspend",
     .promise = "after the last resume every queued job runs",
     .run = run_table,
     .sizes = {2, 0},
     .threads = {{"a", submit, 2},
                 {"suspend", suspend_and_resume, 0},
                 {"suspend too", suspend_and_resume, 0}},
     .ended = end},
    {.name = "lanes-each",
     .promise = "no job runs during a visit of the contexts, and all run later",
     .run = run_table,
     .sizes = {2, 0},
     .threads = {{"a", submit, 2},
                 {"visit", visit, 0},
                 {"visit too", visit, 0}},
     .ended = end},
    {.name = "lanes-width",
     .promise = "no job is forgotten while the number of lanes goes 1, 3, 1, 2",
     .run = run_width,
     .ended = end},
    {.name = "lanes-threads",
     .promise = "lanes that share a thread run one job at a time, and all jobs",
     .run = run_threads,
     .ended = end},
    {.name = "lanes-inline",
     .promise = "jobs of two threads run one at a time, by either",
     .run = run_table,
     .sizes = {WEIR_LANES_INLINE, 0},
     .threads = {{"a", submit, 2}, {"b", submit, 2}},
     .ended = end},
    {.name = "lanes-many",
     .promise = "three threads submit, suspend, resume and cancel at random",
     .run = run_table,
     .sizes = {3, 2},
     .threads = {{"a", act, 0}, {"b", act, 0}, {"c", act, 0}},
     .ended = end,
     .has_faults = true,
     .is_large = true},
    {.name = NULL},
};
