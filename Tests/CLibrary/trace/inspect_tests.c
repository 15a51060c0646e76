/* inspect_tests.c: an inspection shows the gates, lanes and groups that are alive, with
   their waits, jobs and holders, also on a signal; and so does the watch if they hang. */
#include "inspected.h"
#include "objects.h"
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <weir/spi.h>

static int count_words(const char *words) {
    char text[TEXT_SIZE];
    int count = 0;
    for (const char *place = inspect(text);
         (place = strstr(place, words)) != NULL; place++) {
        count++;
    }
    return count;
}

static void (^const nothing)(void) = ^{
};

TEST(objects_come_in_the_order_of_their_creation) {
#define FIRST "gate \"a\\\\u000a\\\\\"gate\\\\\"\": 0 of 3 permits in use\n"
#define LAST "gate \"fourth\": 0 of 0 permits in use, paused\n"
    check_state("no gate, lanes, group, map or queue\n");
    GATE(first, "a\n\"gate\"", 3);
    weir_lanes_t lanes = lanes_make("second", 2, 0);
    weir_group_t group = weir_group_create("third");
    GATE(last, "fourth", 0);
    check_state(FIRST "lanes \"second\": 0 of 2 jobs running, 0 queued\n"
                      "group \"third\": 0 outstanding\n" LAST);
    weir_group_release(group);
    weir_lanes_release(lanes);
    check_state(FIRST LAST);
}

static void describe(void *label, void *text) { weir_show_line(text, label); }

/* The name of a queue may be longer than the memory of a number. */
TEST(a_line_of_any_length_is_seen) {
    char label[601] = "";
    memset(label, 'x', 600);
    weir_shown_t shown = weir_show(label, describe, NULL);
    check_state("x{600}\n");
    weir_show_end(shown);
}

static void ignore(void *context, int result) { CHECK_EQUAL(result, 0); }

