/*
 * A recording of lanes and a gate at work.
 *
 *     gcc -o trace-weir_f trace-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 *     ./trace-weir_f             one event a line
 *     ./trace-weir_f trace.json  and for ui.perfetto.dev or chrome://tracing
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weir.h>

static void check(const char *what, int error) {
    if (error) {
        fprintf(stderr, "%s: %s\n", what, strerror(error));
        exit(1);
    }
}

static void use_a_ticket(void *context, void *lane_context) {
    weir_gate_t tickets = context;
    (void)lane_context;
    check("weir_gate_wait", weir_gate_wait(tickets, 1, DISPATCH_TIME_FOREVER));
    weir_trace_note("has a ticket", 0, 0);
    weir_gate_signal(tickets, 1);
}

static void record(weir_trace_recorder_t recorder) {
    weir_gate_t tickets = weir_gate_create("tickets", 1);
    weir_lanes_t lanes = weir_lanes_create(
        &(weir_lanes_options_t){.label = "visitors", .width = 2});
    if (!tickets || !lanes)
        abort();
    check("weir_trace_recorder_start", weir_trace_recorder_start(recorder));
    /* The only ticket is out until two visitors wait for it, one a lane. */
    weir_gate_stats_t stats = {0};
    check("weir_gate_wait", weir_gate_wait(tickets, 1, DISPATCH_TIME_FOREVER));
    for (int i = 0; i < 3; i++)
        check("weir_lanes_async_f",
              weir_lanes_async_f(lanes, tickets, use_a_ticket));
    while (stats.waiting < 2) {
        sched_yield();
        weir_gate_stats(tickets, &stats, sizeof stats);
    }
    weir_gate_signal(tickets, 1);
    (void)weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
    weir_trace_recorder_stop(recorder);
    weir_lanes_release(lanes);
    weir_gate_release(tickets);
}

int main(int argc, char **argv) {
    weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
    if (!recorder)
        return perror("weir_trace_recorder_create"), 1;
    record(recorder);
    check("standard output", weir_trace_recorder_write(recorder, STDOUT_FILENO,
                                                       WEIR_TRACE_JSON_LINES));
    if (argc > 1) {
        int file =
            open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (file < 0)
            return perror(argv[1]), 1;
        check(argv[1],
              weir_trace_recorder_write(recorder, file, WEIR_TRACE_EVENT_JSON));
        close(file);
    }
    weir_trace_recorder_release(recorder);
    return 0;
}
