/* spawn_tests.c: children, and failures that leave none. */
#include "descriptors.h"
#include "tree.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir.h>

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})
#define SCRIPT(script) WORDS("sh", "-c", script)

struct child {
    int error, status;
    char output[4096];
};

/* The output goes to a file: it is descriptor 1, or 9 if descriptors are given. */
static struct child run(char *const words[], weir_spawn_options_t options) {
    struct child child = {.status = -1};
    FILE *output = tmpfile();
    const int standard[] = {-1, fileno(output), 2};
    pid_t pid = -1, ended;
    if (options.descriptors == NULL) {
        options.descriptors = standard;
    } else {
        dup2(fileno(output), 9);
    }
    child.error = weir_spawn(&pid, words[0], words, &options);
    if (child.error == 0) {
        do {
            ended = waitpid(pid, &child.status, 0);
        } while (ended < 0 && errno == EINTR);
        CHECK_EQUAL(ended, pid);
        rewind(output);
        size_t size = fread(child.output, 1, sizeof child.output - 1, output);
        child.output[size] = 0;
    }
    fclose(output);
    return child;
}

static bool check_output(char *const words[], weir_spawn_options_t options,
                         const char *output) {
    struct child child = run(words, options);
    return CHECK(child.error == 0 && child.status == 0, "%s: error %d, %#x",
                 words[0], child.error, (unsigned)child.status) &&
           CHECK_TEXT(child.output, output);
}

static const weir_spawn_options_t defaults;

TEST(failures_are_reported_and_leave_no_child) {
    const char *root = tree_create();
    char *plain = make_content(root, "plain", "\1\2\3", 3);
    char *script = make_text(root, "script", "exit 3\n");
    chmod(script, 0755);
    const struct {
        char *const *words;
        weir_spawn_options_t options;
        int error;
    } rows[] = {{WORDS("weir-no-such-program"), {0}, ENOENT},
                {WORDS(""), {0}, ENOENT},
                {WORDS("/weir/no/such"), {0}, ENOENT},
                {WORDS(plain), {0}, EACCES},
                {WORDS(script), {0}, ENOEXEC},
                {WORDS("true"), {.directory = "/weir/no"}, ENOENT},
                {WORDS("true"), {.directory = plain}, ENOTDIR},
                {WORDS("true"), {.descriptors = (int[]){9999, 1, 2}}, EBADF},
                {WORDS("true", text("%*d", 3 << 20, 0)), {0}, E2BIG}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_row("row %zu", row);
        CHECK_EQUAL(run(rows[row].words, rows[row].options).error,
                    rows[row].error);
    }
    CHECK(waitpid(-1, NULL, WNOHANG) <= 0);
}

/* A pipe made while a standard descriptor is closed would take its number. */
TEST(no_child_inherits_a_pipe) {
    for (int standard = 0; standard < 2; standard++) {
        int ends[2];
        close(standard);
        REQUIRE(weir_spawn_pipe(ends) == 0);
        for (int end = 0; end < 2; end++) {
            CHECK(ends[end] > STDERR_FILENO, "%d", ends[end]);
            CHECK((fcntl(ends[end], F_GETFD) & FD_CLOEXEC) != 0);
        }
    }
}

static void handle(int number) { (void)number; }

TEST(signals_are_the_defaults) {
#ifdef WEIR_POSIX
    check_skip("the C library lets nobody reset the signals it uses itself");
#endif
    sigset_t all, now;
    struct sigaction action;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGUSR1, handle);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    check_output(SCRIPT("cat /proc/self/status | "
                        "grep -cE 'Sig(Blk|Ign|Cgt|Pnd):\t0{16}$'"),
                 defaults, "4\n");
    /* The parent keeps its own. */
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    CHECK(sigismember(&now, SIGTERM) == 1);
    sigaction(SIGPIPE, NULL, &action);
    CHECK(action.sa_handler == SIG_IGN);
}

static void reap_any(int number) {
    if (waitpid(-1, NULL, WNOHANG) > 0) {
        _exit(9);
    }
}

TEST(a_failure_leaves_no_child_for_a_handler) {
#ifdef WEIR_POSIX
    check_skip("a fork that cannot run its program sends SIGCHLD");
#endif
    signal(SIGCHLD, reap_any);
    for (int turn = 0; turn < 50; turn++) {
        CHECK_EQUAL(run(WORDS("/weir/no/such"), defaults).error, ENOENT);
    }
}

/* A signal to the process group ends children before they run the program: that is
   an error, and leaves no child to wait for. Any other child can be waited for.
   PATH has so many directories that the signals arrive during the search. */
