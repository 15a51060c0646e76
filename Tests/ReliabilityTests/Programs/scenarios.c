/*
 * scenarios.c: runs each part of the C library while one of the calls that the
 * library makes fails: the n-th allocation, thread or system call of a kind, for
 * n from 1 to the last, with each error that it can have.
 *
 *     scenarios list           prints the names
 *     scenarios NAME EVERY     injects every EVERY-th fault into a scenario
 *     scenarios NAME RUN CALL ERROR FIRST LAST  injects this fault alone, into
 *                              the first run, or the second if RUN is 0
 *
 * Each fault has a process of its own, a child that was forked before it used
 * the library. The child runs the scenario with the fault, then once more
 * without (for a late fault once before as well). It checks after the run with
 * the fault that each call reported the injected error or had its result, and
 * after the last run that the answer is that of a process without faults, with
 * as much memory and as many descriptors and threads. A child that takes 20
 * seconds counts as hanging. The exit status is 1 if anything was wrong.
 */
#include "scenarios.h"

#include "../Preloads/faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "scenario_answers.h"

__attribute__((visibility("default"))) struct fault_plan fault_plan;

static struct shared *shared;
const char *running_scenario;

/* ---- what scenarios call --------------------------------------------------- */

static void append(char *text, size_t size, const char *format, va_list rest) {
    size_t used = strlen(text);
    int length = vsnprintf(text + used, size - used, format, rest);
    used += length > 0 ? (size_t)length : 0;
    if (used + 1 < size) {
        strcpy(text + used, "\n");
    }
}

void say(const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    append(shared->answer, sizeof shared->answer, format, rest);
    va_end(rest);
}

void wrong(const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    append(shared->wrongs, sizeof shared->wrongs, format, rest);
    va_end(rest);
}

bool is_injected(int error) {
    return fault_plan.hits > 0 && error && error == fault_plan.error;
}

void end_files(int result, bool is_unordered) {
    shared->result = result;
    shared->is_unordered = is_unordered;
    say("R\t%d", result);
}

void count_failure(void) { shared->failures++; }

bool expect(const char *call, int result, int expected) {
    if (result == expected) {
        return true;
    }
    if (is_injected(result)) {
        count_failure();
    } else {
        wrong("%s: %s in place of %s", call, strerror(result),
              strerror(expected));
    }
    return false;
}

bool is_made(const char *call, const void *result) {
    return expect(call, result ? 0 : errno ? errno : -1, 0);
}

void await_count(const char *name, _Atomic int *count, int wanted) {
    for (int i = 0; i < 100000 && *count != wanted; i++) {
        usleep(100);
    }
    if (*count != wanted) {
        wrong("%d %s in place of %d", *count, name, wanted);
    }
}

/* ---- the child: one fault ----------------------------------------------------- */

static int find_text(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    struct fault_place *place =
        strstr(object->dlpi_name, "libweir")         ? &fault_plan.library
        : strstr(object->dlpi_name, "BlocksRuntime") ? &fault_plan.blocks
        : !object->dlpi_name[0]                      ? &fault_plan.program
                                                     : NULL;
    for (int i = 0; place && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
            place->begin = object->dlpi_addr + segment->p_vaddr;
            place->end = place->begin + segment->p_memsz;
        }
    }
    return 0;
}

