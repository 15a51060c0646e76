/*
 * gates.c: gates of tests.
 */
#include "gates.h"

weir_gate_stats_t gate_stats(weir_gate_t gate) {
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    return stats;
}

int gate_wait(weir_gate_t gate, size_t count) {
    return weir_gate_wait(gate, count, DISPATCH_TIME_FOREVER);
}

void gate_take(weir_gate_t gate, size_t count) {
    CHECK_EQUAL(gate_wait(gate, count), 0);
}

void gate_submit(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                 void (^work)(void)) {
    CHECK_EQUAL(weir_gate_async(gate, count, queue, work), 0);
}

pthread_t gate_start_waiter(weir_gate_t gate, size_t count,
                            void (^served)(void)) {
    size_t waiting = gate_stats(gate).waiting;
    pthread_t thread = thread_start(^{
      if (gate_wait(gate, count) == 0) {
          served();
      }
    });
    REQUIRE(EVENTUALLY(gate_stats(gate).waiting == waiting + 1));
    return thread;
}

void store_result(void *place, int result) { *(_Atomic int *)place = result; }

dispatch_time_t in_milliseconds(long count) {
    return dispatch_time(DISPATCH_TIME_NOW, count * (long)NSEC_PER_MSEC);
}
