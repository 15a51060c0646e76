/* observer_tests.c: the events that weir/trace.h documents, in their order. */
#include "objects.h"

enum { LOG_SIZE = 2048 };

static weir_trace_event_t logged[LOG_SIZE];
static _Atomic size_t log_count;

static void log_event(void *context, const weir_trace_event_t *event) {
    size_t place = atomic_fetch_add(&log_count, 1);
    if (CHECK(place < LOG_SIZE)) {
        logged[place] = *event;
        CHECK_TEXT(event->label, "traced");
    }
}

static const weir_trace_observer_t observer = {.observe = log_event};

static void (^const nothing)(void) = ^{
};

TEST(a_gate_reports_its_grants) {
    static const weir_trace_event_t expected[] = {
        {.kind = WEIR_TRACE_ACQUIRED, .count = 2},
        {.kind = WEIR_TRACE_ACQUIRED, .count = 1},
        {.kind = WEIR_TRACE_WAIT, .count = 1, .job = 1},
        {.kind = WEIR_TRACE_TIMED_OUT, .count = 1, .job = 1},
        {.kind = WEIR_TRACE_WAIT, .count = 3, .job = 2},
        {.kind = WEIR_TRACE_SIGNAL, .count = 3},
        {.kind = WEIR_TRACE_WAKE, .count = 3, .job = 2, .lane = 1},
        {.kind = WEIR_TRACE_ACQUIRED, .count = 3, .job = 2},
        {.kind = WEIR_TRACE_SIGNAL, .count = 3}};
    GATE(gate, "traced", 3);
    weir_trace_set_observer(&observer);
    gate_take(gate, 2);
    CHECK(weir_gate_try(gate, 1) == 0 && weir_gate_try(gate, 1) == EAGAIN);
    CHECK_EQUAL(gate_wait(gate, 4), EINVAL);
    gate_take(gate, 0);
    CHECK_EQUAL(weir_gate_wait(gate, 1, in_milliseconds(1)), ETIMEDOUT);
    pthread_t waiter = gate_start_waiter(gate, 3, nothing);
    weir_gate_signal(gate, 3);
    thread_join(waiter);
    weir_gate_signal(gate, 3);
    REQUIRE(log_count == 9);
    for (int place = 0; place < 9; place++) {
        check_row("event %d", place);
        CHECK_EQUAL(logged[place].kind, expected[place].kind);
        CHECK_EQUAL(logged[place].count, expected[place].count);
        CHECK_EQUAL(logged[place].job, expected[place].job);
        CHECK_EQUAL(logged[place].lane, expected[place].lane);
    }
}

static void check_lanes_of(weir_trace_kind_t kind, size_t first, size_t second,
                           size_t third) {
    size_t lanes[3] = {first, second, third}, found = 0;
    for (size_t place = 0; place < log_count; place++) {
        if (logged[place].kind == kind && CHECK(found < 3)) {
            CHECK_EQUAL(logged[place].lane, lanes[found++]);
        }
    }
    CHECK_EQUAL(found, 3);
}

/* A WAIT records if a thread waits, a WAKE if a signal caused it. */
TEST(a_gate_reports_waits_and_wakes) {
    GATE(gate, "traced", 1);
    _Atomic int result = -1;
    weir_trace_set_observer(&observer);
    gate_take(gate, 1);
    CHECK(weir_gate_request_f(gate, 1, &result, store_result, NULL) == 0);
    gate_submit(gate, 1, global(), nothing);
    CHECK(weir_gate_resize(gate, 3) == 0 && gate_stats(gate).waiting == 0);
    CHECK(EVENTUALLY(gate_stats(gate).in_use == 2) && result == 0);
    pthread_t waiter = gate_start_waiter(gate, 2, nothing);
    weir_gate_signal(gate, 1);
    thread_join(waiter);
    weir_gate_signal(gate, 3);
    check_lanes_of(WEIR_TRACE_WAIT, 1, 1, 0);
    check_lanes_of(WEIR_TRACE_WAKE, 0, 0, 1);
}
