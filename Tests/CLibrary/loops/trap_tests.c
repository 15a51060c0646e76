/* trap_tests.c: a loop onto a queue that its caller holds is misuse. The trap of
   libdispatch that shows it is caught; every other signal and trap reaches its own
   handler. */
#include "threads.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir.h>

/* Weir declares it nowhere. */
void dispatch_activate(dispatch_object_t object);

typedef dispatch_queue_t queue_t;

static queue_t concurrent(const char *label) {
    return dispatch_queue_create(label, DISPATCH_QUEUE_CONCURRENT);
}

static void (^const nothing)(size_t, size_t) = ^(size_t begin, size_t end) {
};

static bool (^const all)(size_t, size_t) = ^(size_t begin, size_t end) {
  return (bool)(begin < end);
};

static void loop_on(queue_t queue) { weir_apply(10, 1, queue, nothing); }
static void stop_on(queue_t queue) { weir_apply_while(10, 0, queue, all); }

static void add(void *context, size_t begin, size_t end, void *partial) {}

static void combine(void *context, void *result, const void *partial) {}

static void reduce_on(queue_t queue) {
    int sum = 0;
    CHECK_EQUAL(
        weir_reduce_f(10, 1, queue, NULL, &sum, sizeof sum, add, combine), 0);
}

static void loop_in_a_loop(queue_t queue) {
    weir_apply(1, 1, NULL, ^(size_t begin, size_t end) {
      nothing(begin, end);
      loop_on(queue);
    });
}

static void loop_in_its_loop(queue_t queue) {
    weir_apply(1, 1, queue, ^(size_t begin, size_t end) {
      nothing(begin, end);
      loop_on(queue);
    });
}

static void no_loop_in_its_loop(queue_t queue) {
    weir_apply(1, 1, queue, ^(size_t begin, size_t end) {
      nothing(begin, end);
      weir_apply_while(0, 1, queue, all);
    });
}

/* A loop on a queue, called by a job on that queue, or on another one which targets it
   or is its target. */
struct held {
    enum { WEIRS, FOREIGN } maker;
    enum { SERIAL, CONCURRENT } kind;
    enum { ITSELF, BELOW, ABOVE } relation;
    enum { SYNC, ASYNC, BARRIER, CALL } way;
    void (*loop)(queue_t queue);
};

static void make_loop(const struct held *row) {
    dispatch_queue_attr_t attribute =
        row->kind == SERIAL ? NULL : DISPATCH_QUEUE_CONCURRENT;
    queue_t other = row->relation == BELOW
                        ? concurrent("other")
                        : dispatch_queue_create("other", NULL);
    queue_t queue = row->maker == WEIRS
                        ? weir_queue_create("lonely", attribute, NULL, NULL)
                        : dispatch_queue_create("lonely", attribute);
    queue_t holder = row->relation == ITSELF ? queue : other;
    if (row->relation == BELOW) {
        dispatch_set_target_queue(other, queue);
    } else if (row->relation == ABOVE) {
        dispatch_set_target_queue(queue, other);
    }
    void (^job)(void) = ^{
      row->loop(queue);
    };
    if (row->way == SYNC) {
        dispatch_sync(holder, job);
    } else if (row->way == BARRIER) {
        dispatch_barrier_sync(holder, job);
    } else if (row->way == CALL) {
        job();
    } else {
        dispatch_async(holder, job);
        pause();
    }
}

