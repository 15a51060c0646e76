/* scenario_systems.c: walks, children, storage, recordings, inspections. */
#include "scenarios.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* ---- walks --------------------------------------------------------------------- */

/* Makes a walk list directories on threads, at once. Of look_ahead.c. */
extern void scenario_look_ahead(weir_walk_t walk);

static void walk_with(const weir_walk_options_t *options, bool looks_ahead) {
    weir_walk_t walk = options ? weir_walk_create_with("tree", options)
                               : weir_walk_create("tree", 0);
    weir_walk_entry_t entry;
    if (!MADE(walk)) {
        return;
    }
    if (looks_ahead) {
        scenario_look_ahead(walk);
    }
    while (weir_walk_next(walk, &entry)) {
        say("F\t%s\t%d\t%d\t", entry.path, entry.type, entry.error);
    }
    end_files(0, false);
    weir_walk_destroy(walk);
}

static void plain_walk(void) { walk_with(NULL, false); }

static void filtered_walk(void) {
    static const weir_walk_filter_t filters[] = {
        {.pattern = "f1*"}, {.include = true, .pattern = "many/f1[0-2]"}};
    const weir_walk_options_t options = {.filters = filters,
                                         .filter_count = 2,
                                         .flags = WEIR_WALK_ONE_FILE_SYSTEM};
    walk_with(&options, false);
}

static void following_walk(void) {
    const weir_walk_options_t options = {
        .flags = WEIR_WALK_FOLLOW | WEIR_WALK_ONE_THREAD, .max_depth = 8};
    walk_with(&options, false);
}

static void walk_ahead(void) { walk_with(NULL, true); }

/* ---- children ------------------------------------------------------------------ */

static void await_child(pid_t child) {
    int status = 0, watch = weir_spawn_descriptor(child);
    bool has_none = watch < 0 && errno == ENOSYS; /* as in POSIX */
    if (watch < 0 && !has_none && !is_injected(errno)) {
        wrong("weir_spawn_descriptor: %s", strerror(errno));
    } else if (watch < 0 && !has_none) {
        count_failure();
    } else if (watch >= 0) {
        struct pollfd end = {.fd = watch, .events = POLLIN};
        if (poll(&end, 1, 10000) != 1) {
            wrong("the child has not ended");
        }
        close(watch);
    }
    if (waitpid(child, &status, 0) != child) {
        wrong("no child to wait for");
    }
    say("child %d", status);
}

static void spawn_with(const char *file, unsigned flags) {
    char *arguments[] = {"sh", "-c", "echo \"$PWD\" | tail -c 5; exit 3", NULL};
    int ends[2];
    if (!GOOD(weir_spawn_pipe(ends))) {
        return;
    }
    const int descriptors[] = {-1, ends[1], 2};
    const weir_spawn_options_t options = {
        .descriptors = descriptors, .directory = "tree", .flags = flags};
    pid_t child = -1;
    bool has_child = GOOD(weir_spawn(&child, file, arguments, &options));
    close(ends[1]);
    char text[64] = "";
    ssize_t got = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (has_child) {
        say("%s reads %zd: %.4s", file, got, text);
        await_child(child);
    } else if (got != 0) {
        wrong("a child that did not start has written");
    }
    if (waitpid(-1, NULL, __WALL | WNOHANG) != -1) {
        wrong("a child is left");
    }
}

static void spawn(void) {
    (void)GOOD(weir_descriptor_raise_limit());
    spawn_with("sh", WEIR_SPAWN_OWN_GROUP);
    spawn_with("/bin/sh", WEIR_SPAWN_OWN_SESSION);
    pid_t child;
    char *arguments[] = {"none", NULL};
    (void)EXPECT(weir_spawn(&child, "weir-no-such-program", arguments, NULL),
                 ENOENT);
    if (waitpid(-1, NULL, __WALL | WNOHANG) != -1) {
        wrong("a child is left");
    }
}

/* ---- storage ---------------------------------------------------------------------- */

static void storage(void) {
    const char *const places[] = {".", "/proc", "/dev/shm"};
    for (int i = 0; i < 3; i++) {
        weir_storage_t storage = {.readers = 0};
        int place = open(places[i], O_RDONLY | O_DIRECTORY);
        bool is_known = GOOD(weir_storage_of(place, &storage, sizeof storage));
        if (is_known && (storage.readers < 1 || !storage.evidence[0] ||
                         storage.readers_max < storage.readers)) {
            wrong("%zu readers of %s", storage.readers, places[i]);
        }
        say("storage %d", is_known);
        close(place);
    }
}

/* ---- recordings -------------------------------------------------------------------- */

static void count_job(void *context, void *lane) {
    (void)lane;
    weir_trace_note("job", 1, 1);
    ++*(_Atomic int *)context;
}

