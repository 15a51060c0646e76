/* formats_tests.c: the formats that weir/trace.h documents, with any label. */
#include "recording.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LANES = 16, GATE = 32, GROUP = 48, SECOND = 64 };

/* Two jobs on lanes, the second never ends; a gate of two permits with a waiting thread,
   a time-out and a waiting request; a dropped job; a group; another gate of the same
   name. Each of the threads, in order, has its events. */
static const struct {
    int thread;
    weir_trace_event_t event;
} story[] = {
    {1, {WEIR_TRACE_SUBMIT, NULL, "lanes", 1, 0, 1, 1000, LANES, NULL}},
    {1, {WEIR_TRACE_SUBMIT, NULL, "lanes", 2, 0, 1, 2000, LANES, NULL}},
    {1, {WEIR_TRACE_SUBMIT, NULL, "lanes", 3, 0, 1, 2500, LANES, NULL}},
    {1, {WEIR_TRACE_ENTER, NULL, "group", 0, 0, 1, 3000, GROUP, NULL}},
    {1, {WEIR_TRACE_CANCEL, NULL, "lanes", 3, 0, 1, 20000, LANES, NULL}},
    {1, {WEIR_TRACE_NOTE, NULL, "a \"note\"", 5, 0, 6, 21000, 0, NULL}},
    {2, {WEIR_TRACE_START, NULL, "lanes", 1, 0, 1, 4001, LANES, NULL}},
    {2, {WEIR_TRACE_ACQUIRED, NULL, "gate", 0, 0, 2, 5000, GATE, NULL}},
    {2, {WEIR_TRACE_SIGNAL, NULL, "gate", 0, 0, 2, 6000, GATE, NULL}},
    {2, {WEIR_TRACE_WAKE, NULL, "gate", 1, 1, 1, 6100, GATE, NULL}},
    {2, {WEIR_TRACE_WAKE, NULL, "gate", 3, 1, 1, 6200, GATE, NULL}},
    {2, {WEIR_TRACE_END, NULL, "lanes", 1, 0, 1, 9000, LANES, NULL}},
    {2, {WEIR_TRACE_LEAVE, NULL, "group", 0, 0, 0, 9500, GROUP, NULL}},
    {2, {WEIR_TRACE_START, NULL, "lanes", 2, 0, 1, 10000, LANES, NULL}},
    {3, {WEIR_TRACE_WAIT, NULL, "gate", 1, 0, 1, 5500, GATE, NULL}},
    {3, {WEIR_TRACE_ACQUIRED, NULL, "gate", 1, 0, 1, 7000, GATE, NULL}},
    {3, {WEIR_TRACE_SIGNAL, NULL, "gate", 0, 0, 1, 8000, GATE, NULL}},
    {3, {WEIR_TRACE_ACQUIRED, NULL, "gate", 0, 0, 1, 12000, SECOND, NULL}},
    {4, {WEIR_TRACE_WAIT, NULL, "gate", 2, 0, 2, 5600, GATE, NULL}},
    {4, {WEIR_TRACE_TIMED_OUT, NULL, "gate", 2, 0, 2, 5800, GATE, NULL}},
    {4, {WEIR_TRACE_WAIT, NULL, "gate", 3, 1, 1, 5900, GATE, NULL}},
    {4, {WEIR_TRACE_NOTE, NULL, "goes on", 0, 0, 0, 5950, 0, NULL}},
    {4, {WEIR_TRACE_WAIT, NULL, "gate", 1, 0, 4, 13000, SECOND, NULL}},
    {5, {WEIR_TRACE_ACQUIRED, NULL, "gate", 3, 0, 1, 6300, GATE, NULL}}};

static void check_text_of(weir_trace_recorder_t recorder,
                          weir_trace_format_t format, const char *expected) {
    static char texts[2][1 << 16];
    int written = memfd_create("story", 0), file = open(expected, O_RDONLY);
    CHECK_EQUAL(weir_trace_recorder_write(recorder, written, format), 0);
    ssize_t size = pread(written, texts[0], sizeof texts[0], 0);
    ssize_t expected_size = read(file, texts[1], sizeof texts[1]);
    REQUIRE(size > 0 && expected_size > 0);
    CHECK_BYTES(texts[0], (size_t)size, texts[1], (size_t)expected_size);
    close(written);
    close(file);
}

