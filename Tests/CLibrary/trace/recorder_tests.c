/* recorder_tests.c: a recorder beside threads that record, and errors of its output. */
#include "recording.h"
#include "tree.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static size_t count_lines(weir_trace_recorder_t recorder) {
    return lines_of(recorder).count;
}

/* An event of the program's own keeps its time, or gets the present one. */
TEST(an_emitted_event_keeps_its_time) {
    static const char *const labels[] = {"before", "own", "after"};
    uint64_t serial = weir_trace_serial();
    CHECK(serial != weir_trace_serial());
    report(1, WEIR_TRACE_NOTE, serial, "nobody records", 0);
    RECORDER(recorder, 0);
    report(1000, WEIR_TRACE_SIGNAL, serial, "own", 0);
    report(3500, WEIR_TRACE_SIGNAL, serial, "own", 0);
    report(2000, WEIR_TRACE_SIGNAL, serial, "own", 0);
    struct recording lines = lines_of(recorder);
    REQUIRE(lines.count == 3);
    recording_check(lines, "t", 3, (double[]){0, 1000, 2500});
    CHECK_EQUAL(weir_trace_recorder_start(recorder), 0);
    weir_trace_note("before", 0, 0);
    report(0, WEIR_TRACE_SIGNAL, serial, "own", 0);
    weir_trace_note("after", 0, 0);
    lines = lines_of(recorder);
    REQUIRE(lines.count == 3);
    for (size_t line = 0; line < 3; line++) {
        CHECK(json_is(lines.lines[line], "q", labels[line]));
    }
}

static void check_dropped(size_t capacity, size_t written) {
    RECORDER(recorder, capacity);
    check_row("capacity %zu, %zu events", capacity, written);
    for (size_t number = 0; number < written; number++) {
        weir_trace_note(text("label %zu", number), number, 0);
    }
    struct recording lines = lines_of(recorder);
    weir_trace_recorder_stats_t stats = recorder_stats(recorder);
    size_t kept = written < capacity ? written : capacity;
    CHECK(stats.events == kept && stats.dropped == written - kept);
    CHECK_EQUAL(stats.threads, written > 0);
    REQUIRE(lines.count == kept);
    for (size_t line = 0; line < kept; line++) {
        const char *label = text("label %zu", written - kept + line);
        CHECK(json_is(lines.lines[line], "q", label), "%s", lines.lines[line]);
    }
}

TEST(the_oldest_events_are_dropped_and_counted) {
    EACH(size_t, capacity, 1, 2, 63, 64, 65, 1000, 5000) {
        check_dropped(capacity, capacity - 1);
        check_dropped(capacity, capacity);
        check_dropped(capacity, capacity + 1);
        check_dropped(capacity, 2 * capacity);
        check_dropped(capacity, 3 * capacity + 7);
    }
}

TEST(threads_that_end_leave_their_events) {
    RECORDER(recorder, 0);
    weir_trace_note("first", 0, 0);
    for (int thread = 2; thread <= 51; thread++) {
        crew_run(1, ^{
          weir_trace_note("another", 0, 0);
        });
    }
    struct recording lines = lines_of(recorder);
    struct recording events = events_of(recorder);
    weir_trace_recorder_stats_t stats = recorder_stats(recorder);
    CHECK(stats.threads == 51 && stats.events == 51 && lines.count == 51);
    CHECK_EQUAL(recording_count(events, "name", "thread_name"), 51);
    for (size_t event = 0, thread = 0; event < events.count; event++) {
        if (json_is(events.lines[event], "name", "thread_name")) {
            CHECK_EQUAL(json_number(lines.lines[thread], "thr"), thread + 1);
            CHECK_EQUAL(json_number(events.lines[event], "tid"), ++thread);
        }
    }
}

TEST(only_one_recorder_records) {
    RECORDER(second, 0);
    weir_trace_note("kept", 0, 0);
    weir_trace_recorder_stop(second);
    RECORDER(first, 0);
    CHECK_EQUAL(weir_trace_recorder_start(first), EBUSY);
    CHECK_EQUAL(weir_trace_recorder_start(second), EBUSY);
    CHECK_EQUAL(count_lines(second), 1);
    CHECK_EQUAL(weir_trace_recorder_write(first, 1, WEIR_TRACE_JSON_LINES),
                EBUSY);
    weir_trace_recorder_stop(first);
    weir_trace_recorder_stop(first);
    CHECK(weir_trace_recorder_start(second) == 0 && count_lines(second) == 0);
    CHECK_EQUAL(weir_trace_recorder_start(first), 0);
}

static void count_event(void *meter, const weir_trace_event_t *event) {
    meter_enter(meter);
}

