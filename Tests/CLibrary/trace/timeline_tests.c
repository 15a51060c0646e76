/* timeline_tests.c: the consistency of recordings in both formats. */
#include "objects.h"
#include "recording.h"
#include "tree.h"
#include <math.h>

/* JSON lines: times go on, counts are never negative, each job is submitted, starts and
   ends. */
static void check_lines(struct recording lines) {
    static int states[16][512];
    double last = 0;
    CHECK_EQUAL(json_number(lines.lines[0], "t"), 0);
    for (size_t index = 0; index < lines.count; index++) {
        const char *line = lines.lines[index];
        int *state = &states[(int)json_number(line, "obj") & 15]
                            [(int)json_number(line, "task") & 511];
        int kind = json_is(line, "ev", "submit")  ? 1
                   : json_is(line, "ev", "start") ? 2
                   : json_is(line, "ev", "end")   ? 3
                                                  : 0;
        bool right =
            json_number(line, "t") >= last && (kind == 0 || *state == kind - 1);
        CHECK(right, "%s", line);
        last = json_number(line, "t");
        *state = kind == 0 ? *state : kind;
    }
    for (int state = 0; state < 16 * 512; state++) {
        CHECK(states[state / 512][state % 512] % 3 == 0);
    }
}

static char phase(const char *event) { return json_at(event, "ph")[1]; }

/* In nanoseconds: microseconds with three digits. */
static long nanoseconds(const char *event, const char *name) {
    return lround(json_number(event, name) * 1000);
}

static void check_event(const char *event) {
    char kind = phase(event);
    const char *name = json_at(event, "name");
    CHECK(strchr("MXBCibne", kind) != NULL && json_number(event, "pid") == 1 &&
              json_number(event, "tid") >= 0 && name != NULL && *name == '"' &&
              (kind == 'M' || json_number(event, "ts") >= 0) &&
              (kind == 'X') == (json_at(event, "dur") != NULL),
          "%s", event);
    const char *count = kind == 'C' ? json_at(event, "args") : NULL;
    while (count != NULL && (count = strchr(count, ':')) != NULL) {
        CHECK(strtod(++count, NULL) >= 0, "%s", event);
    }
}

/* A slice ends before the one around it. */
static void check_slice(const char *event) {
    static long ends[128][64];
    static int depths[128];
    size_t thread = (size_t)json_number(event, "tid") & 127;
    int *depth = &depths[thread];
    long begin = nanoseconds(event, "ts"), *open = ends[thread];
    long end = begin + nanoseconds(event, "dur");
    while (*depth > 0 && open[*depth - 1] <= begin &&
           (open[*depth - 1] < end || open[*depth - 1] < begin)) {
        --*depth;
    }
    CHECK(*depth == 0 || end <= open[*depth - 1], "%s", event);
    REQUIRE(*depth < 64);
    open[(*depth)++] = end;
}

enum { FLOWS = 1 << 16 };

/* Each arrow begins once and ends once, later. */
static void check_flow(const char *event, long begins[FLOWS],
                       long ends[FLOWS]) {
    const char *number = json_at(event, "bind_id");
    bool begin = json_at(event, "flow_out") != NULL;
    size_t flow = strtoul(number + 1, NULL, 16) % FLOWS;
    long *place = begin ? &begins[flow] : &ends[flow];
    CHECK(strchr("XB", phase(event)) != NULL && *place == 0 &&
              begin != (json_at(event, "flow_in") != NULL),
          "%s", event);
    *place = 1 + nanoseconds(event, "ts");
}

static void check_row_event(const char *event) {
    static const char *open[2][4096][8];
    static int depths[2][4096];
    size_t row = strtoul(json_at(event, "local") + 1, NULL, 16) & 4095;
    bool waits = json_is(event, "cat", "wait");
    const char *name = json_at(event, "name") + 1;
    int *depth = &depths[waits][row];
    if (phase(event) == 'b') {
        REQUIRE(*depth < 8);
        open[waits][row][(*depth)++] = name;
    } else if (phase(event) == 'e') {
        REQUIRE(*depth > 0, "%s", event);
        CHECK(strncmp(open[waits][row][--*depth], name,
                      strcspn(name, "\"") + 1) == 0,
              "%s", event);
    }
}