/* Makes events. Returns false if it could not make all. */
static bool make_events(void) {
    const weir_lanes_options_t options = {.label = "traced", .width = 1};
    _Atomic int ran = 0;
    weir_gate_t gate = weir_gate_create("traced gate", 1);
    weir_lanes_t lanes = weir_lanes_create(&options);
    bool has_lanes = MADE(lanes);
    int accepted = 0;
    if (MADE(gate) && has_lanes) {
        for (int i = 0; i < 16; i++) {
            accepted += GOOD(weir_lanes_async_f(lanes, &ran, count_job));
        }
        (void)GOOD(weir_gate_wait(gate, 1, FOREVER));
        weir_gate_signal(gate, 1);
        (void)GOOD(weir_lanes_wait(lanes, LIMIT));
        weir_lanes_close(lanes);
        if (ran != accepted) {
            wrong("%d jobs of %d ran", ran, accepted);
        }
    }
    if (lanes) {
        weir_lanes_release(lanes);
    }
    if (gate) {
        weir_gate_release(gate);
    }
    return accepted == 16;
}

static size_t count_lines(const char *name) {
    FILE *file = fopen(name, "r");
    size_t lines = 0;
    int byte;
    while (file && (byte = getc(file)) != EOF) {
        lines += byte == '\n';
    }
    if (file) {
        fclose(file);
    }
    return lines;
}

static void write_recording(weir_trace_recorder_t recorder,
                            weir_trace_format_t format) {
    int file = open("recording", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool is_written = GOOD(weir_trace_recorder_write(recorder, file, format));
    close(file);
    weir_trace_recorder_stats_t stats;
    weir_trace_recorder_stats(recorder, &stats, sizeof stats);
    size_t lines = count_lines("recording");
    if (is_written && format == WEIR_TRACE_JSON_LINES &&
        lines != stats.events) {
        wrong("%zu lines for %llu events", lines,
              (unsigned long long)stats.events);
    }
    if (stats.dropped > 0) {
        count_failure(); /* this is how a recorder tells of it */
    }
    say("written %d events %d dropped %d", is_written, stats.events >= 48,
        stats.dropped > 0);
}

static void recorder(void) {
    weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
    if (!MADE(recorder)) {
        return;
    }
    if (GOOD(weir_trace_recorder_start(recorder))) {
        (void)make_events();
        weir_trace_recorder_stop(recorder);
        write_recording(recorder, WEIR_TRACE_JSON_LINES);
        write_recording(recorder, WEIR_TRACE_EVENT_JSON);
    }
    weir_trace_recorder_release(recorder);
}

/* The file of WEIR_TRACE, which a process writes once. */
static void trace_file(void) {
    const char *name = getenv("WEIR_TRACE");
    bool has_events = make_events();
    bool is_written = GOOD(weir_trace_finish());
    size_t lines = count_lines(name);
    bool has_lost =
        !is_written && is_injected(ENOMEM); /* events, says a line */
    if (is_written ? has_events && lines < 48 : lines > 0 && !has_lost) {
        wrong("%zu lines in the file of WEIR_TRACE", lines);
    }
    say("written %d", is_written);
}

#define THREADS 8

static void *make_event(void *barrier) {
    weir_trace_note("thread", 0, 0);
    pthread_barrier_wait(barrier);
    return NULL;
}

/* The library keeps a record for each thread that ever made an event, for later
   threads: makes more than the scenarios need. */
void scenario_make_threads(void) {
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
    if (!recorder || weir_trace_recorder_start(recorder) != 0) {
        wrong("no recorder");
        return;
    }
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, make_event, &barrier);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    weir_trace_recorder_release(recorder);
}

/* ---- inspections ---------------------------------------------------------------------- */

static void ignore(void *context, int result) {
    (void)context;
    (void)result;
}

static void inspect(void) {
    weir_gate_t gate = weir_gate_create("inspected", 1);
    weir_group_t group = weir_group_create("inspected");
    bool has_group = MADE(group);
    if (MADE(gate) && has_group) {
        (void)GOOD(weir_gate_wait(gate, 1, FOREVER));
        for (int i = 0; i < 3; i++) {
            (void)GOOD(weir_gate_request_f(gate, 1, NULL, ignore, NULL));
        }
        int file = open("inspection", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        bool is_written = GOOD(weir_inspect_write(file));
        close(file);
        if (is_written && count_lines("inspection") < 4) {
            wrong("%zu lines of an inspection", count_lines("inspection"));
        }
        if (!is_written && count_lines("inspection") > 0) {
            wrong(
                "part of an inspection was written although memory was short");
        }
        (void)GOOD(weir_inspect_on_signal(SIGUSR2));
        say("written %d", is_written);
        weir_gate_close(gate);
        weir_gate_signal(gate, 1);
    }
    if (gate) {
        weir_gate_release(gate);
    }
    if (group) {
        weir_group_release(group);
    }
}

const struct scenario system_scenarios[] = {
    {"walk", plain_walk, false},
    {"walk-filtered", filtered_walk, false},
    {"walk-following", following_walk, false},
    {"walk-ahead", walk_ahead, false},
    {"spawn", spawn, false},
    {"storage", storage, false},
    {"recorder", recorder, false},
    {"trace-file", trace_file, true},
    {"inspect", inspect, false},
    {NULL, NULL, false},
};
