/* self_wait_tests.c: a job that waits for permits of a gate, most of which it took
   itself, gets them in silence if another thread returns permits.
   (waits_for_itself_tests.c has the jobs that wait for themselves.) */
#include "objects.h"

static weir_gate_t gate;
static weir_lanes_t lanes;

static void signal_when_one_waits(size_t count) {
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 1));
    weir_gate_signal(gate, count);
}

/* A job takes some permits and waits for more, while something helps it. */
static void wait_for_help(size_t first, size_t second, size_t left,
                          void (^help)(void)) {
    gate = weir_gate_create("tickets", 4);
    lanes = lanes_make("lanes", 2, 0);
    lanes_submit(lanes, ^{
      gate_take(gate, first);
      help();
      gate_take(gate, second);
      weir_gate_signal(gate, left);
    });
    CHECK(lanes_end(lanes) && gate_stats(gate).in_use == 0);
    weir_gate_release(gate);
}

TEST(permits_that_something_else_returns) {
    wait_for_help(3, 3, 4, ^{
      thread_join(thread_start(^{
        weir_gate_signal(gate, 2);
      }));
    });
    wait_for_help(4, 2, 2, ^{
      lanes_submit(lanes, ^{
        signal_when_one_waits(4);
      });
    });
    wait_for_help(4, 2, 2, ^{
      dispatch_async(global(), ^{
        signal_when_one_waits(4);
      });
    });
    wait_for_help(4, 2, 6, ^{
      dispatch_async(global(), ^{
        signal_when_one_waits(0);
        CHECK_EQUAL(weir_gate_resize(gate, 6), 0);
      });
    });
    /* Another job holds some of them. */
    wait_for_help(2, 2, 4, ^{
      struct latch *held = latch_create(1);
      lanes_submit(lanes, ^{
        gate_take(gate, 1);
        latch_arrive(held);
        signal_when_one_waits(1);
      });
      CHECK(latch_wait(held));
    });
}

TEST(a_wait_with_a_time_out_ends_by_itself) {
    wait_for_help(4, 0, 4, ^{
      CHECK_EQUAL(weir_gate_wait(gate, 1, in_milliseconds(1)), ETIMEDOUT);
      CHECK_EQUAL(weir_gate_wait(gate, 1, DISPATCH_TIME_NOW), ETIMEDOUT);
      CHECK_EQUAL(weir_gate_try(gate, 1), EAGAIN);
    });
}

TEST(permits_that_a_loop_returns) {
    if (weir_lanes_default_width() == 1) {
        check_skip("one core");
    }
    wait_for_help(4, 0, 2, ^{
      weir_apply(2, 1, NULL, ^(size_t index, size_t end) {
        if (index + end == 1) {
            signal_when_one_waits(4);
        } else {
            gate_take(gate, 2);
        }
      });
    });
}
