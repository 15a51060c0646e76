/*
 * loops: asks several programs in turn how long a loop takes them.
 *
 *     loops ROUNDS BODY...
 *
 * Standard input has a program a line: a name, a tab, what /bin/sh is to run.
 * Each is started once and asked, by the name of a body on its standard input,
 * for the time of a loop in nanoseconds and a sum; see loops.h. The first line
 * is the one that the others are compared with.
 *
 * DESIGN. A loop of a third of a millisecond cannot be measured around a
 * process, so the processes stay, each with a runtime of its own, and a round
 * asks all of them for a body, every second round backwards. After each answer
 * there is a pause: some runtimes let their threads spin for a while after a
 * loop, which would be the next one's loss. As in compare.c what is compared
 * are the answers of one round; the result is the median of these ratios.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNTIMES_MAX = 16, ROUNDS_MAX = 1000, PAUSE_NANOSECONDS = 15000000 };

struct runtime {
    char *name;
    FILE *to;
    FILE *from;
    double times[ROUNDS_MAX]; /* of the present body, in milliseconds */
};

static struct runtime runtimes[RUNTIMES_MAX];
static size_t runtime_count, rounds;

static void fail(const char *what) {
    fprintf(stderr, "loops: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- the programs ------------------------------------------------------ */

static void start(struct runtime *runtime, const char *command) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        fail("pipe");
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    runtime->to = fdopen(to[1], "w");
    runtime->from = fdopen(from[0], "r");
    if (runtime->to == NULL || runtime->from == NULL)
        fail("pipe");
}

static void start_all(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin) && runtime_count < RUNTIMES_MAX) {
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        struct runtime *runtime = &runtimes[runtime_count++];
        *tab = '\0';
        runtime->name = strdup(line);
        start(runtime, tab + 1);
    }
}

static double ask(struct runtime *runtime, const char *body,
                  unsigned long long *sum) {
    unsigned long long nanoseconds;
    fprintf(runtime->to, "%s\n", body);
    fflush(runtime->to);
    if (fscanf(runtime->from, "%llu %llu", &nanoseconds, sum) != 2) {
        fprintf(stderr, "loops: %s gave no answer to %s\n", runtime->name,
                body);
        exit(1);
    }
    const struct timespec pause = {0, PAUSE_NANOSECONDS};
    nanosleep(&pause, NULL);
    return (double)nanoseconds * 1e-6;
}

/* All have to come to the same sum. */
static void measure(const char *body) {
    unsigned long long sum, first = 0;
    for (size_t turn = 0; turn < runtime_count; turn++) {
        ask(&runtimes[turn], body, &sum);
        first = turn == 0 ? sum : first;
        if (sum != first) {
            fprintf(stderr, "loops: %s computed something else of %s than %s\n",
                    runtimes[turn].name, body, runtimes[0].name);
            exit(1);
        }
    }
    for (size_t round = 0; round < rounds; round++)
        for (size_t turn = 0; turn < runtime_count; turn++) {
            size_t index = round % 2 == 0 ? turn : runtime_count - 1 - turn;
            runtimes[index].times[round] = ask(&runtimes[index], body, &sum);
        }
}

/* ---- statistics -------------------------------------------------------- */

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(const double *values) {
    double sorted[ROUNDS_MAX];
    memcpy(sorted, values, rounds * sizeof *values);
    qsort(sorted, rounds, sizeof *sorted, ascending);
    return (sorted[rounds / 2] + sorted[(rounds - 1) / 2]) / 2;
}

/* The median of the first program's time over this one's, by rounds. */
static double paired(const struct runtime *runtime) {
    double ratios[ROUNDS_MAX];
    for (size_t round = 0; round < rounds; round++)
        ratios[round] = runtimes[0].times[round] / runtime->times[round];
    return median(ratios);
}

static const struct runtime *best_of_others(void) {
    const struct runtime *best = &runtimes[1];
    for (size_t i = 2; i < runtime_count; i++)
        if (paired(&runtimes[i]) > paired(best))
            best = &runtimes[i];
    return best;
}

static void print_head(void) {
    printf("%-17s", "loops");
    for (size_t i = 0; i < runtime_count; i++)
        printf(" %9s", runtimes[i].name);
    printf("  of the best\n");
}

static void print_body(const char *body) {
    printf("%-10s ms    ", body);
    for (size_t i = 0; i < runtime_count; i++)
        printf(" %9.3f", median(runtimes[i].times));
    printf("\n%-10s paired", "");
    for (size_t i = 0; i < runtime_count; i++)
        printf(" %9.3f", paired(&runtimes[i]));
    if (runtime_count > 1)
        printf("  %.3f %s", paired(best_of_others()), best_of_others()->name);
    printf("\n");
    fflush(stdout);
}

int main(int count, char **arguments) {
    long given = count > 1 ? atol(arguments[1]) : 0;
    if (given < 1 || given > ROUNDS_MAX || count < 3) {
        fputs("usage: loops ROUNDS BODY... < PROGRAMS\n", stderr);
        return 2;
    }
    rounds = (size_t)given;
    start_all();
    print_head();
    for (int body = 2; body < count; body++) {
        measure(arguments[body]);
        print_body(arguments[body]);
    }
    printf("%zu rounds\n", rounds);
    return 0;
}