static void check_events(struct recording events) {
    static long begins[FLOWS], ends[FLOWS];
    for (size_t index = 0; index < events.count; index++) {
        const char *event = events.lines[index];
        check_event(event);
        if (phase(event) == 'X') {
            check_slice(event);
        }
        if (json_at(event, "bind_id") != NULL) {
            check_flow(event, begins, ends);
        }
        if (json_at(event, "local") != NULL) {
            check_row_event(event);
        }
    }
    for (int flow = 0; flow < FLOWS; flow++) {
        CHECK((begins[flow] == 0) == (ends[flow] == 0) &&
                  begins[flow] <= ends[flow],
              "flow %d", flow);
    }
}

static void use_gate(weir_gate_t gate, size_t permits) {
    for (int time = 0; time < 30; time++) {
        gate_take(gate, permits);
        weir_gate_signal(gate, permits);
    }
    if (weir_gate_wait(gate, 1, DISPATCH_TIME_NOW) == 0) {
        weir_gate_signal(gate, 1);
    }
}

/* Some of everything: jobs on lanes with a backlog, permits that threads and requests wait
   for, and a group. */
static void work(size_t width) {
    LANES(lanes, "lanes", width, 8);
    GATE(gate, "gate", 2);
    GROUP(group, "group");
    struct crew crew = crew_start(2, ^{
      use_gate(gate, 1);
    });
    crew_add(&crew, ^{
      use_gate(gate, 2);
    });
    for (size_t number = 0; number < 200; number++) {
        weir_group_enter(group);
        lanes_submit(lanes, ^{
          if (number % 10 == 0 && CHECK(gate_wait(gate, 1) == 0)) {
              weir_gate_signal(gate, 1);
          }
          weir_trace_note("in a job", number, 0);
          weir_group_leave(group);
        });
    }
    for (int number = 0; number < 20; number++) {
        weir_group_enter(group);
        gate_submit(gate, 1, global(), ^{
          weir_group_leave(group);
        });
    }
    CHECK_EQUAL(weir_group_wait(group, DISPATCH_TIME_FOREVER), 0);
    crew_join(crew);
    CHECK(lanes_wait(lanes) && EVENTUALLY(gate_stats(gate).in_use == 0));
}

/* If buffers wrap round, counterparts are missing. */
static void check_work(size_t width, size_t capacity) {
    RECORDER(recorder, capacity);
    work(width);
    struct recording lines = lines_of(recorder);
    struct recording events = events_of(recorder);
    CHECK_EQUAL(recorder_stats(recorder).dropped > 0, capacity > 0);
    CHECK_EQUAL(lines.count, recorder_stats(recorder).events);
    check_events(events);
    if (capacity == 0) {
        size_t arrows = 0;
        for (size_t event = 0; event < events.count; event++) {
            arrows += json_at(events.lines[event], "flow_in") != NULL;
        }
        check_lines(lines);
        CHECK_EQUAL(recording_count(lines, "ev", "submit"), 200);
        CHECK_EQUAL(recording_count(lines, "ev", "start"), 200);
        CHECK_EQUAL(recording_count(lines, "ev", "end"), 200);
        CHECK(arrows >= 200, "%zu", arrows);
    }
}

TEST(a_recording_of_one_lane_is_consistent) { check_work(1, 0); }
TEST(a_recording_of_three_lanes_is_consistent) { check_work(3, 0); }
TEST(a_recording_of_3_events_a_thread_is_consistent) { check_work(2, 3); }
TEST(a_recording_of_17_events_a_thread_is_consistent) { check_work(2, 17); }
TEST(a_recording_of_100_events_a_thread_is_consistent) { check_work(2, 100); }

/* The first half of a busy thread's events is lost, and a quiet thread has few: the counts
   are right from the time on from which all events are kept. */
TEST(counts_are_right_if_a_buffer_wrapped_round) {
    RECORDER(recorder, 20);
    crew_run(1, ^{
      for (uint64_t job = 1; job <= 19; job++) {
          report(job < 19 ? job : 900, WEIR_TRACE_SUBMIT, 1, "lanes", job);
      }
    });
    crew_run(1, ^{
      for (uint64_t job = 1; job <= 18; job++) {
          report(job * 10 + 100, WEIR_TRACE_START, 1, "lanes", job);
          report(job * 10 + 101, WEIR_TRACE_END, 1, "lanes", job);
      }
      report(300, WEIR_TRACE_SIGNAL, 2, "gate", 0);
      report(301, WEIR_TRACE_SIGNAL, 2, "gate", 0);
      report(910, WEIR_TRACE_START, 1, "lanes", 19);
      report(920, WEIR_TRACE_END, 1, "lanes", 19);
      report(930, WEIR_TRACE_ACQUIRED, 2, "gate", 0);
    });
    struct recording lines = lines_of(recorder);
    CHECK_EQUAL(recorder_stats(recorder).dropped, 21);
    for (size_t line = 0; line < lines.count; line++) {
        static const char *const names[] = {"queued", "running", "free",
                                            "waiting"};
        for (int name = 0; name < 4; name++) {
            CHECK(json_at(lines.lines[line], names[name]) == NULL ||
                  json_number(lines.lines[line], names[name]) >= 0);
        }
        CHECK(json_number(lines.lines[line], "queued") <= 9 &&
              json_number(lines.lines[line], "running") <= 1);
    }
    recording_check(lines, "queued", 4, (double[]){0, 1, 0, 0});
    recording_check(lines, "running", 4, (double[]){0, 0, 1, 0});
    recording_check(lines, "free", 3, (double[]){1, 2, 1});
}

