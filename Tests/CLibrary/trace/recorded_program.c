/*
 * recorded_program.c: a program that knows nothing of WEIR_TRACE and WEIR_WATCH, and ends
 * as its argument says. (environment_tests.c and watch_tests.c run it.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir.h>

static void note_last(void) { weir_trace_note("last", 0, 0); }
static void exit_with(void *status) { exit((int)(uintptr_t)status); }

static void use_gate(void) {
    weir_gate_t gate = weir_gate_create("g", 1);
    if (!gate || weir_gate_wait(gate, 1, DISPATCH_TIME_FOREVER) != 0) {
        exit(1);
    }
    weir_gate_signal(gate, 1);
    weir_gate_release(gate);
}

static int record_itself(void) {
    weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
    if (!recorder || weir_trace_recorder_start(recorder) != 0) {
        return 1;
    }
    use_gate();
    weir_trace_note("own", 0, 0);
    weir_trace_recorder_stop(recorder);
    int error = weir_trace_recorder_write(recorder, 1, WEIR_TRACE_JSON_LINES);
    weir_trace_recorder_release(recorder);
    return error ? 1 : 5;
}

/* A child that forks only, or starts this program again. */
static void run_child(const char *program, bool starts_program) {
    pid_t child = fork();
    if (child == 0) {
        if (starts_program) {
            execl(program, program, "return", (char *)0);
        }
        weir_trace_note("child", 0, 0);
        exit(0);
    }
    waitpid(child, 0, 0);
    weir_trace_note("parent", 0, 0);
}

/* Waits for a permit that it has. */
static void hang(void) {
    weir_gate_t gate = weir_gate_create("hang", 1);
    for (int wait = 0; wait < 2; wait++) {
        if (weir_gate_wait(gate, 1, DISPATCH_TIME_FOREVER) != 0) {
            exit(1);
        }
    }
}

static void end_early(const char *program, const char *how) {
    if (!strcmp(how, "hang")) {
        hang();
    }
    if (!strcmp(how, "finish")) {
        use_gate();
        if (weir_trace_finish() != 0) {
            exit(1);
        }
        weir_trace_note("too late", 0, 0);
        _exit(9);
    }
    if (!strcmp(how, "exec")) {
        weir_trace_note("before", 0, 0);
        execl(program, program, "return", (char *)0);
        exit(1);
    }
}

int main(int count, char *words[]) {
    const char *how = count > 1 ? words[1] : "";
    end_early(words[0], how);
    atexit(note_last);
    if (!strncmp(how, "fork", 4) || !strncmp(how, "spawn", 5)) {
        run_child(words[0], *how == 's');
    }
    use_gate();
    weir_trace_note("used", 0, 0);
    if (!strcmp(how, "own")) {
        return record_itself();
    } else if (!strcmp(how, "exit")) {
        exit(6);
    } else if (!strcmp(how, "quick")) {
        quick_exit(7);
    } else if (strstr(how, "_exit")) {
        _exit(4);
    } else if (!strcmp(how, "abort")) {
        abort();
    } else if (!strcmp(how, "directory")) {
        return chdir("/") == 0 ? 5 : 1;
    } else if (!strcmp(how, "main-queue")) {
        dispatch_async_f(dispatch_get_main_queue(), (void *)8, exit_with);
        dispatch_main();
    }
    for (int file = 3; !strcmp(how, "close") && file < 100; file++) {
        close(file);
    }
    for (int time = 0; !strcmp(how, "many") && time < 10000; time++) {
        use_gate();
    }
    return 5;
}