TEST(both_formats_are_as_documented) {
    RECORDER(recorder, 0);
    for (int thread = 1; thread <= 5; thread++) {
        crew_run(1, ^{
          for (size_t row = 0; row < sizeof story / sizeof *story; row++) {
              if (story[row].thread == thread) {
                  weir_trace_emit(&story[row].event);
              }
          }
        });
    }
    weir_trace_recorder_stop(recorder);
    for (int time = 0; time < 2; time++) {
        check_text_of(recorder, WEIR_TRACE_JSON_LINES,
                      "Tests/CLibrary/trace/story.jsonl");
        check_text_of(recorder, WEIR_TRACE_EVENT_JSON,
                      "Tests/CLibrary/trace/story.json");
    }
}

enum { LABELS = 217, LABEL_SIZE = 80 };

static char labels[LABELS][LABEL_SIZE];

static void fill_labels(void) {
    static const char *const fixed[] = {"plain",
                                        "",
                                        "\u00E9\u20AC\U0001F600\x7F\u2028",
                                        "\x80",
                                        "\xC3",
                                        "\xC3\x28",
                                        "\xC0\xAF",
                                        "\xE2\x82",
                                        "\xE0\x80\x80",
                                        "\xED\xA0\x80",
                                        "\xF4\x90\x80\x80",
                                        "\xF0\x9F\x98",
                                        "\xFF\xFE\x41",
                                        "\xF8\x88\x80\x80\x80"};
    struct check_random random = check_random("labels of traces");
    for (int label = 0; label < 14; label++) {
        strcpy(labels[label], fixed[label]);
    }
    for (int byte = 1; byte < 0x80; byte++) {
        labels[14 + byte / 0x41][(byte - 1) % 0x40] = (char)byte;
    }
    memset(labels[16], 'x', 79);
    for (int label = 17; label < LABELS; label++) {
        size_t size = check_below(&random, 12);
        for (size_t index = 0; index < size; index++) {
            int byte = (int)check_below(&random, 256);
            labels[label][index] = (char)(byte == 0 ? 1 : byte);
        }
    }
}

static const char *replaced(const char *label) {
    static char text[3 * LABEL_SIZE];
    char *end = text;
    while (*label != 0) {
        size_t size = utf8_size(label);
        memcpy(end, size == 0 ? "\uFFFD" : label, size == 0 ? 3 : size);
        end += size == 0 ? 3 : size;
        label += size == 0 ? 1 : size;
    }
    *end = 0;
    return text;
}

TEST(labels_are_escaped) {
    RECORDER(recorder, 0);
    fill_labels();
    for (int label = 0; label < LABELS; label++) {
        weir_trace_note(labels[label], 0, 0);
    }
    struct recording lines = lines_of(recorder);
    struct recording events = events_of(recorder);
    REQUIRE(lines.count == LABELS);
    CHECK_EQUAL(recording_count(events, "ph", "i"), LABELS);
    for (size_t event = 0, label = 0; event < events.count; event++) {
        if (json_is(events.lines[event], "ph", "i")) {
            const char *expected = replaced(labels[label]);
            CHECK(json_is(events.lines[event], "name", expected) &&
                      json_is(lines.lines[label], "q", expected),
                  "%s", lines.lines[label]);
            label++;
        }
    }
}

TEST(a_long_label_is_cut_after_a_character) {
    RECORDER(recorder, 0);
    char label[401] = "";
    for (int index = 0; index < 200; index++) {
        memcpy(label + 2 * index, "\u00E9", 3);
    }
    weir_trace_note(label, 0, 0);
    label[78] = 0;
    CHECK_EQUAL(recording_count(lines_of(recorder), "q", label), 1);
}
