/*
 * main.c: runs the scenarios at random. A failure is reduced to few decisions, printed with the
 * words that repeat it, and ends the program.
 */
#include "strategy.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../StandIns/system.h"

static struct {
    const char *only; /* a part of the name of the scenarios to run */
    const char *replay;
    uint64_t schedules; /* of each scenario */
    uint64_t seed;
} options = {.schedules = 2000, .seed = 1};

static double now(void) {
    extern int __real_clock_gettime(clockid_t, struct timespec *);
    struct timespec time;
    __real_clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- failures ----------------------------------------------------------- */

/* The failure without its numbers and addresses. */
static void kind_of_failure(char *kind, size_t size) {
    size_t used = 0;
    for (const char *at = STATE->failure; *at && used + 1 < size; at++) {
        if (!strchr("0123456789abcdefx", *at)) {
            kind[used++] = *at;
        }
    }
    kind[used] = '\0';
}

static void reduce(void) {
    char wanted[64], kind[64];
    kind_of_failure(wanted, sizeof wanted);
    size_t count = strategy_keep();
    unsigned runs = 0;
    for (size_t part = count / 2 + 1; part > 0; part /= 2) {
        for (size_t begin = 0; begin < count && runs < 5000;) {
            strategy_leave_out(begin, part);
            bool failed = !schedule_run();
            runs++;
            kind_of_failure(kind, sizeof kind);
            if (failed && strcmp(kind, wanted) == 0) {
                count = strategy_keep();
            } else {
                strategy_put_back();
                begin += part;
            }
        }
    }
    schedule_run();
}

static void report_failure(uint64_t number) {
    reduce();
    printf("%s: FAILED at schedule %llu of seed %llu: %s\n  promise: %s\n"
           "  repeat: --scenario %s --replay '",
           STATE->scenario->name, (unsigned long long)number,
           (unsigned long long)options.seed, STATE->failure,
           STATE->scenario->promise, STATE->scenario->name);
    strategy_print();
    printf("'\n  threads at the end:\n");
    schedule_print_fibers();
    exit(1);
}

/* ---- one scenario ------------------------------------------------------- */

static void run_scenario(const struct scenario *scenario) {
    double begun = now();
    STATE->scenario = scenario;
    STATE->steps_most = 0;
    STATE->fibers_most = 0;
    STATE->outcomes = 0;
    for (uint64_t i = 0; i < options.schedules; i++) {
        strategy_random(options.seed, i);
        if (!schedule_run()) {
            report_failure(i + 1);
        }
    }
    if (STATE->orders > 1 && scenario->outcomes != STATE->outcomes) {
        printf("%s: FAILED: outcomes %#x\n", scenario->name, STATE->outcomes);
        exit(1);
    }
    printf("%-26s %9llu %7llu %3u %6.1f\n", scenario->name,
           (unsigned long long)options.schedules,
           (unsigned long long)STATE->steps_most, STATE->fibers_most,
           now() - begun);
    fflush(stdout);
}

static void replay(const struct scenario *scenario) {
    STATE->scenario = scenario;
    if (!strategy_replay(options.replay)) {
        fprintf(stderr, "schedules: no schedule: %s\n", options.replay);
        exit(2);
    }
    STATE->is_verbose = true;
    bool succeeded = schedule_run();
    printf("%s\n", succeeded ? "succeeded" : STATE->failure);
    if (!succeeded) {
        schedule_print_fibers();
        memory_print_blocks();
    }
    exit(!succeeded);
}

/* ---- the program -------------------------------------------------------- */

static void take_signal(int number) {
    if (STATE->is_running) {
        schedule_fail("signal %d (%s)", number, strsignal(number));
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void set_signals(void) {
    const size_t size = (size_t)64 << 10;
    const stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = take_signal,
                               .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int numbers[] = {SIGSEGV, SIGBUS,  SIGILL,
                                  SIGFPE,  SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

static void read_options(int count, char **arguments) {
    static const struct option known[] = {
        {"scenario", required_argument, NULL, 's'},
        {"replay", required_argument, NULL, 'r'},
        {"schedules", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 'i'},
        {0}};
    int option;
    while ((option = getopt_long(count, arguments, "", known, NULL)) != -1) {
        switch (option) {
        case 's':
            options.only = optarg;
            break;
        case 'r':
            options.replay = optarg;
            break;
        case 'n':
            options.schedules = strtoull(optarg, NULL, 10);
            break;
        case 'i':
            options.seed = strtoull(optarg, NULL, 10);
            break;
        default:
            exit(2);
        }
    }
}

int main(int count, char **arguments) {
    static struct schedule_state *state;
    state = memory_map(NULL, sizeof *STATE);
    schedule_state_place = (struct schedule_state *const *)&state;
    state->most_steps = 100000;
    state->orders = getenv("ORDERS") ? atoi(getenv("ORDERS")) : 2;
    read_options(count, arguments);
    set_signals();
    schedule_setup();
    strategy_setup();
    system_setup();
    scenarios_setup();
    memory_setup();
    printf("%-26s %9s %7s %3s %6s\n", "scenario", "schedules", "steps", "thr",
           "s");
    size_t found = 0;
    for (size_t i = 0; scenario_lists[i]; i++) {
        const struct scenario *scenario = scenario_lists[i];
        for (; scenario->name; scenario++) {
            if (!options.only || strstr(scenario->name, options.only)) {
                found++;
                if (options.replay) {
                    replay(scenario);
                }
                run_scenario(scenario);
            }
        }
    }
    if (found == 0) {
        fprintf(stderr, "schedules: no scenario has this name\n");
        return 2;
    }
    return 0;
}