/* Objects made at the address of a freed one are different objects with different numbers,
   even very many with as many labels. */
TEST(every_object_has_a_number_of_its_own) {
    RECORDER(recorder, 0);
    for (size_t number = 0; number < 500; number++) {
        size_t permits = number < 250 ? 10 : 1;
        GATE(gate, number % 2 == 0 ? "even" : "odd", permits);
        CHECK_EQUAL(weir_gate_try(gate, permits), 0);
        weir_gate_signal(gate, permits);
    }
    struct recording lines = lines_of(recorder);
    struct recording events = events_of(recorder);
    bool seen[501] = {false};
    CHECK_EQUAL(lines.count, 1000);
    for (size_t index = 0; index < lines.count; index++) {
        const char *line = lines.lines[index];
        int object = (int)json_number(line, "obj");
        bool signal = json_is(line, "ev", "signal");
        CHECK(object >= 1 && object <= 500 && seen[object % 501] == signal);
        seen[object % 501] = true;
        CHECK(json_number(line, "free") ==
                  (signal ? json_number(line, "v") : 0),
              "%s", line);
    }
    CHECK_EQUAL(recording_count(events, "ph", "C"), 1000);
    for (int number = 1; number <= 250; number++) {
        const char *end = number == 1 ? "" : text(" #%d", number);
        CHECK_EQUAL(recording_count(events, "name", text("even%s", end)), 2);
        CHECK_EQUAL(recording_count(events, "name", text("odd%s", end)), 2);
    }
}

/* The result does not depend on the order in which threads report. */
TEST(the_outstanding_count_changes_by_one) {
    static const size_t counts[] = {5, 4, 3, 4, 4};
    RECORDER(recorder, 0);
    for (size_t row = 0; row < 5; row++) {
        weir_trace_emit(&(weir_trace_event_t){
            .kind = row == 2 || row == 3 ? WEIR_TRACE_LEAVE : WEIR_TRACE_ENTER,
            .label = "group",
            .count = counts[row],
            .nanoseconds = row + 1,
            .serial = 1});
    }
    struct recording events = events_of(recorder);
    CHECK_EQUAL(recording_count(events, "ph", "C"), 5);
    recording_check(events, "outstanding", 5, (double[]){4, 5, 4, 3, 4});
}

/* As a Swift task may: on another thread, or after a job that began earlier. Such a job is
   no slice of its thread, but its row ends. */
TEST(a_job_that_ends_elsewhere_ends_its_row) {
    static const char *const ends[] = {"running", "tasks 1", "running",
                                       "tasks 2", "running", "tasks 3"};
    RECORDER(recorder, 0);
    report(1, WEIR_TRACE_START, 1, "tasks", 1);
    report(2, WEIR_TRACE_START, 1, "tasks", 2);
    report(3, WEIR_TRACE_END, 1, "tasks", 1);
    report(4, WEIR_TRACE_END, 1, "tasks", 2);
    report(5, WEIR_TRACE_START, 1, "tasks", 3);
    crew_run(1, ^{
      report(6, WEIR_TRACE_END, 1, "tasks", 3);
    });
    struct recording events = events_of(recorder);
    check_events(events);
    CHECK_EQUAL(recording_count(events, "cat", "job"), 1);
    CHECK_EQUAL(recording_count(events, "ph", "e"), 6);
    for (size_t index = 0, end = 0; index < events.count; index++) {
        const char *event = events.lines[index];
        CHECK(!json_is(event, "cat", "job") ||
              json_is(event, "name", "tasks 1"));
        CHECK(!json_is(event, "ph", "e") ||
              json_is(event, "name", ends[end++ % 6]));
    }
}
