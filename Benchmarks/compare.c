/*
 * compare: runs commands in turn, many times over, and compares them.
 *
 *     compare [--title TEXT] [--floor NAME] [--prepare TEXT] ROUNDS WARM-UPS
 *
 * Standard input has a command a line: a name, a tab, what /bin/sh is to run.
 * The first line is what the others are compared with. NAME is the line that
 * is the physical floor. /bin/sh runs the text of --prepare before each run,
 * outside of its time: to drop the caches, for example.
 *
 * DESIGN. On a shared machine the load of the minute moves every number, so
 * the commands are interleaved: a round runs each of them once (every second
 * round backwards, so that none always follows the same neighbour), and what
 * is compared is the runs of one round with each other. The median of these
 * paired ratios holds still when medians do not.
 *
 * The line below the table says how much of the processors others used.
 *
 * Wall time is CLOCK_MONOTONIC around spawn and wait; user and system time and
 * the resident set are the kernel's (wait4): times are sums over all processes
 * of the command, the resident set is that of its largest one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 64, ROUNDS_MAX = 1000 };

enum measure { WALL, USER, SYSTEM, RESIDENT, MEASURES };

struct command {
    char *name;
    char *text;
    double *values[MEASURES]; /* of each round; seconds, MiB */
    int status;               /* the first that was not 0 */
    char complaint[160];      /* the first line it then wrote */
};

struct summary {
    double median, least, most;
};

static struct command commands[COMMANDS_MAX];
static size_t command_count;
static size_t rounds;
static const char *title = "";
static const char *prepare; /* NULL for none */
static const char *floor_name;
static double own;     /* seconds of processor time of the commands */
static double foreign; /* use of the processors by others, in per cent */

static void fail(const char *what) {
    fprintf(stderr, "compare: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- measures ------------------------------------------------------------ */

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static struct summary summarize(const double *values) {
    static double sorted[ROUNDS_MAX];
    memcpy(sorted, values, rounds * sizeof *values);
    qsort(sorted, rounds, sizeof *sorted, ascending);
    double upper = sorted[rounds / 2];
    double lower = sorted[(rounds - 1) / 2];
    return (struct summary){(lower + upper) / 2, sorted[0], sorted[rounds - 1]};
}

static double median(const struct command *command, enum measure measure) {
    return summarize(command->values[measure]).median;
}

/* The median of a measure of one command over that of another, by rounds. */
static double paired(const struct command *command, const struct command *with,
                     enum measure measure) {
    static double ratios[ROUNDS_MAX];
    for (size_t i = 0; i < rounds; i++)
        ratios[i] = command->values[measure][i] / with->values[measure][i];
    return summarize(ratios).median;
}

/* ---- running ------------------------------------------------------------- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* The seconds that all processors together have spent at work. */
static double busy(void) {
    double t[7] = {0};
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        fail("/proc/stat");
    (void)!fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1], &t[2],
                  &t[3], &t[4], &t[5], &t[6]);
    fclose(file);
    return (t[0] + t[1] + t[2] + t[5] + t[6]) / (double)sysconf(_SC_CLK_TCK);
}

