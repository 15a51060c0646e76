/*
 * main.c: runs the scenarios, and prints a table of what was explored.
 *
 * Each scenario is searched with at most 0, 1, 2 ... preemptions, as far as its
 * part of the time goes, then run at random. A failure is reduced to few
 * decisions, printed with the words that repeat it, and ends the program.
 */
#include "shared.h"
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
    double seconds; /* of a search */
    unsigned bound_most;
    uint64_t schedules; /* at random */
    uint64_t seed;
} options = {.seconds = 2, .bound_most = 99, .schedules = 2000, .seed = 1};

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

/* Leaves out decisions as long as the schedule still fails. */
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

static void report_failure(const char *found_by) {
    STATE->may_skip = false;
    reduce();
    printf("%s: FAILED %s: %s\n  promise: %s\n  repeat: --scenario %s "
           "--replay '",
           STATE->scenario->name, found_by, STATE->failure,
           STATE->scenario->promise, STATE->scenario->name);
    strategy_print();
    printf("'\n  threads at the end:\n");
    schedule_print_fibers();
    exit(1);
}

/* ---- one scenario ------------------------------------------------------- */

struct explored {
    uint64_t searched;
    int bound; /* the highest that was completed; -1: none */
    bool is_complete;
    size_t depth;
    uint64_t random;
    double seconds;
};

static void note_depth(struct explored *explored) {
    if (strategy_depth() > explored->depth) {
        explored->depth = strategy_depth();
    }
}

static void run_random(struct explored *explored, uint64_t count) {
    STATE->may_skip = false;
    for (uint64_t i = 0; i < count; i++) {
        strategy_random(options.seed, i);
        if (!schedule_run()) {
            char found[100];
            snprintf(
                found, sizeof found, "at random schedule %llu of seed %llu",
                (unsigned long long)i + 1, (unsigned long long)options.seed);
            report_failure(found);
        }
        note_depth(explored);
    }
    explored->random += count;
}

/* Searches once within a bound. Returns false if the time is up. */
static bool search(struct explored *explored, unsigned bound, double until) {
    strategy_search(bound);
    STATE->may_skip = true;
    explored->searched = 0;
    do {
        if (!schedule_run()) {
            char found[100];
            snprintf(found, sizeof found,
                     "at schedule %llu with up to %u preemptions",
                     (unsigned long long)explored->searched + 1, bound);
            report_failure(found);
        }
        explored->searched++;
        note_depth(explored);
        if (explored->searched % 64 == 0 && now() > until) {
            return false;
        }
        if (shared_has_grown()) {
            strategy_search(bound);
            STATE->steps = 0;
            explored->searched = 0;
        }
    } while (explored->searched == 0 || strategy_next());
    return true;
}

static void explore(struct explored *explored) {
    double begun = now();
    explored->bound = -1;
    uint64_t before = options.schedules < 200 ? options.schedules : 200;
    run_random(explored, before);
    shared_has_grown();
    uint64_t completed = 0;
    for (unsigned bound = 0;
         !STATE->scenario->is_large && bound <= options.bound_most; bound++) {
        if (!search(explored, bound, begun + options.seconds)) {
            break;
        }
        completed = explored->searched;
        explored->bound = (int)bound;
        if (!strategy_was_bounded()) {
            explored->is_complete = true;
            break;
        }
    }
    if (!explored->is_complete && completed > explored->searched) {
        explored->searched = completed;
    }
    run_random(explored, options.schedules);
    explored->seconds = now() - begun;
}

static void run_scenario(const struct scenario *scenario) {
    struct explored explored = {0};
    STATE->scenario = scenario;
    STATE->steps_most = 0;
    STATE->fibers_most = 0;
    STATE->outcomes = 0;
    shared_forget();
    explore(&explored);
    if (STATE->orders > 1 && scenario->outcomes != STATE->outcomes) {
        printf("%s: FAILED: outcomes %#x\n", scenario->name, STATE->outcomes);
        exit(1);
    }
    char bound[24] = "-";
    if (explored.is_complete) {
        snprintf(bound, sizeof bound, "all");
    } else if (explored.bound >= 0) {
        snprintf(bound, sizeof bound, "%d", explored.bound);
    }
    printf("%-26s %10llu %6s %9llu %6zu %7llu %3u %6.1f\n", scenario->name,
           (unsigned long long)explored.searched, bound,
           (unsigned long long)explored.random, explored.depth,
           (unsigned long long)STATE->steps_most, STATE->fibers_most,
           explored.seconds);
    fflush(stdout);
}

/* Repeats one schedule and prints each step. */
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
        {"seconds", required_argument, NULL, 't'},
        {"bound", required_argument, NULL, 'b'},
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
        case 't':
            options.seconds = atof(optarg);
            break;
        case 'b':
            options.bound_most = (unsigned)atoi(optarg);
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
    printf("%-26s %10s %6s %9s %6s %7s %3s %6s\n", "scenario", "searched",
           "bound", "random", "depth", "steps", "thr", "s");
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
