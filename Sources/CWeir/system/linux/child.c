/*
 * child.c: starts a child in the parent's memory, to execute a program.
 *
 * DESIGN. The same as vfork: the child runs in the parent's memory while the
 * calling thread sleeps until the child executes a program or exits. So a start
 * costs the same in a process of any size, no lock is copied in a locked state,
 * and the child reports its error in plain memory. But vfork shares the stack
 * too, which a compiler cannot know. So it is clone with CLONE_VM and
 * CLONE_VFORK, as in the C libraries' posix_spawn. All signals are blocked
 * meanwhile. The dispositions are reset by raw system calls, since the C
 * library (and a sanitizer) keep records about them in the parent's memory. The
 * stack comes from malloc: to map and unmap one interrupts every core.
 *
 * The kernel gives the child SIGCHLD as its exit signal only when it executes a
 * program. So no handler and no wait for any child sees one that fails. A child
 * that was killed before is recognized because a wait for clones (__WCLONE)
 * still finds it.
 */
#include "system/child.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ThreadSanitizer takes clone for a fork; glibc has a second name for it. */
#if defined(__SANITIZE_THREAD__)
#define WEIR_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEIR_THREAD_SANITIZER 1
#endif
#endif
#ifdef WEIR_THREAD_SANITIZER
extern int __clone(int (*function)(void *), void *stack, int flags,
                   void *context, ...);
#define clone __clone
#endif

/* The same number on all machines. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define STACK_BYTES ((size_t)65536)
#define SIGNALS_MAX 64

struct child {
    weir__child_body_t body;
    void *context;
    volatile int error;
};

/* ---- in the child ------------------------------------------------------ */

WEIR_IN_CHILD static void reset_dispositions(void) {
    /* Zeros are SIG_DFL, no flags and an empty mask on each machine. */
    static const char zeros[256];
    for (int signal = 1; signal <= SIGNALS_MAX; signal++) {
        syscall(SYS_rt_sigaction, signal, zeros, NULL, SIGNALS_MAX / 8);
    }
}

WEIR_IN_CHILD void weir__child_unblock_signals(void) {
    static const char none[SIGNALS_MAX / 8];
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, sizeof none);
}

WEIR_IN_CHILD static int child_main(void *context) {
    struct child *child = context;
    reset_dispositions();
    child->error = child->body(child->context);
    /* Not _exit, in which a sanitizer reports on the parent's memory. */
    syscall(SYS_exit_group, 127);
    return 127;
}

/* ---- in the parent ----------------------------------------------------- */

/* Reaps a child unless it executed a program; then returns false. */
static bool reap_failed(pid_t child) {
    pid_t reaped;
    do {
        reaped = waitpid(child, NULL, (int)__WCLONE);
    } while (reaped < 0 && errno == EINTR);
    return reaped == child;
}

int weir__child_start(weir__child_body_t body, void *context, pid_t *pid) {
    struct child child = {.body = body, .context = context};
    char *stack = malloc(STACK_BYTES);
    if (!stack) {
        return errno;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t started =
        clone(child_main, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &child);
    int error = started < 0 ? errno : child.error;
    if (started > 0 && reap_failed(started) && !error) {
        error = EINTR;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    *pid = error ? -1 : started;
    return error;
}

int weir__child_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
}

int weir__child_descriptor(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int weir__child_memory(void) { return memfd_create("input", MFD_CLOEXEC); }

#endif
