/*
 * inspect_signal.c: writes the state of the process when it gets a signal.
 *
 * DESIGN. The handler posts a semaphore, and a thread of its own waits for it.
 * sigwait was rejected: every thread of the process would have to block the
 * signal. A dispatch source was rejected: it needs descriptors and a thread of
 * libdispatch. The thread blocks all other signals, so that this one arrives
 * even if all others block it.
 */
#include "system/signal_semaphore.h"
#include "system/threads.h"
#include "trace/inspection.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these two */
static bool is_running;
static sigset_t handled;

static sem_t *changed; /* a signal has come, or there is one more to handle */
static _Atomic bool is_asked;

static void ask(int number) {
    (void)number;
    int saved = errno;
    atomic_store(&is_asked, true);
    sem_post(changed);
    errno = saved;
}

static void unblock_handled(void) {
    pthread_mutex_lock(&lock);
    pthread_sigmask(SIG_UNBLOCK, &handled, NULL);
    pthread_mutex_unlock(&lock);
}

static void serve(void *context) {
    (void)context;
    for (;;) {
        unblock_handled();
        if (sem_wait(changed) == 0 && atomic_exchange(&is_asked, false)) {
            (void)weir_inspect_write(STDERR_FILENO);
        }
    }
}

static int start_locked(void) {
    if (is_running) {
        return 0;
    }
    if (!changed && !(changed = weir__signal_semaphore())) {
        return errno;
    }
    sigemptyset(&handled);
    int error = weir__thread_start(NULL, serve);
    is_running = error == 0;
    return error;
}

int weir_inspect_on_signal(int number) {
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};
    sigset_t test;
    sigemptyset(&test);
    sigemptyset(&action.sa_mask);
    if (sigaddset(&test, number) != 0 || number == SIGKILL ||
        number == SIGSTOP) {
        return EINVAL;
    }
    store_relaxed(&weir__is_inspected, true);
    pthread_mutex_lock(&lock);
    int error = start_locked();
    if (error == 0 && sigaction(number, &action, NULL) != 0) {
        error = errno;
    }
    if (error == 0) {
        sigaddset(&handled, number);
        sem_post(changed);
    }
    pthread_mutex_unlock(&lock);
    return error;
}
