/* gate_tests.c: a gate grants permits in the order of the requests, grants no more
   than it has, and loses none. */
#include "objects.h"
#include <sched.h>

/* All permits are in use and threads wait. Then the permits return, one by one and
   as the served threads have taken them: each signal serves the first waiters that
   fit, and only those. */
static void check_order(size_t permits, const size_t counts[], int length) {
    GATE(gate, NULL, permits);
    pthread_t threads[4];
    _Atomic unsigned served = 0, *mask = &served;
    gate_take(gate, permits);
    for (int index = 0; index < length; index++) {
        threads[index] = gate_start_waiter(gate, counts[index], ^{
          *mask |= 1U << index;
        });
    }
    size_t mine = permits, available = 0;
    int next = 0, holder = 0;
    while (mine > 0 || holder < next) {
        size_t returned = mine > 0 ? 1 : counts[holder++];
        mine -= mine > 0;
        available += returned;
        size_t woken = 0;
        for (; next < length && counts[next] <= available; next++, woken++) {
            available -= counts[next];
        }
        CHECK_EQUAL(weir_gate_signal(gate, returned), woken);
        weir_gate_stats_t stats = gate_stats(gate);
        CHECK_EQUAL(stats.waiting, length - next);
        CHECK_EQUAL(stats.in_use, permits - available);
        CHECK(EVENTUALLY(served == (1U << next) - 1), "%#x", served);
    }
    CHECK_EQUAL(next, length);
    for (int index = 0; index < length; index++) {
        thread_join(threads[index]);
    }
}

TEST(waiters_are_served_in_order) {
    threads_run(4, ^(long number) {
      size_t permits = (size_t)number + 1, lists = permits;
      for (int length = 1; length <= (permits < 3 ? 4 : 3); length++) {
          for (size_t list = 0; list < lists; list++) {
              size_t counts[4], rest = list;
              for (int index = 0; index < length; index++, rest /= permits) {
                  counts[index] = 1 + rest % permits;
              }
              check_row("%zu permits, list %zu of %d", permits, list, length);
              check_order(permits, counts, length);
          }
          lists *= permits;
      }
    });
}

TEST(more_than_all_permits_is_an_error_at_once) {
    static const size_t counts[] = {4, 5, SIZE_MAX / 2, SIZE_MAX};
    GATE(gate, NULL, 3);
    for (size_t row = 0; row < 8; row++) {
        size_t taken = row < 4 ? 0 : 3, count = counts[row % 4];
        CHECK_EQUAL(weir_gate_try(gate, taken), 0);
        CHECK(gate_wait(gate, count) == EINVAL &&
              weir_gate_try(gate, count) == EINVAL);
        weir_gate_signal(gate, taken);
    }
}

/* Every request waits for the next resize, which serves or refuses it. */
static void check_paused(weir_gate_t gate) {
    _Atomic int decisions[4] = {-1, -1, -1, -1}, *decision = decisions;
    CHECK(weir_gate_try(gate, 1) == EAGAIN && weir_gate_try(gate, 9) == EAGAIN);
    /* More than any gate can have. */
    for (size_t divisor = 1; divisor <= 2; divisor++) {
        size_t count = SIZE_MAX / divisor;
        CHECK(gate_wait(gate, count) == EINVAL &&
              weir_gate_try(gate, count) == EINVAL);
    }
    CHECK_EQUAL(weir_gate_wait(gate, 1, DISPATCH_TIME_NOW), ETIMEDOUT);
    CHECK_EQUAL(weir_gate_wait(gate, 9, in_milliseconds(2)), ETIMEDOUT);
    gate_take(gate, 0);
    pthread_t thread = gate_start_waiter(gate, 2, ^{
      decision[0] = 0;
    });
    int errors[] = {
        weir_gate_request_f(gate, 1, &decision[1], store_result, NULL),
        weir_gate_request_f(gate, 9, &decision[2], store_result, NULL),
        weir_gate_async(gate, 1, global(), ^{
          decision[3] = 0;
        })};
    CHECK(errors[0] == 0 && errors[1] == 0 && errors[2] == 0);
    CHECK_EQUAL(gate_stats(gate).waiting, 4);
    CHECK(weir_gate_resize(gate, 0) == 0 && gate_stats(gate).waiting == 4);
    CHECK(decisions[0] + decisions[1] + decisions[2] + decisions[3] == -4);
    CHECK_EQUAL(weir_gate_resize(gate, 3), 0);
    thread_join(thread);
    CHECK(decisions[0] == 0 && decisions[1] == 0 && decisions[2] == EINVAL);
    weir_gate_signal(gate, 3);
    CHECK(EVENTUALLY(decisions[3] == 0 && gate_stats(gate).in_use == 0));
    CHECK(weir_gate_try(gate, 4) == EINVAL && weir_gate_resize(gate, 0) == 0);
    weir_gate_close(gate);
    CHECK(weir_gate_try(gate, 1) == ECANCELED &&
          gate_wait(gate, 1) == ECANCELED);
    weir_gate_release(gate);
}

