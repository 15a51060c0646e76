/* gate_tests.c: the sizes of gates and of their statistics; threads, and the absence of
   threads, that wait. (gate_model_tests.c has orders of operations with any counts.) */
#include "objects.h"
#include <dirent.h>

/* gate_model_tests.c has the requests and the work at such a gate. */
TEST(a_thread_waits_at_a_paused_gate) {
    static _Atomic bool served;
    GATE(gate, NULL, 0);
    CHECK(gate_wait(gate, SIZE_MAX) == EINVAL &&
          weir_gate_try(gate, SIZE_MAX / 2) == EINVAL);
    CHECK_EQUAL(weir_gate_wait(gate, 1, DISPATCH_TIME_NOW), ETIMEDOUT);
    CHECK_EQUAL(weir_gate_wait(gate, 9, in_milliseconds(2)), ETIMEDOUT);
    CHECK_EQUAL(gate_stats(gate).timed_out, 2);
    pthread_t thread = gate_start_waiter(gate, 2, ^{
      served = true;
    });
    CHECK(weir_gate_resize(gate, 0) == 0 && gate_stats(gate).waiting == 1);
    CHECK(!served && weir_gate_resize(gate, 3) == 0);
    thread_join(thread);
    CHECK(served);
    weir_gate_signal(gate, 2);
}

TEST(gates_can_be_made_of_any_size_that_fits) {
    size_t most = WEIR_GATE_PERMITS_MAX;
    weir_gate_t gate = weir_gate_create(NULL, most);
    CHECK(weir_gate_try(gate, most) == 0 && weir_gate_try(gate, 1) == EAGAIN);
    weir_gate_signal(gate, most);
    weir_gate_release(gate);
    errno = 0;
    CHECK(weir_gate_create("too many", most + 1) == NULL && errno == EINVAL);
    CHECK(weir_gate_create("too many", SIZE_MAX) == NULL);
}

TEST(the_statistics_can_grow_and_shrink) {
    enum { SIZE = sizeof(weir_gate_stats_t) };
    GATE(gate, NULL, 5);
    CHECK_EQUAL(weir_gate_try(gate, 2), 0);
    for (size_t given = 0; given <= SIZE + 16; given++) {
        _Alignas(8) unsigned char bytes[SIZE + 32];
        memset(bytes, 0xAA, sizeof bytes);
        weir_gate_stats(gate, (weir_gate_stats_t *)(void *)bytes, given);
        check_row("size %zu", given);
        CHECK(given == 0 || bytes[0] == 5);
        for (size_t index = SIZE; index < given; index++) {
            CHECK_EQUAL(bytes[index], 0);
        }
        for (size_t index = given; index < sizeof bytes; index++) {
            CHECK_EQUAL(bytes[index], 0xAA);
        }
    }
    weir_gate_signal(gate, 2);
}

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

/* A job that waits for permits, all of which it took itself, gets those that its own loop
   returns. (Tests/Schedules has other help.) */
TEST(a_job_gets_permits_that_its_loop_returns) {
    if (weir_lanes_default_width() == 1) {
        check_skip("one core");
    }
    GATE(gate, "tickets", 4);
    LANES(lanes, "lanes", 2, 0);
    lanes_submit(lanes, ^{
      gate_take(gate, 4);
      weir_apply(2, 1, NULL, ^(size_t index, size_t end) {
        if (index + end == 1) {
            CHECK(EVENTUALLY(gate_stats(gate).waiting == 1));
            weir_gate_signal(gate, 4);
        } else {
            gate_take(gate, 2);
        }
      });
      weir_gate_signal(gate, 2);
    });
    CHECK(lanes_wait(lanes) && gate_stats(gate).in_use == 0);
}