TEST(an_observer_and_a_recorder_are_independent) {
    static struct meter seen;
    static const weir_trace_observer_t observer = {.context = &seen,
                                                   .observe = count_event};
    weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
    CHECK(weir_trace_set_observer(&observer) == NULL);
    CHECK_EQUAL(weir_trace_recorder_start(recorder), 0);
    weir_trace_note("both", 0, 0);
    weir_trace_recorder_stop(recorder);
    CHECK(weir_trace_set_observer(NULL) == &observer);
    weir_trace_note("none", 0, 0);
    CHECK(count_lines(recorder) == 1 && seen.ever == 1);
    CHECK_EQUAL(weir_trace_recorder_start(recorder), 0);
    CHECK(weir_trace_set_observer(&observer) == NULL);
    weir_trace_note("both", 0, 0);
    CHECK(weir_trace_set_observer(NULL) == &observer);
    weir_trace_note("the recorder", 0, 0);
    CHECK(count_lines(recorder) == 2 && seen.ever == 2);
    /* A former observer can be set again, also after the release of the recorder. */
    CHECK_EQUAL(weir_trace_recorder_start(recorder), 0);
    const weir_trace_observer_t *former = weir_trace_set_observer(&observer);
    weir_trace_recorder_release(recorder);
    CHECK(former == NULL && weir_trace_set_observer(former) == &observer);
    weir_trace_note("nobody", 0, 0);
    CHECK_EQUAL(seen.ever, 2);
}

static weir_trace_recorder_t record_marks(void) {
    weir_trace_recorder_t recorder = recorder_start(0);
    for (int mark = 0; mark < 5000; mark++) {
        weir_trace_note("mark", 0, 0);
    }
    weir_trace_recorder_stop(recorder);
    return recorder;
}

/* A slow output delays only a start. */
TEST(a_recorder_is_used_while_it_is_written) {
    weir_trace_recorder_t recorder = record_marks();
    struct latch *ended = latch_create(1);
    int ends[2];
    char piece[65536];
    REQUIRE(pipe(ends) == 0);
    int reading = ends[0], writing = ends[1];
    pthread_t writer = thread_start(^{
      CHECK_EQUAL(
          weir_trace_recorder_write(recorder, writing, WEIR_TRACE_JSON_LINES),
          0);
      close(writing);
      latch_arrive(ended);
    });
    /* The pipe holds less than there is. */
    CHECK_EQUAL(read(reading, piece, 1), 1);
    crew_run(1, ^{
      CHECK_EQUAL(recorder_stats(recorder).events, 5000);
      CHECK_EQUAL(weir_trace_recorder_start(recorder), EBUSY);
      CHECK_EQUAL(count_lines(recorder), 5000);
    });
    CHECK(!latch_is_open(ended));
    while (read(reading, piece, sizeof piece) > 0) {
    }
    thread_join(writer);
    CHECK_EQUAL(weir_trace_recorder_start(recorder), 0);
    weir_trace_recorder_release(recorder);
    close(reading);
}

TEST(a_failed_write_returns_its_error) {
    weir_trace_recorder_t recorder = record_marks();
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    REQUIRE(pipe(ends) == 0);
    close(ends[0]);
    const struct {
        int descriptor, error;
    } rows[] = {{open("/dev/full", O_WRONLY), ENOSPC},
                {ends[1], EPIPE},
                {open("/dev/null", O_RDONLY), EBADF},
                {-1, EBADF}};
    for (int row = 0; row < 8; row++) {
        weir_trace_format_t format =
            row < 4 ? WEIR_TRACE_JSON_LINES : WEIR_TRACE_EVENT_JSON;
        check_row("row %d", row);
        CHECK_EQUAL(weir_trace_recorder_write(recorder,
                                              rows[row % 4].descriptor, format),
                    rows[row % 4].error);
    }
    weir_trace_format_t wrong[] = {(weir_trace_format_t)3,
                                   (weir_trace_format_t)0};
    CHECK_EQUAL(weir_trace_recorder_write(recorder, 1, wrong[0]), EINVAL);
    CHECK_EQUAL(weir_trace_recorder_write(recorder, -1, wrong[1]), EINVAL);
    CHECK_EQUAL(count_lines(recorder), 5000);
    weir_trace_recorder_release(recorder);
}

TEST(a_recorder_starts_and_stops_while_threads_record) {
    static _Atomic bool over;
    int nowhere = open("/dev/null", O_WRONLY);
    struct crew crew = crew_start(3, ^{
      for (unsigned count = 0; !over; count++) {
          char label[40];
          snprintf(label, sizeof label, "note %u", count % 50);
          weir_trace_note(label, count, 0);
      }
    });
    for (int round = 0; round < 20; round++) {
        weir_trace_recorder_t recorder =
            weir_trace_recorder_create(round % 3 == 0 ? 100 : 2000);
        for (int time = 0; time < 3; time++) {
            CHECK_EQUAL(weir_trace_recorder_start(recorder), 0);
            CHECK(EVENTUALLY(recorder_stats(recorder).events > 0));
            weir_trace_recorder_stop(recorder);
            int lines = weir_trace_recorder_write(recorder, nowhere,
                                                  WEIR_TRACE_JSON_LINES);
            int events = weir_trace_recorder_write(recorder, nowhere,
                                                   WEIR_TRACE_EVENT_JSON);
            CHECK(lines == 0 && events == 0);
        }
        /* In every other round it is stopped by its release. */
        CHECK(round % 2 == 1 || weir_trace_recorder_start(recorder) == 0);
        weir_trace_recorder_release(recorder);
    }
    over = true;
    crew_join(crew);
    close(nowhere);
}
