/* Prints the state while a job holds the only permit of a gate. SIGQUIT
   would print it at any time. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

static int failure; /* set by the job */

static void job(void *gate, void *lane) {
    (void)lane;
    if (weir_gate_wait((weir_gate_t)gate, 1, DISPATCH_TIME_FOREVER) ==
        0) {
        failure = weir_inspect_write(1);
        weir_gate_signal((weir_gate_t)gate, 1);
    }
}

int main(void) {
    int error = weir_inspect_on_signal(SIGQUIT);
    weir_gate_t gate = weir_gate_create("downloads", 1);
    weir_lanes_t lanes = weir_lanes_create(NULL);
    if (!gate || !lanes)
        error = errno;
    if (!error)
        error = weir_lanes_async_f(lanes, gate, job);
    if (lanes) {
        weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
        if (!error)
            error = failure;
        weir_lanes_release(lanes);
    }
    if (gate)
        weir_gate_release(gate);
    if (error)
        fprintf(stderr, "inspect: %s\n", strerror(error));
    return error ? 1 : 0;
}
