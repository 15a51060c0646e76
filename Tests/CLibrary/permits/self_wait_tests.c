/* self_wait_tests.c: a job that waits for permits of a gate, most of which it took
   itself, gets them in silence if another thread returns permits.
   (waits_for_itself_tests.c has the jobs that wait for themselves.) */
#include "objects.h"

static weir_gate_t gate;
static weir_lanes_t lanes;

static void run_jobs(void (^first)(void), void (^second)(void)) {
    gate = weir_gate_create("tickets", 4);
    lanes = lanes_make("lanes", 2, 0);
    lanes_submit(lanes, first);
    if (second != NULL) {
        lanes_submit(lanes, second);
    }
    CHECK(lanes_end(lanes) && gate_stats(gate).in_use == 0);
    weir_gate_release(gate);
}

static void signal_when_one_waits(size_t count) {
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 1));
    weir_gate_signal(gate, count);
}

TEST(a_job_that_returned_its_permits_on_another_thread) {
    run_jobs(
        ^{
          gate_take(gate, 3);
          thread_join(thread_start(^{
            weir_gate_signal(gate, 2);
          }));
          gate_take(gate, 3);
          weir_gate_signal(gate, 4);
        },
        NULL);
}

TEST(another_job_holds_some_permits) {
    static _Atomic bool held;
    run_jobs(
        ^{
          gate_take(gate, 1);
          held = true;
          signal_when_one_waits(1);
        },
        ^{
          CHECK(EVENTUALLY(held));
          gate_take(gate, 2);
          gate_take(gate, 2);
          weir_gate_signal(gate, 4);
        });
}

TEST(a_wait_with_a_time_out_ends_by_itself) {
    run_jobs(
        ^{
          gate_take(gate, 4);
          CHECK_EQUAL(weir_gate_wait(gate, 1, in_milliseconds(1)), ETIMEDOUT);
          CHECK_EQUAL(weir_gate_wait(gate, 1, DISPATCH_TIME_NOW), ETIMEDOUT);
          CHECK_EQUAL(weir_gate_try(gate, 1), EAGAIN);
          weir_gate_signal(gate, 4);
        },
        NULL);
}

TEST(permits_that_a_loop_returns) {
    if (weir_lanes_default_width() == 1) {
        check_skip("one core");
    }
    run_jobs(
        ^{
          gate_take(gate, 4);
          weir_apply(2, 1, NULL, ^(size_t index, size_t end) {
            if (index + end == 1) {
                signal_when_one_waits(4);
            } else {
                gate_take(gate, 2);
            }
          });
          weir_gate_signal(gate, 2);
        },
        NULL);
}

/* A job takes all permits and waits for two, while something returns four or a resize
   adds two. */
static void wait_for_help(size_t added, void (^help)(dispatch_queue_t queue)) {
    run_jobs(
        ^{
          gate_take(gate, 4);
          help(global());
          gate_take(gate, 2);
          weir_gate_signal(gate, 2 + 2 * added);
        },
        NULL);
}

TEST(permits_that_another_job_returns) {
    wait_for_help(0, ^(dispatch_queue_t queue) {
      lanes_submit(lanes, ^{
        signal_when_one_waits(4);
      });
    });
}

TEST(permits_that_a_block_returns) {
    wait_for_help(0, ^(dispatch_queue_t queue) {
      dispatch_async(queue, ^{
        signal_when_one_waits(4);
      });
    });
}

TEST(permits_that_a_resize_adds) {
    wait_for_help(2, ^(dispatch_queue_t queue) {
      dispatch_async(queue, ^{
        signal_when_one_waits(0);
        CHECK_EQUAL(weir_gate_resize(gate, 6), 0);
      });
    });
}