TEST(loops_onto_queues_that_the_caller_holds) {
    static const struct held rows[] = {
        {WEIRS, SERIAL, ABOVE, SYNC, loop_on},
        {WEIRS, CONCURRENT, ITSELF, BARRIER, loop_on},
        {FOREIGN, SERIAL, ITSELF, SYNC, loop_on},
        {FOREIGN, SERIAL, ITSELF, ASYNC, loop_on},
        {FOREIGN, SERIAL, BELOW, ASYNC, loop_on},
        {FOREIGN, CONCURRENT, ABOVE, SYNC, loop_on},
        {FOREIGN, CONCURRENT, ITSELF, BARRIER, loop_on},
        {FOREIGN, SERIAL, ITSELF, SYNC, loop_in_a_loop},
        {FOREIGN, SERIAL, ITSELF, CALL, loop_in_its_loop},
        {FOREIGN, SERIAL, ITSELF, SYNC, reduce_on},
        {FOREIGN, SERIAL, ITSELF, SYNC, stop_on}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_row("row %zu", row);
        check_misuse(
            ^{
              make_loop(&rows[row]);
            },
            "the queue \"lonely\"", "holds that queue", "forever", "NULL",
            NULL);
    }
}

static void check_serial(int row, void (^body)(void)) {
    check_row("row %d", row);
    check_misuse(body, "the serial queue \"lonely\"", "forever", "NULL", NULL);
}

TEST(loops_onto_serial_queues_of_weir) {
    static const struct held rows[] = {
        {WEIRS, SERIAL, BELOW, SYNC, loop_on},
        {WEIRS, SERIAL, ITSELF, CALL, no_loop_in_its_loop}};
    for (int row = 0; row < 2; row++) {
        check_serial(row, ^{
          make_loop(&rows[row]);
        });
    }
    for (int row = 0; row < 4; row++) {
        check_serial(row, ^{
          const dispatch_queue_attr_t attributes[] = {
              NULL, dispatch_queue_attr_make_initially_inactive(NULL),
              dispatch_queue_attr_make_with_qos_class(NULL, QOS_CLASS_UTILITY,
                                                      -3),
              dispatch_queue_attr_make_with_autorelease_frequency(
                  NULL, DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM)};
          queue_t queue =
              weir_queue_create("lonely", attributes[row], NULL, NULL);
          dispatch_activate(queue);
          dispatch_sync(queue, ^{
            loop_on(queue);
          });
        });
    }
}

static void check_main_sentence(const char *sentence) {
    CHECK(strstr(sentence, "the queue \"com.apple.main-thread\"") != NULL &&
              strstr(sentence, "holds that queue") != NULL,
          "%s", sentence);
    check_end();
}

/* In the process of the test: no other has the main queue's thread. */
TEST(a_loop_onto_the_main_queue) {
    weir_misuse_set_handler(check_main_sentence);
    dispatch_async(dispatch_get_main_queue(), ^{
      loop_on(dispatch_get_main_queue());
      REQUIRE(false);
    });
    dispatch_main();
}

typedef void (*handler_t)(int);

static void set_handler(handler_t handler) {
    sigaction(SIGILL, &(struct sigaction){.sa_handler = handler}, NULL);
    sigaction(SIGTRAP, &(struct sigaction){.sa_handler = handler}, NULL);
}

static bool has_handler(handler_t handler) {
    struct sigaction action, other;
    sigaction(SIGILL, NULL, &action);
    sigaction(SIGTRAP, NULL, &other);
    return action.sa_handler == handler && other.sa_handler == handler;
}

static void exit_by_signal(int number) { _exit(7); }

static void check_exit(bool reports, void (^body)(void)) {
    struct check_process end = check_process(^{
      set_handler(exit_by_signal);
      body();
    });
    bool reported = strstr(end.errors, "weir: misuse: a concurrent loop");
    CHECK(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 7 &&
              reported == reports,
          "%#x: %s", (unsigned)end.status, end.errors);
}

TEST(the_programs_handler_runs_after_the_report) {
    check_exit(true, ^{
      make_loop(&(struct held){.maker = FOREIGN, .loop = loop_on});
    });
}

TEST(a_fault_of_the_body_is_the_programs_own) {
    for (int row = 0; row < 2; row++) {
        check_row(row == 0 ? "on its thread" : "on another thread");
        check_exit(false, ^{
          queue_t queue = concurrent("busy");
          dispatch_sync(queue, ^{
            weir_apply(1, 1, queue, ^(size_t begin, size_t end) {
              if (begin + end > 0 && row == 0) {
                  __builtin_trap();
              }
              thread_join(thread_start(^{
                __builtin_trap();
              }));
            });
          });
        });
    }
}

