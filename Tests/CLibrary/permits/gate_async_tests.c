/* gate_async_tests.c: requests and work at a gate need no thread. Each is decided
   once, whatever closes, resizes or cancels. (gate_model_tests.c has every small
   order of them.) */
#include "objects.h"
#include <dirent.h>

/* With the entries . and .. of the directory. */
static long count_threads(void) {
    DIR *directory = opendir("/proc/self/task");
    long count = 0;
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

TEST(a_thousand_jobs_hold_no_threads) {
    static struct meter running;
    static _Atomic long most;
    GATE(gate, NULL, 3);
    QUEUE(queue, "jobs", DISPATCH_QUEUE_CONCURRENT);
    long before = count_threads();
    gate_take(gate, 3);
    for (int number = 0; number < 1000; number++) {
        gate_submit(gate, 1, queue, ^{
          meter_enter(&running);
          nanosleep(&(struct timespec){0, 100000}, NULL);
          if (running.ever % 50 == 0) {
              long now = count_threads();
              most = most > now ? most : now;
          }
          meter_leave(&running);
        });
    }
    weir_gate_signal(gate, 3);
    CHECK(EVENTUALLY(running.ever == 1000 && gate_stats(gate).in_use == 0));
    CHECK(running.most <= 3 && gate_stats(gate).peak == 3);
    CHECK_EQUAL(gate_stats(gate).blocked, 1000);
    /* Those of the queue, libdispatch's manager, and those that it starts because the
       ones before do not sleep yet. */
    CHECK(most - before <= 32, "%ld threads, then %ld", before, most);
}

/* Work of 0 permits waits for nothing. */
TEST(work_starts_in_its_order) {
    static _Atomic int last = -1, ran;
    GATE(gate, NULL, 2);
    QUEUE(queue, "serial", NULL);
    for (int number = 0; number < 500; number++) {
        gate_submit(gate, number % 3, queue, ^{
          if (number % 3 > 0) {
              CHECK(number > last, "%d after %d", number, last);
              last = number;
          }
          ran++;
        });
    }
    CHECK(EVENTUALLY(ran == 500) && last == 499);
}

static int asked;

static void ask_again(void *gate, int result) {
    if (result == 0) {
        weir_gate_signal(gate, 1);
    }
    if (++asked < 200000) {
        CHECK_EQUAL(weir_gate_request_f(gate, 1, gate, ask_again, NULL), 0);
    }
}

TEST(a_decision_that_asks_again_needs_no_stack) {
    GATE(gate, NULL, 1);
    CHECK_EQUAL(weir_gate_request_f(gate, 1, gate, ask_again, NULL), 0);
    CHECK(asked == 200000 && gate_stats(gate).in_use == 0);
}

TEST(a_decision_may_call_the_gate) {
    static weir_gate_request_t requests[3];
    static _Atomic int decided[] = {-1, -1, -1};
    GATE(gate, NULL, 1);
    gate_take(gate, 1);
    int error = weir_gate_request(
        gate, 1,
        ^(int result) {
          decided[0] = result;
          /* At once, though a decision is being delivered. */
          CHECK_EQUAL(weir_gate_request_cancel(requests[1]), 0);
          CHECK(decided[1] == ECANCELED && decided[2] == -1);
          CHECK_EQUAL(weir_gate_resize(gate, 3), 0);
          weir_gate_close(gate);
          weir_gate_signal(gate, 1);
        },
        &requests[0]);
    for (int place = 1; place < 3 && error == 0; place++) {
        error = weir_gate_request_f(gate, 1, &decided[place], store_result,
                                    &requests[place]);
    }
    REQUIRE(error == 0);
    weir_gate_signal(gate, 1);
    CHECK(decided[0] == 0 && decided[1] == ECANCELED && decided[2] == 0);
    for (int place = 0; place < 3; place++) {
        weir_gate_request_release(requests[place]);
    }
    weir_gate_signal(gate, 1);
}

TEST(accepted_work_runs_after_the_close_and_the_release) {
    static _Atomic int ran;
    QUEUE(queue, "serial", NULL);
    weir_gate_t gate = weir_gate_create(NULL, 3);
    void (^work)(void) = ^{
      ran++;
    };
    gate_take(gate, 3);
    for (int number = 0; number < 10; number++) {
        gate_submit(gate, 3, queue, work);
    }
    weir_gate_close(gate);
    CHECK_EQUAL(weir_gate_async(gate, 1, queue, work), ECANCELED);
    weir_gate_release(gate);
    weir_gate_signal(gate, 3);
    CHECK(EVENTUALLY(ran == 10));
}

/* Threads wait for both permits of a gate, which closes, shrinks or grows. */
TEST(closes_and_resizes_end_waits) {
    enum { CLOSE, SHRINK, GROW };
    static const int ends[] = {ECANCELED, EINVAL, 0};
    static const int later[] = {ECANCELED, ETIMEDOUT, 0};
    for (int row = CLOSE; row <= GROW; row++) {
        GATE(gate, NULL, 2);
        struct crew crew = {0};
        check_row("%d", row);
        gate_take(gate, 2);
        for (size_t number = 0; number < 3; number++) {
            crew_add(&crew, ^{
              CHECK_EQUAL(gate_wait(gate, 2), ends[row]);
              weir_gate_signal(gate, row == GROW ? 2 : 0);
            });
            CHECK(EVENTUALLY(gate_stats(gate).waiting == number + 1));
        }
        if (row == CLOSE) {
            weir_gate_close(gate);
        } else {
            CHECK_EQUAL(weir_gate_resize(gate, row == SHRINK ? 1 : 4), 0);
        }
        crew_join(crew);
        weir_gate_stats_t stats = gate_stats(gate);
        CHECK(stats.waiting == 0 && stats.in_use == 2);
        CHECK_EQUAL(stats.cancelled, row == GROW ? 0 : 3);
        CHECK_EQUAL(weir_gate_wait(gate, 1, DISPATCH_TIME_NOW), later[row]);
        weir_gate_signal(gate, row == GROW ? 3 : 2);
    }
}

static _Atomic int requested, answered;

static void call_at_random(weir_gate_t gate, dispatch_queue_t queue,
                           struct check_random *random) {
    size_t count = 1 + check_below(random, 3);
    size_t call = check_below(random, 6);
    weir_gate_request_t request = NULL;
    void (^decided)(int) = ^(int result) {
      answered++;
      if (result == 0) {
          dispatch_async(queue, ^{
            weir_gate_signal(gate, count);
          });
      }
    };
    requested += call == 2 || call > 3;
    if (call < 2) {
        int error = call == 0 ? weir_gate_wait(gate, count, in_milliseconds(1))
                              : weir_gate_try(gate, count);
        weir_gate_signal(gate, error == 0 ? count : 0);
    } else if (call == 2) {
        answered += weir_gate_async(gate, count, queue, ^{
                      answered++;
                    }) != 0;
    } else if (call == 3) {
        CHECK_EQUAL(weir_gate_resize(gate, 1 + check_below(random, 6)), 0);
    } else {
        CHECK_EQUAL(weir_gate_request(gate, count, decided, &request), 0);
        if (check_below(random, 2) == 0) {
            weir_gate_request_cancel(request);
        }
        weir_gate_request_release(request);
    }
}

/* Everything at once: each request is decided once, and no permit is lost. */
TEST(under_every_load_the_counts_are_right) {
    GATE(gate, NULL, 4);
    QUEUE(queue, "load", DISPATCH_QUEUE_CONCURRENT);
    threads_run(4, ^(long number) {
      struct check_random random = check_random("every load");
      random.state += (uint64_t)number;
      for (int step = 0; step < 400; step++) {
          call_at_random(gate, queue, &random);
      }
    });
    CHECK_EQUAL(weir_gate_resize(gate, 6), 0);
    CHECK(EVENTUALLY(answered == requested && gate_stats(gate).in_use == 0));
    CHECK(gate_stats(gate).peak <= 6 && gate_stats(gate).waiting == 0);
}
