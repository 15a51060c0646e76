/* Opens a file within the descriptor budget of the process, as each of
   many threads may do at once. */
#define _POSIX_C_SOURCE 200809L /* for O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <weir.h>

/* Returns a descriptor, with one permit, or -1 with errno. */
static int open_within_budget(const char *path) {
    int fd, error = weir_gate_wait(weir_descriptor_gate(), 1,
                                   DISPATCH_TIME_FOREVER);
    if (error) {
        errno = error;
        return -1;
    }
    for (size_t attempt = 1;; attempt++) {
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (!weir_descriptor_retry(fd < 0 ? errno : 0, attempt))
            break;
    }
    if (fd < 0)
        weir_gate_signal(weir_descriptor_gate(), 1);
    return fd;
}

int main(void) {
    int fd = open_within_budget("/dev/null");
    if (fd < 0) {
        perror("/dev/null");
        return 1;
    }
    close(fd);
    weir_gate_signal(weir_descriptor_gate(), 1);
    puts(weir_descriptor_budget() < weir_descriptor_limit()
             ? "a budget below the limit"
             : "no limit");
    return fflush(stdout) ? 1 : 0;
}
