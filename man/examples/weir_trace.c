/* Records two jobs on lanes, and writes their events to standard output
   as Trace Event JSON, for ui.perfetto.dev. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

static void job(void *context, void *lane) {
    (void)context, (void)lane;
    weir_trace_note("half way", 0, 0); /* a mark of the program's own */
}

int main(void) {
    weir_trace_recorder_t recorder = weir_trace_recorder_create(0);
    int error = recorder ? weir_trace_recorder_start(recorder) : errno;
    weir_lanes_t lanes = error ? NULL : weir_lanes_create(NULL);
    if (!error && !lanes)
        error = errno;
    for (int i = 0; i < 2 && !error; i++)
        error = weir_lanes_async_f(lanes, NULL, job);
    if (lanes) {
        weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
        weir_lanes_release(lanes);
    }
    if (recorder) {
        weir_trace_recorder_stop(recorder);
        if (!error)
            error = weir_trace_recorder_write(recorder, 1,
                                              WEIR_TRACE_EVENT_JSON);
        weir_trace_recorder_release(recorder);
    }
    if (error)
        fprintf(stderr, "trace: %s\n", strerror(error));
    return error ? 1 : 0;
}
