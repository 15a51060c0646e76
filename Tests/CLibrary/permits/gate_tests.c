/* gate_tests.c: a gate grants permits in the order of the requests, grants no more
   than it has, and loses none. */
#include "objects.h"

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
    CHECK_EQUAL(gate_stats(gate).timed_out, 2);
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
