/*
 * posix_child.c: starts a child by fork(2), to execute a program.
 *
 * DESIGN. posix_spawn cannot set a resource limit (process/spawn.c), and vfork
 * is gone from POSIX and from Darwin. So the child is a fork, which reports an
 * error through a pipe that a successful exec closes; that takes two
 * descriptors for a moment.
 *
 * A pipe is close-on-exec a moment after it was created. A lock keeps the forks
 * of this library out of that moment; those of other code may inherit it, and
 * one that goes on without exec delays the start of this child until it ends.
 *
 * Unlike on Linux, a child that fails to execute a program sends SIGCHLD, and
 * one that a signal ends before looks like one that has executed it.
 */
#include "system/child.h"
#include "system/maker.h"

#if !WEIR_SYSTEM_LINUX

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#if WEIR_SYSTEM_NAMES_MOUNTS /* as do the systems with kqueue */
#include <sys/event.h>
#endif

static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;

int weir__child_pipe(int ends[2]) {
    pthread_mutex_lock(&forking);
    int error = pipe(ends) == 0 ? 0 : errno;
    if (!error) {
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    }
    pthread_mutex_unlock(&forking);
    return error;
}

/* ---- in the child ------------------------------------------------------ */

/* A signal to the parent's group from before must not end the child. */
WEIR_IN_CHILD static void discard_pending(void) {
    sigset_t pending;
    sigpending(&pending);
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&pending, number) == 1) { /* to ignore is to discard */
            signal(number, SIG_IGN);
            signal(number, SIG_DFL);
        }
    }
}

WEIR_IN_CHILD void weir__child_unblock_signals(void) {
    if (getpgrp() == getpid()) {
        discard_pending();
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The calls for SIGKILL, SIGSTOP and the C library's own signals fail. */
WEIR_IN_CHILD static void reset_dispositions(void) {
    struct sigaction action = {.sa_flags = 0};
    action.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; signal++) {
        sigaction(signal, &action, NULL);
    }
}

/* The program's descriptors may come to lie where the report is. */
WEIR_IN_CHILD static int above_standard(int fd) {
    return fd > STDERR_FILENO ? fd
                              : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

WEIR_IN_CHILD __attribute__((__noreturn__)) static void
run(weir__child_body_t body, void *context, int report) {
    int to = above_standard(report);
    reset_dispositions();
    int error = to < 0 ? errno : body(context);
    (void)!write(to < 0 ? report : to, &error, sizeof error);
    _exit(127);
}

/* ---- in the parent ----------------------------------------------------- */

/* Waits for the report. Returns 0, or the error of a child that is reaped. */
static int error_of(pid_t child, int report) {
    int error = 0;
    ssize_t got;
    do {
        got = read(report, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        return 0;
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return error;
}

int weir__child_start(weir__child_body_t body, void *context, pid_t *pid) {
    int ends[2];
    int error = weir__child_pipe(ends);
    if (error) {
        return error;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&forking);
    pid_t child = fork();
    error = child < 0 ? errno : 0;
    if (child == 0) {
        run(body, context, ends[1]);
    }
    pthread_mutex_unlock(&forking);
    close(ends[1]);
    if (child > 0) {
        error = error_of(child, ends[0]);
    }
    close(ends[0]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *pid = error ? -1 : child;
    return error;
}

#ifdef EVFILT_PROC

/* kqueue(2) has no event for a child that has ended: it gets a ready one. */
int weir__child_descriptor(pid_t pid) {
    struct kevent change;
    int queue = kqueue();
    if (queue < 0) {
        return -1;
    }
    fcntl(queue, F_SETFD, FD_CLOEXEC);
    EV_SET(&change, (uintptr_t)pid, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, NULL);
    if (kevent(queue, &change, 1, NULL, 0, NULL) == 0) {
        return queue;
    }
    if (errno == ESRCH && kill(pid, 0) == 0) {
        EV_SET(&change, 0, EVFILT_TIMER, EV_ADD, 0, 0, NULL);
        if (kevent(queue, &change, 1, NULL, 0, NULL) == 0) {
            return queue;
        }
    }
    int error = errno;
    close(queue);
    errno = error;
    return -1;
}

#else

int weir__child_descriptor(pid_t pid) {
    (void)pid;
    errno = ENOSYS;
    return -1;
}

#endif

int weir__child_memory(void) {
    char path[] = "/tmp/weir.XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

#endif
