/* lanes_random_tests.c: threads and jobs call everything at several lanes, which are
   suspended, cancelled or closed meanwhile. Each job runs or is dropped once if it was
   accepted, each request is decided once, and the statistics are the sums. */
#include "objects.h"
#include <sched.h>

enum { LANES = 4, THREADS = 4 };

/* Lanes, and what their callers saw. */
struct seen {
    weir_lanes_t lanes;
    _Atomic uint64_t accepted, ran, dropped, refused, asked, decided;
    size_t width;
    _Atomic size_t running;
};

struct job {
    struct seen *seen;
    _Atomic int accepted, ended, decided;
    uint64_t seed;
};

static struct seen all[LANES];
static weir_gate_t gate;

static void drop(void *context) {
    struct job *job = context;
    job->ended++;
    job->seen->dropped++;
}

static void run_child(void *context, void *lane) {
    struct seen *seen = context;
    seen->ran++;
}

static void accept(struct seen *seen, struct job *job, int error) {
    CHECK(error == 0 || error == ECANCELED || error == EAGAIN, "%d", error);
    seen->refused += error != 0;
    seen->accepted += error == 0;
    if (job) {
        job->accepted += error == 0;
    }
}

/* A job waits at a gate for a moment, or submits another one to its own lanes. */
static void run_job(void *context, void *lane) {
    struct job *job = context;
    struct seen *seen = job->seen;
    struct check_random random = {job->seed};
    CHECK(++seen->running <= seen->width);
    if (check_below(&random, 4) == 0 &&
        weir_gate_wait(gate, 1, in_milliseconds(1)) == 0) {
        sched_yield();
        weir_gate_signal(gate, 1);
    } else if (check_below(&random, 8) == 0) {
        accept(seen, NULL,
               weir_lanes_async_drop_f(seen->lanes, seen, run_child, NULL));
    }
    seen->running--;
    job->ended++;
    seen->ran++;
}

static void decide(void *context, int result) {
    struct job *job = context;
    CHECK_EQUAL(++job->decided, 1);
    job->accepted += result == 0;
    job->seen->accepted += result == 0;
    job->seen->decided++;
}

static void decide_idle(void *context, int result) {
    struct job *job = context;
    CHECK(++job->decided == 1 && (result == 0 || result == ECANCELED));
    job->seen->decided++;
}

/* A job that is withdrawn after its acceptance may be dropped before the decision has
   been delivered. */
static void request(struct seen *seen, struct job *job, size_t way) {
    weir_lanes_request_t request;
    bool is_idle = way >= 4;
    int error =
        is_idle
            ? weir_lanes_request_idle_f(seen->lanes, job, decide_idle, &request)
            : weir_lanes_request_f(seen->lanes, job, run_job, decide, &request);
    REQUIRE(error == 0);
    seen->asked++;
    error = way % 4 == 0   ? weir_lanes_request_cancel(request)
            : way % 4 == 1 ? weir_lanes_request_withdraw(request)
                           : EALREADY;
    CHECK(error == EALREADY || way % 4 == 1 || job->decided == 1);
    weir_lanes_request_release(request);
}

static void visit(void *user, void *lane) {
    struct seen *seen = user;
    CHECK(seen->running == 0);
}

static void suspend(struct seen *seen, struct job *job) {
    weir_lanes_suspend(seen->lanes);
    accept(seen, job, weir_lanes_try_async_f(seen->lanes, job, run_job));
    sched_yield();
    weir_lanes_resume(seen->lanes);
}

static void call(struct check_random *random, struct job *job) {
    struct seen *seen = job->seen = &all[check_below(random, LANES)];
    job->seed = check_next(random);
    switch (check_below(random, 12)) {
    case 0:
        weir_lanes_wait(seen->lanes, check_below(random, 2) == 0
                                         ? in_milliseconds(1)
                                         : DISPATCH_TIME_FOREVER);
        return;
    case 1:
        return suspend(seen, job);
    case 2:
        if (check_below(random, 10) == 0) {
            weir_lanes_cancel(seen->lanes);
        }
        return;
    case 3:
        (void)!weir_lanes_each(seen->lanes, seen, visit);
        return;
    case 4:
    case 5:
    case 6:
        return request(seen, job, check_below(random, 8));
    case 7:
    case 8:
        return accept(seen, job,
                      weir_lanes_try_async_f(seen->lanes, job, run_job));
    default:
        return accept(seen, job, weir_lanes_async_f(seen->lanes, job, run_job));
    }
}

/* ---- Runs --------------------------------------------------------------- */

static void make(struct check_random *random, struct seen *seen) {
    static const size_t backlogs[] = {0, 1, 3, WEIR_LANES_NO_BACKLOG};
    seen->width = 1 + check_below(random, 3);
    seen->lanes = weir_lanes_create(&(weir_lanes_options_t){
        .label = "random",
        .width = seen->width,
        .backlog = backlogs[check_below(random, 4)],
        .dropped = drop,
    });
}

/* Jobs of jobs have no drop function, so a cancel drops them unseen. */
static void check_end_of(struct seen *seen, bool was_closed) {
    weir_lanes_stats_t stats = lanes_stats(seen->lanes);
    CHECK(stats.running == 0 && stats.queued == 0 && stats.starting == 0);
    CHECK(stats.closed == was_closed && stats.peak <= seen->width);
    CHECK_EQUAL(stats.submitted, seen->accepted);
    CHECK_EQUAL(stats.finished, seen->ran);
    CHECK_EQUAL(stats.submitted, stats.finished + stats.dropped);
    CHECK(seen->dropped <= stats.dropped && seen->refused <= stats.refused);
}

static void run(uint64_t seed, int calls, bool closes) {
    size_t count = (size_t)(THREADS * calls);
    struct job *jobs = calloc(count, sizeof *jobs);
    struct check_random first = {seed};
    gate = weir_gate_create("random", 1);
    memset(all, 0, sizeof all);
    for (int number = 0; number < LANES; number++) {
        make(&first, &all[number]);
    }
    threads_run(THREADS, ^(long number) {
      struct check_random random = {seed + 1 + (uint64_t)number};
      for (int i = 0; i < calls; i++) {
          call(&random, &jobs[number * calls + i]);
          if (closes && check_below(&random, (size_t)calls) == 0) {
              weir_lanes_close(all[check_below(&random, LANES)].lanes);
          }
      }
    });
    for (int number = 0; number < LANES; number++) {
        struct seen *seen = &all[number];
        CHECK(EVENTUALLY(seen->decided == seen->asked));
        CHECK(lanes_wait(seen->lanes));
        if (closes) {
            weir_lanes_close(seen->lanes);
        }
        CHECK(EVENTUALLY(lanes_stats(seen->lanes).starting == 0));
        check_end_of(seen, closes);
        weir_lanes_release(seen->lanes);
    }
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(jobs[i].ended, jobs[i].accepted);
    }
    weir_gate_release(gate);
    free(jobs);
}

TEST(random_calls_at_several_lanes) {
    struct check_random random = check_random("random lanes");
    long runs = check_setting("WEIR_TEST_LANES_RUNS", 8);
    for (long number = 0; number < runs; number++) {
        uint64_t seed = check_next(&random);
        check_row("seed %llu", (unsigned long long)seed);
        run(seed, 500, number % 2 == 1);
    }
}
