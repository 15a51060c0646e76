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
