/* check.c: runs the tests of a program, one process after the other. */
#include "threads.h"
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct check_test *first, **last = &first;
static const char *program = "", *test_name = "";
static _Atomic int failures;
static _Thread_local char row[512];

enum { STATUS_FAILED = 1, STATUS_SKIPPED = 77, PRINTED_FAILURES = 10 };

void check_add(struct check_test *test) {
    *last = test;
    last = &test->next;
}

void check_row(const char *format, ...) {
    row[0] = 0;
    if (format != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(row, sizeof row, format, arguments);
        va_end(arguments);
    }
}

bool check_failed(const char *file, int line, const char *condition,
                  const char *format, ...) {
    int count = atomic_fetch_add(&failures, 1);
    if (count < PRINTED_FAILURES) {
        char text[2048];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        fprintf(stderr, "%s:%d: %s: not so: %s%s%s%s%s\n", file, line,
                test_name, condition, row[0] != 0 ? "; in " : "", row,
                text[0] != 0 ? "; " : "", text);
    }
    return false;
}

bool check_equal(const char *file, int line, const char *what, intmax_t left,
                 intmax_t right) {
    return left == right ||
           check_failed(file, line, what, "%jd and %jd", left, right);
}

bool check_text(const char *file, int line, const char *what, const char *left,
                const char *right) {
    return strcmp(left, right) == 0 ||
           check_failed(file, line, what, "\"%s\" and \"%s\"", left, right);
}

bool check_bytes(const char *file, int line, const char *what, const void *left,
                 size_t left_size, const void *right, size_t right_size) {
    size_t same = 0, size = left_size < right_size ? left_size : right_size;
    while (same < size &&
           ((const char *)left)[same] == ((const char *)right)[same]) {
        same++;
    }
    if (same == left_size && same == right_size) {
        return true;
    }
    size_t from = same < 40 ? 0 : same - 40;
    return check_failed(file, line, what,
                        "they differ at byte %zu of %zu and %zu: "
                        "\"%.*s\" and \"%.*s\"",
                        same, left_size, right_size,
                        (int)(left_size - from < 80 ? left_size - from : 80),
                        (const char *)left + from,
                        (int)(right_size - from < 80 ? right_size - from : 80),
                        (const char *)right + from);
}

void check_end(void) {
    fflush(NULL);
    _exit(failures == 0 ? 0 : STATUS_FAILED);
}

void check_skip(const char *reason) {
    fprintf(stderr, "%s: skipped: %s\n", test_name, reason);
    fflush(NULL);
    _exit(failures == 0 ? STATUS_SKIPPED : STATUS_FAILED);
}

long check_setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

struct check_random check_random(const char *purpose) {
    uint64_t state = (uint64_t)check_setting("WEIR_TEST_SEED", 1);
    for (; *purpose != 0; purpose++) {
        state = (state ^ (unsigned char)*purpose) * 0x100000001B3;
    }
    return (struct check_random){state};
}

uint64_t check_next(struct check_random *random) {
    uint64_t mixed = random->state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

size_t check_below(struct check_random *random, size_t limit) {
    return check_next(random) % limit;
}

/* Waits for the end of a process; kills it and its children at its limit. */
static int reap(pid_t process, int ended, double limit, bool *late) {
    struct pollfd end = {ended, POLLIN, 0};
    int status = 0;
    *late = poll(&end, 1, (int)(limit * 1000)) == 0;
    /* The end of the pipe may be due to the process itself closing it. */
    if (*late) {
        kill(-process, SIGKILL);
    }
    waitpid(process, &status, 0);
    kill(-process, SIGKILL);
    return status;
}

/* libdispatch noted the number of the main thread before the fork, and traps if that
   thread waits for one of its locks in the child. */
static void *run_body(void *block) {
    void (^body)(void) = (void (^)(void))block;
    body();
    return NULL;
}

struct check_process check_process(void (^body)(void)) {
    struct check_process end = {-1, ""};
    int pipes[2];
    fflush(NULL);
    REQUIRE(pipe(pipes) == 0);
    pid_t process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        failures = 0;
        alarm((unsigned)(20 * check_setting("WEIR_TEST_SLOWNESS", 1)));
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, run_body, (void *)body) == 0);
        pthread_join(thread, NULL);
        check_end();
    }
    close(pipes[1]);
    FILE *errors = fdopen(pipes[0], "r");
    end.errors[fread(end.errors, 1, sizeof end.errors - 1, errors)] = 0;
    while (fgetc(errors) != EOF) {
    }
    fclose(errors);
    while (waitpid(process, &end.status, 0) < 0 && errno == EINTR) {
    }
    return end;
}

