/* gate_random_tests.c: threads call everything at several gates that are resized
   meanwhile, or closed. Each call ends once, no more permits are in use than a gate
   ever had, and the statistics are the sums of what the callers saw. */
#include "objects.h"
#include <sched.h>
#include <weir/spi.h>

enum { GATES = 3, THREADS = 4, PERMITS = 5 };

/* A gate, and what its callers saw. */
struct seen {
    weir_gate_t gate;
    _Atomic uint64_t granted, timed_out, ended, refused, in_use, most;
    _Atomic uint64_t accepted, ran;
};

static struct seen all[GATES];
static dispatch_queue_t queue;

static void use(struct seen *seen, size_t count) {
    uint64_t now = seen->in_use += count, most = seen->most;
    while (now > most &&
           !atomic_compare_exchange_weak(&seen->most, &most, now)) {
    }
    seen->granted += count > 0;
}

static void end_use(struct seen *seen, size_t count) { seen->in_use -= count; }

static void end(struct seen *seen, int error) {
    seen->timed_out += error == ETIMEDOUT;
    seen->ended += error == EINTR;
    seen->refused += error == ECANCELED || error == EINVAL;
    CHECK(error == 0 || error == EAGAIN || error == ETIMEDOUT ||
              error == EINTR || error == ECANCELED || error == EINVAL,
          "error %d", error);
}

static void wait_and_use(struct seen *seen, size_t count, size_t time) {
    dispatch_time_t timeout = time == 0   ? DISPATCH_TIME_NOW
                              : time == 1 ? in_milliseconds(1)
                                          : DISPATCH_TIME_FOREVER;
    int error = time == 3 ? weir_gate_try(seen->gate, count)
                          : weir_gate_wait(seen->gate, count, timeout);
    end(seen, error);
    if (error == 0) {
        use(seen, count);
        sched_yield();
        end_use(seen, count);
        weir_gate_signal(seen->gate, count);
    }
}

static void scope(struct seen *seen, size_t count, uint64_t task) {
    const weir_caller_t caller = {.task = task, .name = "task"};
    weir_gate_scope_t record;
    int error = weir_gate_enter(seen->gate, count, &caller, &record);
    end(seen, error);
    if (error == 0) {
        use(seen, count);
        CHECK_EQUAL(weir_gate_scopes_hold(seen->gate, task), count);
        end_use(seen, count);
        CHECK(weir_gate_leave(seen->gate, count, record) == NULL);
    }
}

/* ---- Requests and work -------------------------------------------------- */

struct ask {
    struct seen *seen;
    size_t count;
    _Atomic int calls;
};

static void decided(void *context, int result) {
    struct ask *ask = context;
    CHECK_EQUAL(++ask->calls, 1);
    end(ask->seen, result);
    if (result == 0) {
        use(ask->seen, ask->count);
        end_use(ask->seen, ask->count);
        weir_gate_signal(ask->seen->gate, ask->count);
    }
    ask->seen->ran++;
}

static void work(void *context) {
    struct ask *ask = context;
    CHECK_EQUAL(++ask->calls, 1);
    ask->seen->granted += ask->count > 0;
    ask->seen->ran++;
}

static void granted(void *context, size_t count) {
    struct ask *ask = context;
    CHECK(++ask->calls == 1 && count <= ask->count);
    use(ask->seen, count);
    ask->seen->granted += count == 0 && ask->count > 0; /* after a close */
    end_use(ask->seen, count);
    weir_gate_signal(ask->seen->gate, count);
    ask->seen->ran++;
}

static void request(struct seen *seen, struct ask *ask, size_t way) {
    weir_gate_request_t request;
    seen->accepted++;
    REQUIRE(weir_gate_request_f(seen->gate, ask->count, ask, decided,
                                &request) == 0);
    int error = way == 0   ? weir_gate_request_cancel(request)
                : way == 1 ? weir_gate_request_end(request, EINTR)
                : way == 2 ? weir_gate_request_end(request, ETIMEDOUT)
                           : EALREADY;
    CHECK(error == EALREADY || ask->calls == 1);
    weir_gate_request_release(request);
}

