/* signals.c: waits for signals. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include "../maker.h"

#include <errno.h>
#include <time.h>

/* The time between two looks at the pending signals. */
#define STEP_NANOSECONDS 5000000L

bool kernel_signal_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

#if KERNEL_LINUX

int kernel_signal_wait(const sigset_t *signals, int64_t nanoseconds) {
    const struct timespec time = {.tv_sec = nanoseconds / 1000000000,
                                  .tv_nsec = nanoseconds % 1000000000};
    return sigtimedwait(signals, NULL, nanoseconds < 0 ? NULL : &time);
}

#else

static int take(const sigset_t *signals) {
    int number = 0;
    int error = sigwait(signals, &number);
    errno = error;
    return error ? -1 : number;
}

static bool is_pending(const sigset_t *signals) {
    sigset_t pending;
    sigpending(&pending);
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(signals, number) == 1 &&
            sigismember(&pending, number) == 1) {
            return true;
        }
    }
    return false;
}

/* Darwin has no sigtimedwait. */
int kernel_signal_wait(const sigset_t *signals, int64_t nanoseconds) {
    if (nanoseconds < 0) {
        return take(signals);
    }
    for (;;) {
        if (is_pending(signals)) {
            return take(signals);
        }
        if (nanoseconds <= 0) {
            errno = EAGAIN;
            return -1;
        }
        const struct timespec step = {.tv_nsec = nanoseconds < STEP_NANOSECONDS
                                                     ? (long)nanoseconds
                                                     : STEP_NANOSECONDS};
        nanosleep(&step, NULL);
        nanoseconds -= step.tv_nsec;
    }
}

#endif