/* Threads and a request, in the order of their service, with permits and times. */
TEST(the_waiters_of_a_gate_are_seen) {
    GATE(gate, "gate", 3);
    char text[TEXT_SIZE];
    double times[3];
    CHECK_EQUAL(weir_gate_try(gate, 2), 0);
    pthread_t first = gate_start_waiter(gate, 2, nothing);
    CHECK_EQUAL(weir_gate_request_f(gate, 3, NULL, ignore, NULL), 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    pthread_t last = gate_start_waiter(gate, 1, nothing);
    check_hang("gate \"gate\": 2 of 3 permits in use, 3 waiting\n"
               "  thread # waits for 2, for TIME\n"
               "  a request waits for 3, for TIME\n"
               "  thread # waits for 1, for TIME\n");
    const char *place = inspect(text);
    for (int waiter = 0; waiter < 3; waiter++) {
        REQUIRE((place = strstr(place, ", for ")) != NULL);
        times[waiter] = strtod(place += 6, NULL);
    }
    CHECK(times[0] >= times[1] && times[1] >= times[2] + 0.019);
    weir_gate_signal(gate, 2);
    weir_gate_signal(gate, 2);
    weir_gate_signal(gate, 3);
    thread_join(first);
    thread_join(last);
    weir_gate_close(gate);
    check_state("gate \"gate\": 1 of 3 permits in use, closed\n");
}

TEST(the_holder_of_a_permit_is_seen) {
    char text[TEXT_SIZE];
    inspect(text); /* from now on, times are known */
    GATE(gate, "gate", 1);
    LANES(lanes, "lanes", 2, 0);
    struct latch *go = latch_create(1), *entered = latch_create(1);
    int waiter, holder[2], jobs[2][2];
    for (int job = 0; job < 3; job++) {
        lanes_submit(lanes, ^{
          gate_take(gate, 1);
          latch_arrive(entered);
          CHECK(latch_wait(go));
          weir_gate_signal(gate, 1);
        });
    }
    CHECK(latch_wait(entered) && EVENTUALLY(gate_stats(gate).waiting == 1));
    check_hang(
        "gate \"gate\": 1 of 1 permits in use, 1 waiting\n"
        "  thread # waits for 1, for TIME\n"
        "  job [12] of \"lanes\" took 1, thread #, running for TIME\n"
        "lanes \"lanes\": 2 of 2 jobs running, 1 queued, none began for TIME\n"
        "  job [12] on lane 0, thread #, running for TIME\n"
        "  job [12] on lane 1, thread #, running for TIME\n");
    REQUIRE(sscanf(strstr(inspect(text), "  thread"),
                   "  thread %d%*[^\n]\n  job %d of \"lanes\" took 1, thread "
                   "%d%*[^\n]\n%*[^\n]\n  job %d on lane 0, thread %d%*[^\n]\n"
                   "  job %d on lane 1, thread %d",
                   &waiter, &holder[0], &holder[1], &jobs[0][0], &jobs[0][1],
                   &jobs[1][0], &jobs[1][1]) == 7);
    int lane = jobs[0][0] == holder[0] ? 0 : 1;
    CHECK(jobs[lane][0] == holder[0] && jobs[lane][1] == holder[1] &&
              jobs[1 - lane][0] != holder[0] && jobs[1 - lane][1] == waiter,
          "%s", text);
    latch_arrive(go);
    CHECK(lanes_wait(lanes));
    check_state("gate \"gate\": 0 of 1 permits in use\n"
                "lanes \"lanes\": 0 of 2 jobs running, 0 queued\n");
}

/* A task that holds permits of a gate while its children wait for them, as a scope around a
   map, a child task or async let: the task is the holder, by its number and place. */
TEST(a_task_that_holds_what_its_children_wait_for) {
    CHECK_EQUAL(count_words("no gate"), 1);
    GATE(gate, "rooms", 2);
    const weir_caller_t parent = {
        .task = 5, .name = "crawl", .file = "main.swift", .line = 12};
    const weir_caller_t child = {.task = 6, .file = "main.swift", .line = 13};
    weir_gate_scope_t scope;
    static _Atomic int result;
    REQUIRE(weir_gate_enter(gate, 2, &parent, &scope) == 0);
    REQUIRE(weir_gate_request_from(gate, 1, &child, &result, store_result,
                                   NULL) == 0);
    check_hang("gate \"rooms\": 2 of 2 permits in use, 1 waiting\n"
               "  task 6 at main.swift:13 waits for 1, for TIME\n"
               "  task 5 \"crawl\" at main.swift:12 holds 2, for TIME\n");
    weir_gate_leave(gate, 2, scope);
    weir_gate_signal(gate, 1);
}

TEST(work_of_a_gate_is_its_holder) {
    CHECK_EQUAL(count_words("no gate"), 1);
    GATE(gate, "gate", 5);
    QUEUE(queue, "queue", NULL);
    struct latch *go = latch_create(1), *entered = latch_create(1);
    gate_submit(gate, 3, queue, ^{
      latch_arrive(entered);
      CHECK(latch_wait(go));
    });
    CHECK(latch_wait(entered) && weir_gate_try(gate, 1) == 0);
    check_state("gate \"gate\": 4 of 5 permits in use\n"
                "  thread # holds 3, for TIME\n"
                "  other holders of 1\n");
    weir_gate_signal(gate, 1);
    latch_arrive(go);
    gate_take(gate, 5);
    check_state("gate \"gate\": 5 of 5 permits in use\n");
    weir_gate_signal(gate, 5);
}

static void run_nothing(void *context, void *lane_context) {}

TEST(waits_for_lanes_and_groups_are_seen) {
    weir_lanes_t lanes = lanes_make("lanes", 1, 1);
    weir_group_t group = weir_group_create("group");
    struct meter *ran = &(struct meter){0};
    struct occupation occupation = lanes_occupy(lanes);
    lanes_submit_many(lanes, 1, ran);
    weir_group_enter(group);
    struct crew crew = crew_start(1, ^{
      lanes_submit_many(lanes, 1, ran);
    });
    CHECK(EVENTUALLY(count_words("waits for room") == 1));
    REQUIRE(weir_lanes_request_f(lanes, NULL, run_nothing, ignore, NULL) == 0);
    REQUIRE(weir_lanes_request_idle_f(lanes, NULL, ignore, NULL) == 0);
    crew_add(&crew, ^{
      CHECK(lanes_wait(lanes));
    });
    crew_add(&crew, ^{
      CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_FOREVER), 0);
    });
    CHECK_EQUAL(weir_group_notify_f(group, global(), NULL, ignore), 0);
    CHECK(EVENTUALLY(count_words("waits") == 5));
    check_hang(
        "lanes \"lanes\": 1 of 1 jobs running, 1 queued(, none began for "
        "TIME)?\n  job 1 on lane 0, thread #(, running for TIME)?\n"
        "  thread # waits for room in the backlog, for TIME\n"
        "  a request waits for room in the backlog, for TIME\n"
        "  a request waits for the end, for TIME\n"
        "  thread # waits for the end, for TIME\n"
        "group \"group\": 1 outstanding, notifications: 1\n"
        "  thread # waits for the end, for TIME\n");
    weir_group_leave(group);
    lanes_vacate(occupation);
    crew_join(crew);
    CHECK(EVENTUALLY(count_words("notifications") == 0));
    CHECK_EQUAL(count_words("waits"), 0);
    weir_group_release(group);
    CHECK(lanes_end(lanes));
}