static void submit(struct seen *seen, struct ask *ask, bool to_queue) {
    seen->accepted++;
    int error =
        to_queue ? weir_gate_async_f(seen->gate, ask->count, queue, ask, work)
                 : weir_gate_grant_f(seen->gate, ask->count, ask, granted);
    CHECK(error == 0 || error == ECANCELED || error == EINVAL, "%d", error);
    seen->accepted -= error != 0;
}

static void call(struct check_random *random, struct ask *ask, uint64_t task) {
    struct seen *seen = ask->seen = &all[check_below(random, GATES)];
    ask->count = check_below(random, PERMITS + 1);
    switch (check_below(random, 8)) {
    case 0:
    case 1:
    case 2:
        return wait_and_use(seen, ask->count, check_below(random, 4));
    case 3:
        return scope(seen, ask->count, task);
    case 4:
    case 5:
        return request(seen, ask, check_below(random, 5));
    default:
        return submit(seen, ask, check_below(random, 2) == 0);
    }
}

/* ---- Runs --------------------------------------------------------------- */

static void check_end_of(struct seen *seen, bool was_closed) {
    weir_gate_stats_t stats = gate_stats(seen->gate);
    CHECK(seen->in_use == 0 && seen->most <= PERMITS && stats.peak <= PERMITS);
    CHECK(stats.closed == was_closed && stats.waiting == 0);
    CHECK_EQUAL(stats.waits, seen->granted);
    CHECK_EQUAL(stats.timed_out, seen->timed_out);
    CHECK(stats.blocked <= stats.waits && stats.woken <= stats.blocked);
    CHECK(stats.cancelled <= seen->refused + seen->ended);
}

/* The resizes end before the calls: then signals alone serve waiters. */
static void run(uint64_t seed, int calls, bool closes) {
    struct ask *asks = calloc((size_t)(THREADS * calls), sizeof *asks);
    memset(all, 0, sizeof all);
    for (int number = 0; number < GATES; number++) {
        all[number].gate = weir_gate_create("random", PERMITS);
    }
    pthread_t controller = thread_start(^{
      struct check_random random = {seed};
      for (int i = 0; i < calls / 20; i++) {
          weir_gate_t gate = all[check_below(&random, GATES)].gate;
          CHECK_EQUAL(weir_gate_resize(gate, check_below(&random, PERMITS + 1)),
                      0);
          if (closes && check_below(&random, 100) == 0) {
              weir_gate_close(gate);
          }
          nanosleep(&(struct timespec){0, 10000}, NULL);
      }
      for (int number = 0; number < GATES; number++) {
          CHECK_EQUAL(weir_gate_resize(all[number].gate, PERMITS), 0);
      }
    });
    threads_run(THREADS, ^(long number) {
      struct check_random random = {seed + 1 + (uint64_t)number};
      for (int i = 0; i < calls; i++) {
          call(&random, &asks[number * calls + i], 1 + (uint64_t)number);
      }
    });
    thread_join(controller);
    for (int number = 0; number < GATES; number++) {
        struct seen *seen = &all[number];
        if (closes) {
            weir_gate_close(seen->gate);
        }
        CHECK(EVENTUALLY(seen->ran == seen->accepted &&
                         gate_stats(seen->gate).in_use == 0));
        check_end_of(seen, closes);
        weir_gate_release(seen->gate);
    }
    free(asks);
}

TEST(random_calls_at_several_gates) {
    struct check_random random = check_random("random calls");
    queue = dispatch_queue_create("work", DISPATCH_QUEUE_CONCURRENT);
    long runs = check_setting("WEIR_TEST_GATE_RUNS", 8);
    for (long number = 0; number < runs; number++) {
        uint64_t seed = check_next(&random);
        check_row("seed %llu", (unsigned long long)seed);
        run(seed, 2000, number % 2 == 1);
    }
    dispatch_release(queue);
}
