/* recording.c: reads recordings. */
#include "recording.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(int descriptor) {
    struct stat status;
    REQUIRE(fstat(descriptor, &status) == 0);
    size_t size = (size_t)status.st_size;
    char *text = memset(keep(size + 1), 0, size + 1);
    REQUIRE(pread(descriptor, text, size, 0) == (ssize_t)size);
    CHECK_EQUAL(strlen(text), size);
    close(descriptor);
    return text;
}

struct recording recording_read(int descriptor, weir_trace_format_t format) {
    static const char head[] = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    bool as_lines = format == WEIR_TRACE_JSON_LINES;
    struct recording all = {read_all(descriptor), NULL, 0};
    size_t size = strlen(all.text);
    CHECK(as_lines || (json_is_valid(all.text) &&
                       strncmp(all.text, head, strlen(head)) == 0));
    all.lines = keep((size + 1) * sizeof *all.lines);
    char *rest = NULL;
    for (char *line = strtok_r(all.text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        CHECK(!as_lines || json_is_valid(line), "%s", line);
        if (as_lines || json_at(line, "ph") != NULL) {
            all.lines[all.count++] = line;
        }
    }
    return all;
}

static struct recording recording_of(weir_trace_recorder_t recorder,
                                     weir_trace_format_t format) {
    int file = memfd_create("recording", 0);
    weir_trace_recorder_stop(recorder);
    CHECK_EQUAL(weir_trace_recorder_write(recorder, file, format), 0);
    return recording_read(file, format);
}

struct recording lines_of(weir_trace_recorder_t recorder) {
    return recording_of(recorder, WEIR_TRACE_JSON_LINES);
}

struct recording events_of(weir_trace_recorder_t recorder) {
    return recording_of(recorder, WEIR_TRACE_EVENT_JSON);
}

size_t recording_count(struct recording recording, const char *name,
                       const char *string) {
    size_t count = 0;
    for (size_t line = 0; line < recording.count; line++) {
        count += json_is(recording.lines[line], name, string);
    }
    return count;
}

void recording_check(struct recording recording, const char *name, int count,
                     const double expected[]) {
    for (size_t line = recording.count; line-- > 0 && count > 0;) {
        if (json_at(recording.lines[line], name) != NULL) {
            CHECK(json_number(recording.lines[line], name) == expected[--count],
                  "%s", recording.lines[line]);
        }
    }
    CHECK_EQUAL(count, 0);
}

weir_trace_recorder_t recorder_start(size_t events) {
    weir_trace_recorder_t recorder = weir_trace_recorder_create(events);
    REQUIRE(recorder != NULL && weir_trace_recorder_start(recorder) == 0);
    return recorder;
}

void recorder_end(weir_trace_recorder_t *recorder) {
    weir_trace_recorder_release(*recorder);
}

weir_trace_recorder_stats_t recorder_stats(weir_trace_recorder_t recorder) {
    weir_trace_recorder_stats_t stats;
    weir_trace_recorder_stats(recorder, &stats, sizeof stats);
    return stats;
}

void report(uint64_t time, weir_trace_kind_t kind, uint64_t serial,
            const char *label, uint64_t job) {
    weir_trace_emit(&(weir_trace_event_t){.kind = kind,
                                          .label = label,
                                          .job = job,
                                          .count = 1,
                                          .nanoseconds = time,
                                          .serial = serial});
}
