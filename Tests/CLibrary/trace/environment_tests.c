/* environment_tests.c: with WEIR_TRACE in the environment, programs that know nothing of
   it are recorded, and each of their ends is as weir/trace.h documents. */
#include "recording.h"
#include "tree.h"
#include <signal.h>
#include <sys/wait.h>

struct run {
    const char *directory;
    const char *events; /* WEIR_TRACE_EVENTS */
    const char *output; /* of the program, beside the directory */
    struct check_process end;
};

static void run(struct run *run, const char *how, const char *name) {
    run->directory = run->directory == NULL ? tree_create() : run->directory;
    run->end = check_process(^{
      char self[PATH_MAX] = "";
      REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
      const char *program = join(parent(self), "recorded_program");
      REQUIRE(chdir(run->directory) == 0);
      if (run->output != NULL) {
          dup2(open(run->output, O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
      }
      setenv("WEIR_TRACE", name, 1);
      if (run->events != NULL) {
          setenv("WEIR_TRACE_EVENTS", run->events, 1);
      }
      execl(program, program, how, (char *)NULL);
    });
}

static bool exits(const struct run *run, int status, const char *errors) {
    return CHECK_TEXT(run->end.errors, errors) && WIFEXITED(run->end.status) &&
           WEXITSTATUS(run->end.status) == status;
}

static struct recording lines_in(const char *path) {
    return recording_read(open(path, O_RDONLY), WEIR_TRACE_JSON_LINES);
}

TEST(the_file_is_written) {
    static const struct {
        const char *how;
        int status;
    } rows[] = {{"return", 5},     {"exit", 6},   {"quick", 7},
                {"main-queue", 8}, {"finish", 9}, {"close", 5},
                {"directory", 5},  {"exec", 5}};
    for (int row = 0; row < 8; row++) {
        struct run one = {0};
        check_row("%s", rows[row].how);
        run(&one, rows[row].how, "out.jsonl");
        CHECK(exits(&one, rows[row].status, ""));
        struct recording lines = lines_in(join(one.directory, "out.jsonl"));
        REQUIRE(lines.count > 1);
        CHECK(json_is(lines.lines[0], "ev", "acquired"));
        CHECK(recording_count(lines, "ev", "signal") > 0);
        /* exec begins anew; the first program had noted "before". */
        CHECK((recording_count(lines, "ev", "note") > 0) == (row != 4));
        CHECK_EQUAL(find(one.directory, "-type f").count, 1);
    }
}

/* The ends that do not, and leave nothing of an earlier recording either. A child of the
   program does not write the file in its place. */
TEST(the_file_stays_empty) {
    static const char *const ends[] = {"_exit", "fork-_exit", "spawn-_exit",
                                       "abort"};
    for (int row = 0; row < 4; row++) {
        struct run one = {.directory = tree_create()};
        char *path = make_content(one.directory, "out.jsonl", "{\"t\":0}\n", 8);
        check_row("%s", ends[row]);
        run(&one, ends[row], "out.jsonl");
        CHECK(row == 3 ? WIFSIGNALED(one.end.status) &&
                             WTERMSIG(one.end.status) == SIGABRT
                       : exits(&one, 4, ""));
        CHECK_TEXT(one.end.errors, "");
        CHECK_EQUAL(status_of(path).st_size, 0);
    }
}

TEST(any_other_name_gets_trace_events) {
    struct run one = {0};
    run(&one, "return", "out");
    CHECK(exits(&one, 5, ""));
    struct recording events = recording_read(
        open(join(one.directory, "out"), O_RDONLY), WEIR_TRACE_EVENT_JSON);
    CHECK(recording_count(events, "name", "acquired g") > 0);
    CHECK(recording_count(events, "name", "last") > 0);
}

TEST(the_process_is_put_into_the_name) {
    struct run one = {0};
    int process, size = 0;
    run(&one, "return", "100%%-%p.%x");
    struct paths files = find(one.directory, "-type f");
    REQUIRE(exits(&one, 5, "") && files.count == 1);
    const char *name = strrchr(files.paths[0], '/') + 1;
    CHECK(sscanf(name, "100%%-%d.%%x%n", &process, &size) == 1 && size > 0 &&
              name[size] == 0,
          "%s", name);
}

/* A child of a fork never writes, also if it ends by exit. A program that a recorded one
   starts leaves its file alone, or has its own. */
TEST(children_do_not_write_the_file) {
    for (int row = 0; row < 4; row++) {
        struct run one = {0};
        bool forks = row < 2;
        size_t parents = 0;
        check_row("row %d", row);
        run(&one, forks ? "fork" : "spawn",
            row % 2 == 0 ? "out.jsonl" : "out-%p.jsonl");
        struct paths files = find(one.directory, "-type f");
        CHECK(exits(&one, 5, "") && files.count == (row == 3 ? 2 : 1));
        for (size_t file = 0; file < files.count; file++) {
            struct recording lines = lines_in(files.paths[file]);
            REQUIRE(lines.count > 0);
            CHECK(json_is(lines.lines[lines.count - 1], "q", "last"));
            CHECK(recording_count(lines, "q", "g") > 0);
            CHECK_EQUAL(recording_count(lines, "q", "child"), 0);
            parents += recording_count(lines, "q", "parent") > 0;
        }
        CHECK_EQUAL(parents, 1);
    }
}

TEST(a_file_that_cannot_be_written_is_reported) {
    static const char *const rows[][2] = {
        {"none/out", "No such file or directory"},
        {".", "Is a directory"},
        {"/dev/full", "No space left on device"},
        {"fifo", "No such device or address"},
        {"mine", "is no trace and is left unchanged"}};
    struct run one = {.directory = tree_create()};
    size_t size;
    make_fifo(one.directory, "fifo");
    char *mine = make_content(one.directory, "mine", "{mine}", 6);
    for (int row = 0; row < 5; row++) {
        run(&one, "return", rows[row][0]);
        CHECK(
            exits(&one, 5, text("weir: %s: %s\n", rows[row][0], rows[row][1])));
    }
    char *content = contents(mine, &size);
    CHECK_BYTES(content, size, "{mine}", 6);
    free(content);
}

TEST(a_recorder_of_the_program_works_beside_it) {
    struct run one = {.output = join(tree_create(), "output")};
    run(&one, "own", "out.jsonl");
    CHECK(exits(&one, 5, ""));
    struct recording own = lines_in(one.output);
    struct recording all = lines_in(join(one.directory, "out.jsonl"));
    CHECK(own.count == 3 && all.count == 7);
}

TEST(the_number_of_events_is_kept) {
    static const char error[] = "weir: WEIR_TRACE_EVENTS is not a number above "
                                "0; the default is used\n";
    for (int row = 0; row < 2; row++) {
        struct run one = {.events = row == 0 ? "7" : "7x"};
        run(&one, row == 0 ? "many" : "return", "out.jsonl");
        CHECK(exits(&one, 5, row == 0 ? "" : error));
        struct recording lines = lines_in(join(one.directory, "out.jsonl"));
        CHECK_EQUAL(lines.count, row == 0 ? 7 : 4);
    }
}
