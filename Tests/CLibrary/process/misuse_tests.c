/* misuse_tests.c: each programmer's error that Weir detects gets a sentence that names
   the object, and then a trap. (trap_tests.c has the loops, Tests/Schedules the warnings
   of jobs that wait for themselves, MisuseTests.swift those that certainly do.) */
#include "objects.h"
#include "processor.h"
#include <Block.h>
#include <sys/wait.h>
#include <unistd.h>

static void mistake(const char *subject, const char *words,
                    const char *more_words, void (^body)(void)) {
    check_row("%s: %s", subject, words);
    check_misuse(body, subject, words, more_words, NULL);
}

TEST(groups) {
    const char *words = "left more often than it was entered";
    mistake("the group \"parcels\"", words, "one enter", ^{
      weir_group_t group = weir_group_create("parcels");
      weir_group_enter(group);
      weir_group_leave(group);
      weir_group_leave(group);
    });
    mistake("the group \"parcels\"", words, "submitted to the group", ^{
      weir_group_t group = weir_group_create("parcels");
      REQUIRE(weir_group_async(group, global(),
                               ^{
                                 return 0;
                               }) == 0 &&
              weir_group_wait(group, DISPATCH_TIME_FOREVER) == 0);
      weir_group_leave(group);
    });
    mistake("the group \"longlonglong", words, NULL, ^{
      char label[4001];
      for (int place = 0; place < 4000; place++) {
          label[place] = "long"[place % 4];
      }
      label[4000] = 0;
      weir_group_leave(weir_group_create(label));
    });
}

TEST(gates) {
    const char *tickets = "the gate \"tickets\"";
    mistake(tickets, "signalled 3 permits", "2 of its 3 were in use", ^{
      weir_gate_t gate = weir_gate_create("tickets", 3);
      gate_take(gate, 2);
      weir_gate_signal(gate, 3);
    });
    mistake(tickets, "threads waited", "a reference", ^{
      weir_gate_t gate = weir_gate_create("tickets", 1);
      gate_take(gate, 1);
      gate_start_waiter(gate, 1,
                        ^{
                        });
      weir_gate_release(gate);
    });
}

TEST(lanes) {
    const char *swimmers = "the lanes \"swimmers\"";
    EACH(size_t, width, 2, WEIR_LANES_INLINE) {
        mistake(swimmers, "waited for by one of their own jobs", "notified", ^{
          weir_lanes_t lanes = lanes_make("swimmers", width, 0);
          lanes_submit(lanes, ^{
            lanes_wait(lanes);
          });
          lanes_wait(lanes);
        });
    }
    mistake(swimmers, "resumed more often", "one suspend", ^{
      weir_lanes_t lanes = lanes_make("swimmers", 1, 0);
      weir_lanes_suspend(lanes);
      weir_lanes_resume(lanes);
      weir_lanes_resume(lanes);
    });
    mistake(swimmers, "suspended with 2 jobs", "resume or cancel", ^{
      weir_lanes_t lanes = lanes_make("swimmers", 1, 0);
      weir_lanes_suspend(lanes);
      lanes_submit_many(lanes, 2, NULL);
      weir_lanes_release(lanes);
    });
    mistake(swimmers, "suspended with 1 job,", "resume or cancel", ^{
      weir_lanes_t lanes = lanes_make("swimmers", 1, 0);
      struct latch *begun = latch_create(1), *go = latch_create(1);
      lanes_submit(lanes, ^{
        latch_arrive(begun);
        latch_wait(go);
        lanes_submit_many(lanes, 1, NULL);
      });
      latch_wait(begun);
      weir_lanes_suspend(lanes);
      weir_lanes_release(lanes);
      latch_arrive(go);
      pause();
    });
}