static long count_descriptors(void) {
    long count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

/* The library keeps the memory of its last 64 objects: these are the last. */
static void bury_objects(void) {
    for (int i = 0; i < 70; i++) {
        weir_group_t group = weir_group_create(NULL);
        if (!group) {
            wrong("no group without a fault");
            return;
        }
        weir_group_release(group);
    }
}

static struct holdings holdings(void) {
    return (struct holdings){.blocks = fault_plan.blocks_alive,
                             .threads = fault_plan.threads_alive,
                             .descriptors = count_descriptors()};
}

static bool has_more(struct holdings now, struct holdings than) {
    return now.blocks > than.blocks || now.threads > than.threads ||
           now.descriptors > than.descriptors;
}

/* What ends on other threads soon is no leak. */
static void check_holdings(void) {
    struct holdings now = holdings();
    for (int i = 0; i < 200 && has_more(now, shared->normal); i++) {
        usleep(10000);
        now = holdings();
    }
    if (has_more(now, shared->normal)) {
        wrong("left: %ld blocks of memory, %ld threads, %ld descriptors; "
              "without a fault %ld, %ld, %ld",
              now.blocks, now.threads, now.descriptors, shared->normal.blocks,
              shared->normal.threads, shared->normal.descriptors);
        if (getenv("FAULTS_SHOW") && faults_print_alive) {
            faults_print_alive(2);
        }
    }
}

static void run_once(const struct scenario *scenario) {
    for (int i = 0; i < CALL_COUNT; i++) {
        fault_plan.counts[i] = 0;
    }
    shared->answer[0] = '\0';
    fault_plan.hits = 0;
    fault_plan.is_begun = true;
    running_scenario = scenario->name;
    scenario->run();
    fault_plan.is_begun = false;
}

static void keep_counts(long counts[CALL_COUNT]) {
    for (int i = 0; i < CALL_COUNT; i++) {
        counts[i] = fault_plan.counts[i];
    }
}

static void run_normally(const struct scenario *scenario) {
    run_once(scenario);
    keep_counts(shared->counts[0]);
    strcpy(shared->normal_answer, shared->answer);
    if (!scenario->is_new) {
        run_once(scenario);
        keep_counts(shared->counts[1]);
        if (strcmp(shared->answer, shared->normal_answer) != 0) {
            wrong("the second run had another answer");
        }
        bury_objects();
        usleep(100000);
        shared->normal = holdings();
    }
}

static void run_with_fault(const struct scenario *scenario) {
    if (shared->fault.is_late) {
        run_once(scenario);
    }
    fault_plan.first = (uint32_t)shared->fault.first;
    run_once(scenario);
    shared->injected = fault_plan.hits;
    check_answer(shared);
    fault_plan.first = 0;
    if (!scenario->is_new) {
        run_once(scenario);
        if (strcmp(shared->answer, shared->normal_answer) != 0) {
            wrong("the run after it had another answer");
        }
        bury_objects();
        check_holdings();
    }
}

static void run_child(const struct scenario *scenario) {
    alarm(20);
    if (strcmp(scenario->name, "budget") != 0) {
        (void)weir_descriptor_gate(); /* ends the program if memory is short */
    }
    if (strcmp(scenario->name, "recorder") == 0) {
        scenario_make_threads();
    }
    bool is_short = shared->fault.error == FAULT_SHORT;
    memset(fault_plan.kind, CALL_COUNT, sizeof fault_plan.kind);
    for (const struct fault_kind *kind = fault_kinds; kind->errors[0]; kind++) {
        for (int i = 0; kind->calls[i]; i++) {
            fault_plan.kind[kind->calls[i]] = (uint8_t)kind->calls[0];
        }
    }
    fault_plan.call = shared->fault.kind;
    fault_plan.error = is_short ? 0 : shared->fault.error;
    fault_plan.short_length = is_short ? 128 : 0;
    fault_plan.last = (uint32_t)shared->fault.last;
    if (shared->fault.first == 0) {
        run_normally(scenario);
    } else {
        run_with_fault(scenario);
    }
    shared->has_ended = true;
    _exit(0);
}

/* ---- the parent ------------------------------------------------------------------ */

static const struct scenario *find(const char *name) {
    const struct scenario *const all[] = {gate_scenarios, lane_scenarios,
                                          file_scenarios, system_scenarios};
    for (int i = 0; i < 4; i++) {
        for (const struct scenario *each = all[i]; each->name; each++) {
            if (!name) {
                puts(each->name);
            } else if (strcmp(each->name, name) == 0) {
                return each;
            }
        }
    }
    return NULL;
}

static void execute(const struct scenario *scenario, int memory) {
    char number[16], name[64];
    snprintf(number, sizeof number, "%d", memory);
    snprintf(name, sizeof name, "trace-%d.jsonl", (int)getpid());
    setenv("WEIR_TRACE", name, 1);
    execl("/proc/self/exe", "scenarios", "--child", scenario->name, number,
          NULL);
    _exit(126);
}

#define NAME(name) #name,
static const char *const names[] = {FAULT_CALLS(NAME)};

static const char *error_name(int error) {
    return error == FAULT_SHORT ? "short" : strerrorname_np(error);
}

static void check_end(const struct scenario *scenario, int status, int errors) {
    static const char no_gate[] = "weir: no memory for the descriptor gate\n";
    char text[1024] = "";
    ssize_t length = pread(errors, text, sizeof text - 1, 0);
    bool is_announced = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
                        shared->fault.kind == CALL_malloc &&
                        strcmp(scenario->name, "budget") == 0 &&
                        strcmp(text, no_gate) == 0;
    if (is_announced) { /* by the header */
        shared->injected = 1;
        return;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        wrong("hangs");
    } else if (status != 0 || !shared->has_ended) {
        wrong("ended with status %#x", (unsigned)status);
    }
    bool has_reason = shared->failures > 0 && strncmp(text, "weir: ", 6) == 0;
    if (length > 0 && !(scenario->is_new && has_reason)) {
        wrong("wrote: %s", text);
    }
}

/* Runs the scenario in a child with a fault. Returns false if anything was
   wrong. */
static bool try_fault(const struct scenario *scenario, struct fault fault,
                      int memory) {
    shared->fault = fault;
    shared->has_ended = false;
    shared->failures = 0;
    shared->injected = 0;
    shared->wrongs[0] = '\0';
    shared->is_whole_answer = fault.must_be_handled;
    fflush(stdout);
    int errors = memfd_create("errors", MFD_CLOEXEC);
    pid_t child = fork();
    if (child == 0) {
        dup2(errors, 2);
        if (scenario->is_new) {
            execute(scenario, memory);
        }
        run_child(scenario);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (scenario->is_new) {
        char name[64];
        snprintf(name, sizeof name, "trace-%d.jsonl", (int)child);
        unlink(name);
    }
    check_end(scenario, status, errors);
    close(errors);
    if (shared->wrongs[0]) {
        printf("%s: %s %s from call %ld to %ld%s:\n%s", scenario->name,
               names[fault.kind],
               fault.first ? error_name(fault.error) : "no fault", fault.first,
               fault.last, fault.is_late ? ", second run" : "", shared->wrongs);
    }
    return !shared->wrongs[0];
}

struct campaign {
    const struct scenario *scenario;
    int memory;
    long every;
    long place; /* of the fault among all of the scenario */
    long injected;
    long failures;
};

static void try_sampled(struct campaign *campaign, struct fault fault) {
    if (campaign->place++ % campaign->every != 0) {
        return;
    }
    campaign->failures +=
        !try_fault(campaign->scenario, fault, campaign->memory);
    campaign->injected += shared->injected > 0;
}

static void try_kind(struct campaign *campaign, const struct fault_kind *kind,
                     bool is_late, long count) {
    for (int i = 0; kind->errors[i]; i++) {
        for (long n = 1; n <= count; n++) {
            struct fault fault = {.kind = kind->calls[0],
                                  .error = kind->errors[i],
                                  .first = n,
                                  .last = n,
                                  .is_late = is_late};
            fault.must_be_handled =
                must_be_handled(campaign->scenario->name, fault);
            try_sampled(campaign, fault);
            if (i == 0) { /* all calls from here on, or a long shortage */
                fault.last =
                    fault.kind == CALL_pthread_create ? n + 20 : n + 1000000;
                fault.must_be_handled = false;
                try_sampled(campaign, fault);
            }
        }
    }
}

static int run_campaign(struct campaign *campaign) {
    long counts[2][CALL_COUNT];
    if (!try_fault(campaign->scenario, (struct fault){.first = 0},
                   campaign->memory)) {
        return 1;
    }
    memcpy(counts, shared->counts, sizeof counts);
    for (const char *at = campaign->scenario->name; *at; at++) {
        campaign->place += *at; /* so that samples differ */
    }
    for (const struct fault_kind *kind = fault_kinds; kind->errors[0]; kind++) {
        for (int late = 0; late < 2; late++) {
            try_kind(campaign, kind, late == 1, counts[late][kind->calls[0]]);
        }
    }
    printf("%s: faults %ld, failures %ld\n", campaign->scenario->name,
           campaign->injected, campaign->failures);
    return campaign->failures > 0;
}

static enum fault_call call_named(const char *name) {
    int call = 0;
    while (call < CALL_COUNT && strcmp(names[call], name) != 0) {
        call++;
    }
    return (enum fault_call)call;
}

static int usage(void) {
    fputs(
        "usage: scenarios list | NAME EVERY | NAME RUN CALL ERROR FIRST LAST\n",
        stderr);
    return 2;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "list") == 0) {
        find(NULL);
        return 0;
    }
    bool is_child = count == 4 && strcmp(words[1], "--child") == 0;
    const struct scenario *scenario =
        count < 3 ? NULL : find(words[is_child ? 2 : 1]);
    if (!scenario) {
        return usage();
    }
    dl_iterate_phdr(find_text, NULL);
    int memory = is_child ? atoi(words[3]) : memfd_create("scenarios", 0);
    if (memory < 0 || (!is_child && ftruncate(memory, sizeof *shared) != 0)) {
        return usage();
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED,
                  memory, 0);
    if (is_child) {
        run_child(scenario);
    }
    scenario_make_tree();
    struct campaign campaign = {.scenario = scenario, .memory = memory};
    campaign.every = atol(words[2]);
    if (count == 7) {
        struct fault fault = {.kind = call_named(words[3]),
                              .error = atoi(words[4]),
                              .first = atol(words[5]),
                              .last = atol(words[6]),
                              .is_late = atol(words[2]) == 0};
        (void)!try_fault(scenario, (struct fault){.first = 0}, memory);
        fault.must_be_handled = must_be_handled(scenario->name, fault);
        return !try_fault(scenario, fault, memory);
    }
    return campaign.every < 1 ? usage() : run_campaign(&campaign);
}
