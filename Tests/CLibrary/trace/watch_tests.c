/* watch_tests.c: waits without progress are reported, once. (inspect_tests.c has what is
   reported of each kind of wait.) */
#include "inspected.h"
#include "objects.h"
#include "trace/inspection.h"
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir/spi.h>

static void (^const nothing)(void) = ^{
};

TEST(a_wait_is_reported_once_after_the_length) {
    GATE(gate, "a\n\"gate\"", 1);
    GATE(idle, "idle", 1);
    gate_take(gate, 1);
    gate_take(idle, 1);
    pthread_t thread = gate_start_waiter(gate, 1, nothing);
    uint64_t begin = begin_looks();
    CHECK_TEXT(look(begin + LENGTH - 1), "");
    check_inspected(look(begin + LENGTH),
                    "@gate \"a.u000a.\"gate.\"\": 1 of 1 permits in use, 1 "
                    "waiting; no progress for 1000\\.000 s\n"
                    "@gate \"a.u000a.\"gate.\"\": thread # waits for 1, for "
                    "TIME\n");
    CHECK_TEXT(look(begin + LENGTH + 1), "");
    CHECK_TEXT(look(begin + 2 * LENGTH - 1), "");
    weir_gate_signal(gate, 1);
    thread_join(thread);
    weir_gate_signal(gate, 1);
    weir_gate_signal(idle, 1);
}

/* Later waits are a report of their own. After progress, or a time in which there was no
   look, all of them are reported again, the length later. */
TEST(a_changed_set_is_reported) {
    GATE(gate, "gate", 2);
    static _Atomic int results[3];
    weir_gate_request_t late;
    gate_take(gate, 2);
    REQUIRE(weir_gate_request_f(gate, 1, &results[0], store_result, NULL) == 0);
    uint64_t first = begin_looks();
    REQUIRE(weir_gate_request_f(gate, 2, &results[1], store_result, NULL) == 0);
    REQUIRE(weir_gate_request_f(gate, 1, &results[2], store_result, &late) ==
            0);
    uint64_t second = weir__nanoseconds();
    check_inspected(look(first + LENGTH),
                    "@gate .* 3 waiting; no progress.*\n"
                    "@gate \"gate\": a request waits for 1, "
                    "for TIME\n");
    check_inspected(look(second + LENGTH),
                    "@gate .* 3 waiting; no progress.*\n"
                    "@gate \"gate\": a request waits for 2, for TIME\n"
                    "@gate \"gate\": a request waits for 1, for TIME\n");
    weir_gate_signal(gate, 1);
    uint64_t progress = second + LENGTH + LENGTH / 2;
    CHECK_TEXT(look(progress), "");
    CHECK_TEXT(look(progress + LENGTH - 1), "");
    check_inspected(
        look(progress + LENGTH),
        "@gate .* 2 waiting; no progress.*\n@gate .* waits for 2, .*\n"
        "@gate .* waits for 1, .*\n");
    uint64_t stopped = progress + 5 * LENGTH;
    CHECK_TEXT(look(stopped), "");
    CHECK_TEXT(look(stopped + LENGTH - 1), "");
    CHECK(strlen(look(stopped + LENGTH)) > 0);
    CHECK_EQUAL(weir_gate_request_cancel(late), 0);
    weir_gate_request_release(late);
    weir_gate_signal(gate, 2);
    weir_gate_signal(gate, 2);
}

/* ---- progress ------------------------------------------------------------ */

/* Nobody in C waits for them: in Swift a task does. A job that ends is progress. */
TEST(jobs_that_are_queued) {
    store_relaxed(&weir__is_inspected, true);
    weir_lanes_t lanes = lanes_make("lanes", 1, 0);
    struct latch *go = latch_create(2);
    lanes_submit(lanes, ^{
      CHECK(latch_wait(go));
    });
    CHECK(EVENTUALLY(lanes_stats(lanes).running == 1));
    uint64_t begin = begin_looks();
    CHECK_TEXT(look(begin + LENGTH), "");
    lanes_submit(lanes, ^{
      CHECK(latch_wait(go));
    });
    last_look = 0;
    begin = begin_looks();
    check_inspected(look(begin + LENGTH),
                    "@lanes \"lanes\": 1 of 1 jobs running, 1 queued.*; no "
                    "progress for TIME\n"
                    "@lanes \"lanes\": job 1 on lane 0, thread #.*\n");
    CHECK_TEXT(look(begin + LENGTH + 1), "");
    latch_arrive(go);
    latch_arrive(go);
    CHECK(lanes_wait(lanes));
    weir_lanes_release(lanes);
}

static void describe_shown(void *context, void *text) {
    (void)context;
    weir_show_line(text, "queue \"shown\": 1 running, 1 waiting");
    weir_show_line(text, "  job 1");
}

static uint64_t progress_of_shown(void *context) {
    return *(uint64_t *)context;
}

