/* gate_mix_tests.c: threads wait at a gate that also has work of weir_gate_async.
   Work that its queue cannot begin does not keep its permits from them, for longer
   than about a second. */
#include "objects.h"

/* A block waits on the serial queue that would have to run the work after it. */
static void wait_on_the_queue_of_the_work(size_t count) {
    GATE(gate, NULL, 4);
    QUEUE(queue, "serial", NULL);
    struct latch *ended = latch_create(3);
    _Atomic int began = 0, *order = &began;
    void (^begin)(int) = ^(int place) {
      CHECK_EQUAL(++*order, place);
      latch_arrive(ended);
    };
    gate_take(gate, 4);
    dispatch_suspend(queue);
    dispatch_async(queue, ^{
      gate_take(gate, count);
      begin(1);
      weir_gate_signal(gate, count);
    });
    for (int place = 2; place <= 3; place++) {
        gate_submit(gate, place == 2 ? 3 : 1, queue, ^{
          begin(place);
        });
    }
    weir_gate_signal(gate, 4);
    dispatch_resume(queue);
    CHECK(latch_wait(ended) && EVENTUALLY(gate_stats(gate).in_use == 0));
    CHECK_EQUAL(gate_stats(gate).peak, 4);
}

TEST(a_wait_on_the_queue_of_the_work) {
    threads_run(3, ^(long number) {
      check_row("%d permits", 1 << number);
      wait_on_the_queue_of_the_work(1U << number);
    });
}

/* The latest grant loses its permits, and the work takes them again, before all that
   wait, when its queue begins it. */
TEST(work_without_permits_is_first_when_it_begins) {
    enum { HOLDER = 1, EARLY, LATE, REQUEST };
    GATE(gate, NULL, 2);
    static dispatch_queue_t queues[2];
    static _Atomic int began;
    for (int number = 0; number < 2; number++) {
        queues[number] = dispatch_queue_create("serial", NULL);
        dispatch_suspend(queues[number]);
        gate_submit(gate, 1, queues[number], ^{
          CHECK_EQUAL(++began, EARLY + number);
        });
    }
    struct latch *holder = latch_create(1);
    pthread_t thread = thread_start(^{
      gate_take(gate, 1);
      CHECK(++began == HOLDER && latch_wait(holder));
      weir_gate_signal(gate, 1);
    });
    CHECK(EVENTUALLY(began == HOLDER));
    /* The work that kept its permit runs at once. */
    dispatch_resume(queues[0]);
    CHECK(EVENTUALLY(began == EARLY && gate_stats(gate).in_use == 1));
    CHECK_EQUAL(weir_gate_try(gate, 1), 0);
    int error = weir_gate_request(
        gate, 1,
        ^(int result) {
          CHECK(result == 0 && ++began == REQUEST);
        },
        NULL);
    CHECK(error == 0 && gate_stats(gate).waiting == 1);
    dispatch_resume(queues[1]);
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 2));
    weir_gate_signal(gate, 1);
    CHECK(EVENTUALLY(began == REQUEST));
    latch_arrive(holder);
    thread_join(thread);
    weir_gate_signal(gate, 1);
    CHECK(EVENTUALLY(gate_stats(gate).in_use == 0));
    for (int number = 0; number < 2; number++) {
        dispatch_release(queues[number]);
    }
}

/* The work loses both of its permits; the thread takes one, and waits for the work
   that gets the other one. */
TEST(permits_that_are_left_of_those_lent_serve_the_next) {
    GATE(gate, NULL, 3);
    QUEUE(held, "held", NULL);
    struct latch *ran = latch_create(1);
    dispatch_suspend(held);
    gate_take(gate, 1);
    gate_submit(gate, 2, held, ^{
      CHECK(gate_stats(gate).in_use >= 2);
    });
    pthread_t thread = gate_start_waiter(gate, 1, ^{
      CHECK(latch_wait(ran));
    });
    gate_submit(gate, 1, global(), ^{
      latch_arrive(ran);
    });
    thread_join(thread);
    weir_gate_signal(gate, 2);
    dispatch_resume(held);
    CHECK(EVENTUALLY(gate_stats(gate).in_use == 0));
}

/* After one lent permit the next ones are lent within the signal that grants them, until
   the queue begins work. */
TEST(permits_are_lent_at_once_while_the_queue_begins_no_work) {
    GATE(gate, NULL, 1);
    QUEUE(queue, "serial", NULL);
    static struct meter ran;
    struct latch *go = latch_create(1);
    __block struct crew crew = {0};
    void (^submit_and_wait)(void) = ^{
      size_t waiting = gate_stats(gate).waiting;
      gate_submit(gate, 1, queue, ^{
        meter_enter(&ran);
      });
      crew_add(&crew, ^{
        gate_take(gate, 1);
        CHECK(latch_wait(go));
      });
      CHECK(EVENTUALLY(gate_stats(gate).waiting == waiting + 2));
    };
    dispatch_suspend(queue);
    gate_take(gate, 1);
    submit_and_wait();
    weir_gate_signal(gate,
                     1); /* the work has it, and a round later the thread */
    CHECK_EQUAL(gate_stats(gate).waiting, 1);
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 0));
    submit_and_wait();
    weir_gate_signal(gate, 1);
    CHECK_EQUAL(gate_stats(gate).waiting, 0);
    weir_gate_signal(gate, 1);
    dispatch_resume(queue);
    CHECK(EVENTUALLY(ran.ever == 2 && gate_stats(gate).in_use == 0));
    dispatch_suspend(queue);
    gate_take(gate, 1);
    submit_and_wait();
    weir_gate_signal(gate, 1);
    CHECK_EQUAL(gate_stats(gate).waiting, 1);
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 0));
    weir_gate_signal(gate, 1);
    dispatch_resume(queue);
    latch_arrive(go);
    crew_join(crew);
    CHECK(EVENTUALLY(ran.ever == 3 && gate_stats(gate).in_use == 0));
}
