/*
 * The descriptor gate: the guide's semaphore of getdtablesize() / 2, one for
 * the whole process, less what is open already.
 *
 *     clang -fblocks -o 3-5e-descriptors-weir 3-5e-descriptors-weir.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Using Dispatch Semaphores to Regulate the Use of Finite
 * Resources".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <weir.h>

enum { FILES = 500, LIMIT = 64 };

/* If descriptors run short all the same, because other code opens some too, the
   gate shrinks and the open is tried again. */
static int open_file(const char *path) {
    for (size_t attempt = 1;; attempt++) {
        int descriptor = open(path, O_RDONLY | O_CLOEXEC);
        if (!weir_descriptor_retry(descriptor < 0 ? errno : 0, attempt))
            return descriptor;
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "/etc/services";
    if (access(path, R_OK) != 0)
        path = "/etc/passwd"; /* not every system has the other */
    static atomic_int failed;
    /* A limit low enough to matter here, with only 0, 1 and 2 open. */
    for (int descriptor = 3; descriptor < LIMIT; descriptor++)
        close(descriptor);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){LIMIT, LIMIT});
    printf("%zu descriptors, %zu permits, %d files.\n", weir_descriptor_limit(),
           weir_descriptor_budget(), FILES);

    weir_gate_t gate = weir_descriptor_gate();
    dispatch_queue_t queue =
        dispatch_queue_create("com.example.readers", DISPATCH_QUEUE_CONCURRENT);
    dispatch_suspend(queue); /* to inspect the waiters */
    for (int i = 0; i < FILES; i++) {
        int error = weir_gate_async(gate, 1, queue, ^{
          char piece[4096];
          int descriptor = open_file(path);
          if (descriptor < 0) {
              atomic_fetch_add(&failed, 1);
              return;
          }
          while (read(descriptor, piece, sizeof piece) > 0) {
          }
          close(descriptor);
        });
        if (error)
            abort(); /* no memory */
    }
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    printf("%zu have a permit, %zu wait, and no thread waits with them.\n",
           stats.in_use, stats.waiting);
    dispatch_resume(queue);

    /* All permits of the gate: they are free when no job holds one. */
    if (weir_gate_wait(gate, stats.permits, DISPATCH_TIME_FOREVER) != 0)
        abort();
    weir_gate_signal(gate, stats.permits);
    weir_gate_stats(gate, &stats, sizeof stats);
    printf("At most %zu were out at once; %d files could not be opened.\n",
           stats.peak, atomic_load(&failed));
    dispatch_release(queue);
    return 0;
}