TEST(output_and_contexts) {
    mistake("the file processor", "reserved", NULL, ^{
      struct processor_options options = {.jobs = WEIR_LANES_INLINE};
      options.job = ^(weir_file_t *file) {
        weir_file_reserve(file, 10);
        weir_file_commit(file, 1 << 30);
        return 0;
      };
      process(processor_create(options), "/proc/self/cmdline");
    });
    /* Also numbers, and an address at which nothing can be read. */
    EACH(uintptr_t, number, 0, 1, 5, 42, UINT64_C(1) << 40) {
        mistake("a queue", "dispatch_set_context", NULL, ^{
          dispatch_queue_t queue = weir_queue_create("mine", NULL, NULL, free);
          dispatch_set_context(queue, number == 0 ? strdup("a context of bytes")
                                                  : (void *)number);
          dispatch_release(queue);
          pause();
        });
    }
}

/* On a queue, on lanes, in a drop function, and within work of another group. */
static void wait_in_work(void (^submit)(weir_group_t group, dispatch_block_t)) {
    mistake("the group \"parcels\"", "waited for by its own work", "notified",
            ^{
              weir_group_t group = weir_group_create("parcels");
              submit(group, ^{
                (void)weir_group_wait(group, DISPATCH_TIME_FOREVER);
              });
              (void)weir_group_wait(group, DISPATCH_TIME_FOREVER);
            });
}

static void call_block(void *block) { ((dispatch_block_t)block)(); }

static int do_work(void *context) { return 0; }

TEST(a_wait_for_a_group_in_its_own_work) {
    wait_in_work(^(weir_group_t group, dispatch_block_t wait) {
      REQUIRE(weir_group_async(group, global(), ^{
                wait();
                return 0;
              }) == 0);
    });
    wait_in_work(^(weir_group_t group, dispatch_block_t wait) {
      weir_lanes_t lanes = lanes_make("swimmers", 1, 0);
      REQUIRE(weir_group_lanes(group, lanes, ^(void *lane_context) {
                wait();
                return 0;
              }) == 0);
    });
    wait_in_work(^(weir_group_t group, dispatch_block_t wait) {
      weir_group_fail(group, EIO);
      REQUIRE(weir_group_async_drop_f(group, global(), Block_copy(wait),
                                      do_work, call_block) == 0);
    });
    wait_in_work(^(weir_group_t group, dispatch_block_t wait) {
      weir_group_t other = weir_group_create("letters");
      weir_lanes_t inline_lanes = lanes_make("inline", WEIR_LANES_INLINE, 0);
      REQUIRE(weir_group_async(group, global(), ^{
                return weir_group_lanes(other, inline_lanes,
                                        ^(void *lane_context) {
                                          wait();
                                          return 0;
                                        });
              }) == 0);
    });
}

static weir_gate_t used_gate(size_t in_use) {
    weir_gate_t gate = weir_gate_create("tickets", 2);
    gate_take(gate, in_use);
    return gate;
}

static weir_group_t used_group(int members) {
    weir_group_t group = weir_group_create("parcels");
    for (; members > 0; members--) {
        weir_group_enter(group);
    }
    return group;
}

static weir_lanes_t used_lanes(bool in_use) {
    weir_lanes_t lanes = lanes_make("swimmers", 1, 0);
    if (in_use) {
        lanes_occupy(lanes);
    }
    return lanes;
}

static void ignore_result(void *context, int result) {}

static weir_gate_request_t decided_request(void) {
    weir_gate_request_t request = NULL;
    REQUIRE(weir_gate_request_f(used_gate(0), 1, NULL, ignore_result,
                                &request) == 0);
    return request;
}

static weir_trace_recorder_t recorder(void) {
    return weir_trace_recorder_create(0);
}

#define RELEASE_TWICE(subject, release, object)                                \
    mistake(subject, "more often than it took references", "released", ^{      \
      __auto_type made = object;                                               \
      release(made);                                                           \
      release(made);                                                           \
    })