TEST(jobs_of_the_overlay_that_are_queued) {
    uint64_t progress = 0;
    weir_shown_t shown =
        weir_show(&progress, describe_shown, progress_of_shown);
    uint64_t begin = begin_looks();
    CHECK_TEXT(look(begin + LENGTH), "");
    progress = 7;
    last_look = 0;
    begin = begin_looks();
    check_inspected(look(begin + LENGTH),
                    "@queue \"shown\": 1 running, 1 waiting; no progress for "
                    "1000\\.000 s\n"
                    "@queue \"shown\": job 1\n");
    CHECK_TEXT(look(begin + LENGTH + 1), "");
    progress = 9;
    CHECK_TEXT(look(begin + LENGTH + 2), "");
    weir_show_end(shown);
}

/* A group that is waited for in its own work, between an enter and a leave. A leave is
   progress. */
TEST(a_group_that_waits_for_itself) {
    store_relaxed(&weir__is_inspected, true);
    GROUP(group, "parcels");
    weir_group_enter(group);
    weir_group_enter(group);
    struct crew crew = crew_start(1, ^{
      CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_FOREVER), 0);
    });
    uint64_t begin = 0;
    char *report = NULL;
    CHECK(EVENTUALLY((last_look = 0, begin = begin_looks(),
                      report = look(begin + LENGTH), *report != 0)));
    check_inspected(report,
                    "@group \"parcels\": 2 outstanding; no progress for "
                    "TIME\n"
                    "@group \"parcels\": thread # waits for the end, for "
                    "TIME\n");
    weir_group_enter(group);
    weir_group_leave(group);
    uint64_t progress = begin + LENGTH + LENGTH / 2;
    CHECK_TEXT(look(progress), "");
    CHECK_TEXT(look(progress + LENGTH - 1), "");
    CHECK(strlen(look(progress + LENGTH)) > 0);
    weir_group_leave(group);
    weir_group_leave(group);
    crew_join(crew);
}

/* ---- the watch ----------------------------------------------------------- */

TEST(the_watch_begins_and_ends_by_a_call) {
    static char text[TEXT_SIZE];
    int ends[2], errors = dup(STDERR_FILENO);
    EACH(double, wrong, -1, 1e10, 0.0 / 0) {
        CHECK_EQUAL(weir_inspect_watch(wrong), EINVAL);
    }
    CHECK_EQUAL(weir_inspect_watch(0), 0);
    GATE(gate, "gate", 1);
    gate_take(gate, 1);
    pthread_t first = gate_start_waiter(gate, 1, nothing);
    REQUIRE(pipe(ends) == 0);
    dup2(ends[1], STDERR_FILENO);
    EACH(double, length, 0.5, 0.05) { /* the second one ends the first */
        CHECK_EQUAL(weir_inspect_watch(length), 0);
    }
    read_until(ends[0], "waits for 1, ", text);
    CHECK_EQUAL(weir_inspect_watch(1e-12), 0); /* which begins anew */
    read_until(ends[0], "waits for 1, ", text);
    dup2(errors, STDERR_FILENO);
    check_inspected(text,
                    "(.*\n)?@gate \"gate\": 1 of 1 .*; no progress for "
                    "TIME\n@gate \"gate\": thread # waits for 1, for TIME\n");
    weir_gate_signal(gate, 1);
    thread_join(first);
    weir_gate_signal(gate, 1);
    CHECK_EQUAL(weir_inspect_watch(0), 0);
}

/* Runs this program's test of a name, with WEIR_WATCH. */
static pid_t start_with(const char *value, int errors) {
    pid_t child = fork();
    if (child == 0) {
        char self[PATH_MAX] = "", program[PATH_MAX + 32];
        (void)!readlink("/proc/self/exe", self, sizeof self - 1);
        *strrchr(self, '/') = 0;
        snprintf(program, sizeof program, "%s/recorded_program", self);
        setenv("WEIR_WATCH", value, 1);
        dup2(errors, STDERR_FILENO);
        execl(program, program, "hang", (char *)NULL);
        _exit(127);
    }
    return child;
}

TEST(the_environment_begins_a_watch) {
    static const struct {
        const char *value, *words;
    } rows[] = {
        {"0.05", "weir: watch: gate \"hang\": thread"},
        {"soon", "weir: WEIR_WATCH: Invalid argument\n"},
        {"-1", "weir: WEIR_WATCH: Invalid argument\n"},
    };
    for (int row = 0; row < 3; row++) {
        static char text[TEXT_SIZE];
        int ends[2], status;
        check_row("%s", rows[row].value);
        REQUIRE(pipe(ends) == 0);
        pid_t child = start_with(rows[row].value, ends[1]);
        REQUIRE(child > 0);
        close(ends[1]);
        read_until(ends[0], rows[row].words, text);
        kill(child, SIGKILL);
        REQUIRE(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        close(ends[0]);
    }
}
