/* Takes permits for work that runs on an executor of one's own: the
   function gets the permits, and signals them when the work ends. */
#include <stdio.h>
#include <string.h>
#include <weir.h>
#include <weir/spi.h>

struct work {
    weir_gate_t gate;
    size_t permits;
};

static void granted(void *context, size_t count) {
    struct work *work = (struct work *)context;
    work->permits = count; /* here the executor would queue the work */
}

int main(void) {
    static struct work work;
    work.gate = weir_gate_create("connections", 3);
    if (!work.gate) {
        perror("gate");
        return 1;
    }
    int error = weir_gate_grant_f(work.gate, 2, &work, granted);
    if (error) {
        fprintf(stderr, "gate: %s\n", strerror(error));
        return 1;
    }
    printf("%zu permits\n", work.permits);
    weir_gate_signal(work.gate, work.permits);
    weir_gate_release(work.gate);
    return fflush(stdout) ? 1 : 0;
}