/* Also while permits, members or jobs keep the object. */
TEST(a_release_too_many) {
    RELEASE_TWICE("\"tickets\"", weir_gate_release, used_gate(0));
    RELEASE_TWICE("\"tickets\"", weir_gate_release, used_gate(1));
    RELEASE_TWICE("\"parcels\"", weir_group_release, used_group(0));
    RELEASE_TWICE("\"parcels\"", weir_group_release, used_group(1));
    RELEASE_TWICE("\"swimmers\"", weir_lanes_release, used_lanes(false));
    RELEASE_TWICE("\"swimmers\"", weir_lanes_release, used_lanes(true));
    RELEASE_TWICE("\"\"", weir_trace_recorder_release, recorder());
    RELEASE_TWICE("\"tickets\"", weir_gate_request_release, decided_request());
}

#define USE_AFTER(subject, release, object, call)                              \
    mistake(subject, "after the last release", NULL, ^{                        \
      __auto_type it = object;                                                 \
      release(it);                                                             \
      (void)(call);                                                            \
    })
#define USE_GATE(call)                                                         \
    USE_AFTER("\"tickets\"", weir_gate_release, used_gate(0), call)
#define USE_GROUP(call)                                                        \
    USE_AFTER("\"parcels\"", weir_group_release, used_group(0), call)
#define USE_LANES(call)                                                        \
    USE_AFTER("\"swimmers\"", weir_lanes_release, used_lanes(false), call)

static int do_nothing(void *context) { return context != NULL; }
static void run_nothing(void *context) { (void)context; }

static void run_on_lane(void *context, void *lane_context) {}

TEST(a_use_after_the_last_release) {
    USE_GATE(gate_wait(it, 1));
    USE_GATE(weir_gate_try(it, 1));
    USE_GATE(gate_stats(it));
    USE_GATE(weir_gate_close(it));
    USE_GATE(weir_gate_resize(it, 1));
    USE_GATE(weir_gate_async_f(it, 1, global(), NULL, run_nothing));
    USE_GATE(weir_gate_request_f(it, 1, NULL, ignore_result, NULL));
    USE_AFTER("\"tickets\"", weir_gate_release, used_gate(1),
              weir_gate_retain(it));
    USE_GROUP(weir_group_enter(it));
    USE_GROUP(weir_group_async_f(it, global(), NULL, do_nothing));
    USE_GROUP(weir_group_wait(it, DISPATCH_TIME_NOW));
    USE_LANES(weir_lanes_async_f(it, NULL, run_on_lane));
    USE_LANES(weir_lanes_wait(it, DISPATCH_TIME_NOW));
    USE_LANES(weir_lanes_notify_f(it, global(), NULL, run_nothing));
    USE_LANES(weir_lanes_notify(it, global(),
                                ^{
                                }));
    USE_LANES(lanes_stats(it));
    USE_LANES(weir_lanes_cancel(it));
    USE_LANES(weir_lanes_retain(it));
    USE_AFTER("\"\"", weir_trace_recorder_release, recorder(),
              weir_trace_recorder_stop(it));
}

static weir_lanes_t handled;

static void exit_early(const char *sentence) { _exit(sentence == NULL); }

static void print_sentence(const char *sentence) {
    dprintf(STDERR_FILENO, "handled: %s, %zu lane\n", sentence,
            lanes_stats(handled).width);
}

TEST(the_handler_is_called_and_the_trap_follows) {
    struct check_process end = check_process(^{
      handled = lanes_make("swim\nmers", 1, 0);
      REQUIRE(weir_misuse_set_handler(exit_early) == NULL);
      REQUIRE(weir_misuse_set_handler(NULL) == exit_early);
      REQUIRE(weir_misuse_set_handler(print_sentence) == NULL);
      weir_lanes_resume(handled);
    });
    CHECK(strstr(end.errors, "handled: the lanes \"swim?mers\"") != NULL &&
              strstr(end.errors, ", 1 lane") != NULL &&
              strstr(end.errors, "weir: misuse:") == NULL,
          "%s", end.errors);
    check_trapped(end);
}