/* Standard error goes to `complaints`, or nowhere if that is negative. */
static pid_t start(const char *text, int complaints) {
    extern char **environ;
    char *const arguments[] = {"sh", "-c", (char *)text, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (complaints < 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, complaints, 2);
    errno = posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ);
    if (errno != 0)
        fail("/bin/sh");
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static void note_failure(struct command *command, int status, int complaints) {
    if (status == 0 || command->status != 0)
        return;
    command->status = status;
    if (complaints < 0)
        return;
    ssize_t count =
        pread(complaints, command->complaint, sizeof command->complaint - 1, 0);
    command->complaint[count > 0 ? count : 0] = '\0';
    command->complaint[strcspn(command->complaint, "\n")] = '\0';
}

/* A new, empty file for what a command says on standard error; to keep it
   costs time (xxhsum writes a line a file), so only warm-ups have one. */
static int complaints_file(void) {
    static FILE *file;
    if (file == NULL && (file = tmpfile()) == NULL)
        fail("temporary file");
    int complaints = fileno(file);
    if (ftruncate(complaints, 0) != 0 || lseek(complaints, 0, SEEK_SET) != 0)
        fail("temporary file");
    return complaints;
}

static void prepare_run(void) {
    int status = 0;
    if (prepare != NULL &&
        (waitpid(start(prepare, -1), &status, 0) < 0 || status != 0))
        fail(prepare);
}

static void run(struct command *command, size_t round, bool timed) {
    prepare_run();
    int complaints = timed ? -1 : complaints_file();
    double begin = now();
    pid_t child = start(command->text, complaints);
    struct rusage usage;
    int status;
    if (wait4(child, &status, 0, &usage) != child)
        fail("wait");
    double wall = now() - begin;
    note_failure(command, status, complaints);
    if (!timed)
        return;
    double user = seconds(usage.ru_utime), system = seconds(usage.ru_stime);
    command->values[WALL][round] = wall;
    command->values[USER][round] = user;
    command->values[SYSTEM][round] = system;
    command->values[RESIDENT][round] = (double)usage.ru_maxrss / 1024;
    own += user + system;
}

static struct command *in_turn(size_t round, size_t turn) {
    return &commands[round % 2 == 0 ? turn : command_count - 1 - turn];
}

static void run_all(size_t warm_ups) {
    for (size_t round = 0; round < warm_ups; round++)
        for (size_t turn = 0; turn < command_count; turn++)
            run(in_turn(round, turn), round, false);
    double begin = now(), before = busy();
    for (size_t round = 0; round < rounds; round++)
        for (size_t turn = 0; turn < command_count; turn++)
            run(in_turn(round, turn), round, true);
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    foreign = 100 * (busy() - before - own) / ((now() - begin) * cores);
}

/* ---- telling ------------------------------------------------------------- */

static const struct command *floor_command(void) {
    for (size_t i = 0; floor_name != NULL && i < command_count; i++)
        if (strcmp(commands[i].name, floor_name) == 0)
            return &commands[i];
    return NULL;
}

static void print_failure(const struct command *command) {
    printf("! %s: ", command->name);
    if (WIFSIGNALED(command->status))
        printf("ended by signal %d", WTERMSIG(command->status));
    else
        printf("exit status %d", WEXITSTATUS(command->status));
    printf("%s%s\n", command->complaint[0] != '\0' ? ": " : "",
           command->complaint);
}

static void print_table(void) {
    const struct command *lowest = floor_command();
    int width = 4;
    for (size_t i = 0; i < command_count; i++)
        if ((int)strlen(commands[i].name) > width)
            width = (int)strlen(commands[i].name);

    printf("%-*s %9s %19s %7s %7s %7s %7s %7s", width, title, "median s",
           "min..max", "user s", "sys s", "RSS MiB", "ratio", "paired");
    printf("%s\n", lowest != NULL ? " /floor" : "");
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        struct summary wall = summarize(command->values[WALL]);
        char range[32];
        snprintf(range, sizeof range, "%.4f..%.4f", wall.least, wall.most);
        printf("%-*s %9.4f %19s %7.3f %7.3f %7.1f %7.3f %7.3f", width,
               command->name, wall.median, range, median(command, USER),
               median(command, SYSTEM), median(command, RESIDENT),
               wall.median / median(&commands[0], WALL),
               paired(command, &commands[0], WALL));
        if (lowest != NULL)
            printf(" %6.3f", paired(command, lowest, WALL));
        puts(command->status != 0 ? " !" : "");
    }
    printf("%zu rounds; meanwhile others used %.1f %% of the processors%s\n",
           rounds, foreign > 0 ? foreign : 0, foreign > 5 ? " (busy)" : "");
    for (size_t i = 0; i < command_count; i++)
        if (commands[i].status != 0)
            print_failure(&commands[i]);
}

/* ---- main ---------------------------------------------------------------- */

static void read_commands(void) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        char *tab = strchr(line, '\t');
        if (tab == NULL || command_count == COMMANDS_MAX)
            continue;
        struct command *command = &commands[command_count++];
        *tab = '\0';
        command->name = strdup(line);
        command->text = strdup(tab + 1);
        for (int i = 0; i < MEASURES; i++)
            command->values[i] = calloc(rounds, sizeof(double));
    }
    free(line);
}

static int usage(void) {
    fputs("usage: compare [--title TEXT] [--floor NAME] [--prepare TEXT] "
          "ROUNDS WARM-UPS < COMMANDS\n",
          stderr);
    return 2;
}

int main(int count, char **arguments) {
    static const struct option options[] = {
        {"title", required_argument, NULL, 't'},
        {"floor", required_argument, NULL, 'f'},
        {"prepare", required_argument, NULL, 'p'},
        {0}};
    for (int option;
         (option = getopt_long(count, arguments, "", options, NULL)) != -1;) {
        if (option == 't')
            title = optarg;
        else if (option == 'f')
            floor_name = optarg;
        else if (option == 'p')
            prepare = optarg;
        else
            return usage();
    }
    if (optind + 2 != count)
        return usage();
    rounds = strtoul(arguments[optind], NULL, 10);
    size_t warm_ups = strtoul(arguments[optind + 1], NULL, 10);
    if (rounds < 1 || rounds > ROUNDS_MAX)
        return usage();
    read_commands();
    if (command_count == 0)
        return usage();

    run_all(warm_ups);
    print_table();
    for (size_t i = 0; i < command_count; i++)
        if (commands[i].status != 0)
            return 1;
    return 0;
}