TEST(a_loop_on_the_concurrent_queue_it_is_on_runs) {
    for (int row = 0; row < 2; row++) {
        queue_t queue =
            row == 0 ? concurrent("busy")
                     : weir_queue_create("busy", DISPATCH_QUEUE_CONCURRENT,
                                         NULL, NULL);
        _Atomic size_t indices = 0, *ran = &indices;
        void (^body)(size_t, size_t) = ^(size_t begin, size_t end) {
          *ran += end - begin;
        };
        dispatch_sync(queue, ^{
          weir_apply(1000, 3, queue, body);
          weir_apply(1000, 0, queue, ^(size_t begin, size_t end) {
            body(begin, end);
            weir_apply(3, 1, queue, body);
          });
        });
        CHECK(indices >= 2003 && has_handler(SIG_DFL));
        dispatch_release(queue);
    }
}

/* Does nothing: a trap would be repeated forever. */
static void ignore(int number) { (void)number; }

/* Watching ends with the loops, also with several at once. Each starts in a
   job on another queue: libdispatch can wait forever for loops of several threads onto
   the queue that each of them is on. */
TEST(the_former_action_is_there_afterwards) {
    queue_t queue = concurrent("busy");
    set_handler(ignore);
    threads_run(4, ^(long number) {
      queue_t own = concurrent("own");
      for (long round = number; round < number + 200; round++) {
          dispatch_sync(own, ^{
            weir_apply(50, 1, queue, nothing);
          });
      }
      dispatch_release(own);
    });
    CHECK(has_handler(ignore));
    set_handler(SIG_DFL);
    dispatch_release(queue);
}

/* A program that saves the action during a loop and restores it afterwards: a fault
   still ends it. */
TEST(an_action_that_was_saved_meanwhile) {
    struct check_process end = check_process(^{
      queue_t queue = concurrent("busy");
      dispatch_sync(dispatch_queue_create("own", NULL), ^{
        static struct sigaction saved, none;
        weir_apply(1, 1, queue, ^(size_t begin, size_t end) {
          CHECK(begin < end && sigaction(SIGILL, &none, &saved) == 0);
        });
        sigaction(SIGILL, &saved, NULL);
        loop_on(queue);
        __builtin_trap();
      });
    });
    check_trapped(end);
}

TEST(on_no_queue_and_global_ones_nothing_is_set) {
    queue_t own = dispatch_queue_create("own", NULL),
            other = dispatch_queue_create("other", NULL);
    void (^body)(size_t, size_t) = ^(size_t begin, size_t end) {
      CHECK(begin < end && has_handler(SIG_DFL));
    };
    dispatch_sync(own, ^{
      weir_apply(100, 1, NULL, body);
      EACH(intptr_t, class, 2, 0, -2, INT16_MIN, QOS_CLASS_DEFAULT,
           QOS_CLASS_USER_INTERACTIVE) {
          weir_apply(100, 1, dispatch_get_global_queue(class, 0), body);
      }
    });
    thread_join(thread_start(^{
      weir_apply(100, 1, own, body);
      weir_apply(100, 1, other, body);
    }));
    dispatch_release(own);
    dispatch_release(other);
}

static _Atomic int received;

static void count_signal(int number) { received += number == SIGILL; }

/* A signal that was sent and is no fault would not come a second time. */
TEST(a_signal_that_was_sent_arrives_once) {
    queue_t queue = concurrent("busy");
    set_handler(count_signal);
    dispatch_sync(queue, ^{
      weir_apply(1, 1, queue, ^(size_t begin, size_t end) {
        CHECK(begin < end && raise(SIGILL) == 0);
      });
    });
    CHECK(received == 1 && has_handler(count_signal));
    dispatch_release(queue);
}