TEST(inspections_disturb_nothing) {
    static _Atomic bool stop;
    static struct meter ended;
    struct crew inspectors = crew_start(2, ^{
      while (!stop) {
          char text[TEXT_SIZE];
          const char *place = inspect(text);
          while ((place = strstr(place, " of 2 permits in use")) != NULL) {
              CHECK(place[-2] == ' ' && place[-1] <= '2', "%s", text);
              place++;
          }
      }
    });
    for (int round = 0; round < 200; round++) {
        GATE(gate, "gate", 2);
        LANES(lanes, "lanes", 4, 8);
        GROUP(group, "group");
        for (size_t job = 0; job < 20; job++) {
            weir_group_enter(group);
            lanes_submit(lanes, ^{
              gate_take(gate, 1 + job % 2);
              weir_gate_signal(gate, 1 + job % 2);
              meter_enter(&ended);
              weir_group_leave(group);
            });
        }
        CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_FOREVER), 0);
        CHECK(lanes_wait(lanes));
    }
    stop = true;
    crew_join(inspectors);
    CHECK_EQUAL(ended.ever, 4000);
    /* A lane may still end. */
    CHECK(EVENTUALLY(count_words("no gate, lanes, group, map or queue") == 1));
}

/* While every thread of the lanes waits and no descriptor is free. */
static void check_signals(bool are_blocked) {
    static char texts[2][TEXT_SIZE];
    static const int signals[] = {SIGQUIT, SIGUSR2};
    GATE(gate, "stuck", 1);
    weir_lanes_t lanes = lanes_make("lanes", 8, 0);
    struct rlimit limit;
    sigset_t set;
    int ends[2], errors = dup(STDERR_FILENO);
    CHECK_EQUAL(weir_inspect_on_signal(0), EINVAL);
    CHECK_EQUAL(weir_inspect_on_signal(SIGKILL), EINVAL);
    CHECK_EQUAL(weir_gate_try(gate, 1), 0);
    for (int job = 0; job < 8; job++) {
        lanes_submit(lanes, ^{
          gate_take(gate, 1);
          weir_gate_signal(gate, 1);
        });
    }
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 8));
    CHECK_EQUAL(weir_inspect_on_signal(SIGQUIT), 0);
    CHECK_EQUAL(weir_inspect_on_signal(SIGUSR2), 0);
    REQUIRE(pipe(ends) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    dup2(ends[1], STDERR_FILENO);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, limit.rlim_max});
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(are_blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    for (int number = 0; number < 2; number++) {
        kill(getpid(), signals[number]);
        read_until(ends[0], "lanes \"lanes\": 8 of 8 jobs running, 0 queued",
                   texts[number]);
    }
    setrlimit(RLIMIT_NOFILE, &limit);
    dup2(errors, STDERR_FILENO);
    for (int number = 0; number < 2; number++) {
        CHECK(strstr(texts[number], "gate \"stuck\": 1 of 1 permits in use, "
                                    "8 waiting\n") != NULL);
    }
    weir_gate_signal(gate, 1);
    CHECK(lanes_end(lanes));
}

TEST(a_signal_writes_the_state) { check_signals(false); }
TEST(a_signal_that_the_program_blocks_writes_the_state) { check_signals(true); }