TEST(a_child_killed_before_it_runs_is_reported) {
#ifdef WEIR_POSIX
    check_skip("a fork that a signal ends looks like its program");
#endif
    enum { DIRECTORIES = 40000 };
    static char path[DIRECTORIES + 20];
    static _Atomic bool over;
    const weir_spawn_options_t bare = {.environment = WORDS(NULL)};
    signal(SIGUSR1, handle);
    memset(path, ':', DIRECTORIES);
    strcpy(path + DIRECTORIES, "/bin:/usr/bin");
    setenv("PATH", path, 1);
    pthread_t killer = thread_start(^{
      while (!over) {
          kill(0, SIGUSR1);
      }
    });
    int killed = 0;
    double deadline = seconds() + patience();
    for (int turn = 0; turn < 10 || (killed == 0 && seconds() < deadline);
         turn++) {
        struct child child = run(WORDS("true"), bare);
        CHECK(child.error == EINTR || child.status == 0 ||
                  child.status == SIGUSR1,
              "error %d, status %#x", child.error, (unsigned)child.status);
        killed += child.error == EINTR;
    }
    over = true;
    thread_join(killer);
    CHECK(killed > 0 && waitpid(-1, NULL, WNOHANG) < 0);
    CHECK(waitpid(-1, NULL, WNOHANG | (int)__WCLONE) < 0);
    check_output(WORDS("true"), bare, "");
}

/* The descriptors 0, 1 and 2 of this process are files of these names. */
TEST(descriptors_change_places) {
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0},
                                    {2, 0, 1}, {2, 1, 0}, {1, 1, 1}};
    enum { ORDERS = sizeof orders / sizeof *orders };
    static struct child children[ORDERS];
    int errors = fcntl(2, F_DUPFD_CLOEXEC, 10);
    const char *root = tree_create();
    for (int number = 0; number < 3; number++) {
        int file = open(make_text(root, text("%d", number), ""), O_RDWR);
        dup2(file, number);
        close(file);
    }
    for (int row = 0; row < ORDERS; row++) {
        children[row] =
            run(SCRIPT("for i in 0 1 2; do "
                       "l=$l$(basename $(readlink /proc/$$/fd/$i)); done; "
                       "echo $l >&9"),
                (weir_spawn_options_t){.descriptors = orders[row]});
    }
    dup2(errors, 2);
    for (int row = 0; row < ORDERS; row++) {
        CHECK(children[row].error == 0 && children[row].status == 0);
        CHECK_TEXT(children[row].output, text("%d%d%d\n", orders[row][0],
                                              orders[row][1], orders[row][2]));
    }
}

/* Prints the terminal of a child that leads a group, or a session and a group. */
#define LEADS(leader)                                                          \
    SCRIPT("read pid name state parent group session terminal rest "           \
           "< /proc/$$/stat; [ $" leader " = $$ ] && [ $group = $$ ] && "      \
           "echo $terminal; (: < /dev/tty) 2> /dev/null || echo none")

TEST(arguments_directory_environment_and_group_are_those_given) {
    const struct {
        char *const *words;
        weir_spawn_options_t options;
        const char *output;
    } rows[] = {
        {WORDS("/bin/echo", "x"), {0}, "x\n"},
        {WORDS("sh", "-c", "printf '%s|' \"$@\"", "zero", "one", "", "a b\n"),
         {0},
         "one||a b\n|"},
        {WORDS("pwd"), {.directory = "/"}, "/\n"},
        {SCRIPT("pwd"), {.directory = "/usr"}, "/usr\n"},
        {WORDS("env"), {.environment = WORDS("A=1", "B=x y")}, "A=1\nB=x y\n"},
        {WORDS("env"), {.environment = WORDS(NULL)}, ""},
        /* A session has no terminal that could stop the child. */
        {LEADS("session"), {.flags = WEIR_SPAWN_OWN_SESSION}, "0\nnone\n"},
        {LEADS("session"), {.flags = 3}, "0\nnone\n"}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_output(rows[row].words, rows[row].options, rows[row].output);
    }
    CHECK_EQUAL(WEXITSTATUS(run(SCRIPT("exit 7"), defaults).status), 7);
    struct child leader = run(
        LEADS("group"), (weir_spawn_options_t){.flags = WEIR_SPAWN_OWN_GROUP});
    CHECK(leader.error == 0 && leader.output[0] != 'n', "%s", leader.output);
}

/* The soft limit is raised in this process; a child gets the old one. */
TEST(children_have_the_old_limit) {
    struct rlimit limits;
    getrlimit(RLIMIT_NOFILE, &limits);
    limit_descriptors(100);
    size_t budget = weir_descriptor_budget();
    check_output(SCRIPT("ulimit -n"), defaults, "100\n");
    CHECK_EQUAL(weir_descriptor_raise_limit(), 0);
    size_t raised = weir_descriptor_limit();
    CHECK_EQUAL(raised, limits.rlim_max < 2101248 ? limits.rlim_max : 2101248);
    CHECK(weir_descriptor_budget() > budget || raised == 100);
    CHECK_EQUAL(weir_descriptor_raise_limit(), 0);
    CHECK_EQUAL(weir_descriptor_limit(), raised);
    check_output(SCRIPT("ulimit -n; ulimit -Hn"), defaults,
                 limits.rlim_max == RLIM_INFINITY
                     ? "100\nunlimited\n"
                     : text("100\n%ju\n", (uintmax_t)limits.rlim_max));
}

TEST(many_threads_start_children_at_once) {
    threads_run(8, ^(long number) {
      for (int turn = 0; turn < 20; turn++) {
          /* Memory is in use meanwhile. */
          char *word = text("%ld %0*d", number, turn * 100, turn);
          check_output(WORDS("echo", word), defaults, text("%s\n", word));
      }
    });
}