TEST(a_paused_gate_lets_everybody_wait) {
    check_paused(weir_gate_create(NULL, 0));
    weir_gate_t gate = weir_gate_create(NULL, 3);
    CHECK_EQUAL(weir_gate_resize(gate, 0), 0);
    check_paused(gate);
}

TEST(small_requests_do_not_starve_a_big_one) {
    GATE(gate, NULL, 4);
    static _Atomic bool served;
    threads_run(7, ^(long number) {
      size_t count = number == 6 ? 4 : 1;
      while (!served) {
          gate_take(gate, count);
          if (count == 4) {
              served = true;
          }
          weir_gate_signal(gate, count);
      }
    });
    CHECK_EQUAL(gate_stats(gate).in_use, 0);
}

TEST(a_time_out_serves_the_next_waiter) {
    GATE(gate, NULL, 2);
    gate_take(gate, 1);
    pthread_t impatient = thread_start(^{
      CHECK_EQUAL(weir_gate_wait(gate, 2, in_milliseconds(20)), ETIMEDOUT);
    });
    CHECK(
        EVENTUALLY(gate_stats(gate).waiting + gate_stats(gate).timed_out > 0));
    gate_take(gate, 1);
    thread_join(impatient);
    weir_gate_signal(gate, 2);
}

/* Writes before a signal are visible after the wait that it serves: the sum is right,
   and the thread sanitizer silent. */
TEST(a_gate_of_one_permit_is_a_lock) {
    GATE(gate, NULL, 1);
    static int sum;
    threads_run(4, ^(long number) {
      for (int round = 0; round < 500; round++) {
          gate_take(gate, 1);
          sum++;
          weir_gate_signal(gate, 1);
      }
    });
    CHECK_EQUAL(sum, 2000);
}

struct load {
    weir_gate_t gate;
    size_t permits;
    struct meter out;
    _Atomic uint64_t served, timed_out, woken;
};

static int take(const struct load *load, size_t count,
                struct check_random *random) {
    dispatch_time_t timeouts[] = {
        DISPATCH_TIME_FOREVER, DISPATCH_TIME_FOREVER, DISPATCH_TIME_NOW,
        dispatch_time(0, (int64_t)check_below(random, 100000))};
    size_t way = check_below(random, 5);
    return way == 4 ? weir_gate_try(load->gate, count)
                    : weir_gate_wait(load->gate, count, timeouts[way]);
}

static void take_and_return(struct load *load, struct check_random *random) {
    size_t count = 1 + check_below(random, load->permits);
    int error = take(load, count, random);
    load->timed_out += error == ETIMEDOUT;
    if (error != 0) {
        return;
    }
    load->served++;
    for (size_t permit = 0; permit < 2 * count; permit++) {
        if (permit == count && check_below(random, 4) == 0) {
            sched_yield();
        }
        (permit < count ? meter_enter : meter_leave)(&load->out);
    }
    size_t first = check_below(random, count + 1);
    load->woken += weir_gate_signal(load->gate, first);
    load->woken += weir_gate_signal(load->gate, count - first);
}

TEST(under_load_no_more_permits_are_in_use_than_exist) {
    static const size_t permits[] = {1, 2, 3, 7};
    for (int row = 0; row < 4; row++) {
        struct load load = {weir_gate_create(NULL, permits[row]), permits[row],
                            .served = 0};
        struct load *same = &load;
        threads_run(6, ^(long number) {
          struct check_random random = check_random("load");
          random.state += (uint64_t)(row * 6 + number);
          for (int round = 0; round < 300; round++) {
              take_and_return(same, &random);
          }
        });
        weir_gate_stats_t stats = gate_stats(load.gate);
        check_row("%zu permits", permits[row]);
        CHECK(stats.peak <= permits[row] &&
              stats.peak >= (size_t)load.out.most && load.out.now == 0);
        CHECK(stats.in_use == 0 && stats.waiting == 0);
        CHECK(stats.waits == load.served && stats.timed_out == load.timed_out);
        CHECK_EQUAL(stats.woken, load.woken);
        CHECK_EQUAL(weir_gate_try(load.gate, permits[row]), 0);
        weir_gate_signal(load.gate, permits[row]);
        weir_gate_release(load.gate);
    }
}

TEST(gates_can_be_made_of_any_size_that_fits) {
    size_t most = SIZE_MAX / 8;
    weir_gate_t gate = weir_gate_create(NULL, most);
    CHECK(weir_gate_try(gate, most) == 0 && weir_gate_try(gate, 1) == EAGAIN);
    weir_gate_signal(gate, most);
    weir_gate_release(gate);
    errno = 0;
    CHECK(weir_gate_create("too many", most + 1) == NULL && errno == EINVAL);
    CHECK(weir_gate_create("too many", SIZE_MAX) == NULL);
}

/* The sanitizers would report an error here. */
TEST(a_gate_may_be_released_with_permits_in_use) {
    EACH(size_t, portion, 3, 1) {
        weir_gate_t gate = weir_gate_create("left", 3);
        gate_take(gate, 3);
        weir_gate_release(gate);
        for (size_t left = 3; left > 0; left -= portion) {
            CHECK_EQUAL(weir_gate_signal(gate, portion), 0);
        }
    }
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