bool check_trapped(struct check_process end) {
    return CHECK(WIFSIGNALED(end.status) && (WTERMSIG(end.status) == SIGILL ||
                                             WTERMSIG(end.status) == SIGTRAP),
                 "status %#x: %s", (unsigned)end.status, end.errors);
}

bool check_misuse(void (^body)(void), const char *word, ...) {
    static const char start[] = "weir: misuse: ";
    struct check_process end = check_process(body);
    const char *line = strstr(end.errors, start);
    bool right = CHECK(line != NULL && strstr(line + 1, start) == NULL,
                       "one sentence expected: %s", end.errors);
    if (right) {
        end.errors[line - end.errors + strcspn(line, "\n")] = 0;
        right = CHECK(strstr(line, "weir_") == NULL,
                      "users of other languages read it, too: %s", line);
    }
    va_list words;
    va_start(words, word);
    for (; right && word != NULL; word = va_arg(words, const char *)) {
        right = CHECK(strstr(line, word) != NULL, "\"%s\" is not in: %s", word,
                      line);
    }
    va_end(words);
    return check_trapped(end) && right;
}

static bool chosen(const struct check_test *test, char *const parts[]) {
    bool is_chosen = parts[0] == NULL;
    for (; *parts != NULL; parts++) {
        is_chosen = is_chosen || strstr(test->name, *parts) != NULL;
    }
    return is_chosen;
}

_Noreturn static void run_here(const struct check_test *test) {
    test_name = test->name;
    test->run();
    fflush(NULL);
    /* Destructors and the search for leaks run. */
    exit(failures == 0 ? 0 : STATUS_FAILED);
}

/* Returns the status of the test as one of a process, which runs this program anew:
   libdispatch does not survive a fork. */
static int run(const struct check_test *test, bool *late) {
    int ended[2];
    fflush(NULL);
    REQUIRE(pipe(ended) == 0);
    pid_t process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        setpgid(0, 0);
#ifdef __linux__
        /* Nobody else ends a test whose program is killed. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        /* Closed by the end of the process alone. */
        close(ended[0]);
        execl("/proc/self/exe", program, "--run", test->name, (char *)NULL);
        _exit(STATUS_FAILED);
    }
    close(ended[1]);
    double limit =
        test->seconds * (double)check_setting("WEIR_TEST_SLOWNESS", 1);
    int status = reap(process, ended[0], limit, late);
    close(ended[0]);
    return status;
}

static void describe(const struct check_test *test, int status, bool late) {
    if (late) {
        fprintf(stderr, "%s: ended at its limit of %d s\n", test->name,
                test->seconds);
    } else if (WIFSIGNALED(status)) {
        fprintf(stderr, "%s: ended by signal %d\n", test->name,
                WTERMSIG(status));
    } else {
        fprintf(stderr, "%s: FAILED\n", test->name);
    }
}

int main(int count, char *arguments[]) {
    bool verbose = count > 1 && strcmp(arguments[1], "-v") == 0;
    char *const *parts = arguments + 1 + (verbose ? 1 : 0);
    const char *slash = strrchr(arguments[0], '/');
    program = slash == NULL ? arguments[0] : slash + 1;
    bool one = count == 3 && strcmp(arguments[1], "--run") == 0;
    for (struct check_test *test = first; one && test != NULL;
         test = test->next) {
        if (strcmp(test->name, arguments[2]) == 0) {
            run_here(test);
        }
    }
    int passed = 0, skipped = 0, failed = 0;
    double begin = seconds();
    for (struct check_test *test = first; test != NULL; test = test->next) {
        if (!chosen(test, parts)) {
            continue;
        }
        bool late = false;
        double start = seconds();
        int status = run(test, &late);
        bool skip = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_SKIPPED;
        if (verbose) {
            printf("%8.3f %s/%s\n", seconds() - start, program, test->name);
        }
        if (skip) {
            skipped++;
        } else if (status == 0 && !late) {
            passed++;
        } else {
            failed++;
            describe(test, status, late);
        }
    }
    printf("%s: %d passed, %d failed, %d skipped, %.1f s\n", program, passed,
           failed, skipped, seconds() - begin);
    if (failed > 0) {
        printf("random inputs: WEIR_TEST_SEED=%ld\n",
               check_setting("WEIR_TEST_SEED", 1));
    }
    return failed > 0 || passed + skipped == 0;
}
