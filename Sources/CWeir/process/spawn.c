/*
 * spawn.c: starting children.
 *
 * DESIGN. What vfork does: the child runs in the parent's memory, on a stack of
 * its own, and the calling thread sleeps until it has exec'd or exited. So it
 * costs the same in a process of any size, no lock can be copied in a locked
 * state, and the child can say in plain memory why it failed. clone with
 * CLONE_VM and CLONE_VFORK is used for it, as the C libraries' posix_spawn
 * does: vfork itself shares the stack too, which a compiler cannot know.
 *
 * posix_spawn was rejected because it cannot set a resource limit, and setting
 * the child's from outside, afterwards, is a race that the child can win.
 *
 * Everything that needs memory or a lock is done before. In the child are
 * system calls alone. All signals are blocked around it, so that no handler of
 * the parent's runs in the child; the dispositions go back to the default with
 * raw system calls, since the C library (and a sanitizer) keep books about them
 * in the memory that is the parent's.
 */
#include "permits/descriptors_internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/spawn.h>

/* ThreadSanitizer stands in for clone, and takes it for a fork; glibc has the
   function under a second name. */
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

#define STACK_BYTES ((size_t)65536)
#define SIGNALS_MAX 64

extern char **environ;

/* What the child has to know, and how it says what went wrong. */
struct child {
    char **candidates; /* paths to try, ended by NULL */
    char *const *arguments;
    char *const *environment;
    const char *directory;
    const int *descriptors;
    bool own_group;
    bool own_session;
    bool has_limit;
    struct rlimit limit;
    volatile int error;
};

/* ---- where the program may be ------------------------------------------ */

/* One candidate for each directory of PATH, in one allocation. */
static char **candidates_in_path(const char *file) {
    const char *path = getenv("PATH");
    if (!path) {
        path = "/bin:/usr/bin";
    }
    size_t directories = 1;
    for (const char *at = path; *at; at++) {
        directories += *at == ':';
    }
    size_t pointers = (directories + 1) * sizeof(char *);
    size_t bytes = strlen(path) + directories * (strlen(file) + 3);
    char **candidates = malloc(pointers + bytes);
    if (!candidates) {
        return NULL;
    }
    char *text = (char *)candidates + pointers;
    for (size_t i = 0; i < directories; i++) {
        size_t length = strcspn(path, ":");
        candidates[i] = text;
        if (length > 0) { /* an empty one is the present directory */
            memcpy(text, path, length);
            text += length;
            *text++ = '/';
        }
        strcpy(text, file);
        text += strlen(file) + 1;
        path += length + (path[length] == ':');
    }
    candidates[directories] = NULL;
    return candidates;
}

static char **candidates_for(const char *file) {
    if (*file != '\0' && !strchr(file, '/')) {
        return candidates_in_path(file);
    }
    char **candidates = malloc(2 * sizeof(char *) + strlen(file) + 1);
    if (candidates) {
        candidates[0] = strcpy((char *)(candidates + 2), file);
        candidates[1] = NULL;
    }
    return candidates;
}

/* ---- in the child ------------------------------------------------------ */

#define IN_CHILD                                                               \
    __attribute__((__noinline__, __no_sanitize__("address"),                   \
                   __no_sanitize__("thread"), __no_sanitize__("undefined")))

IN_CHILD static void default_dispositions(void) {
    /* The kernel's struct sigaction differs from machine to machine; all zeros
       is SIG_DFL, no flags and an empty mask on each. */
    static const char zeros[256];
    for (int signal = 1; signal <= SIGNALS_MAX; signal++) {
        syscall(SYS_rt_sigaction, signal, zeros, NULL, SIGNALS_MAX / 8);
    }
}

/* A child that one of them ends here leaves nothing behind in the C library. */
IN_CHILD static void unblock_signals(void) {
    static const char none[SIGNALS_MAX / 8];
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, sizeof none);
}

/* Makes `from` the descriptor `to`, open across exec. */
IN_CHILD static int install(int from, int to) {
    if (from != to) {
        return dup2(from, to) < 0 ? errno : 0;
    }
    /* One that is not open in the parent is not open here. */
    return fcntl(to, F_SETFD, 0) < 0 && errno != EBADF ? errno : 0;
}

/* What stood there is of no use any more, and may be the last descriptor that
   the limit allows. */
IN_CHILD static int install_null(int to) {
    close(to);
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0) {
        return errno;
    }
    int error = install(fd, to);
    if (fd != to) {
        close(fd);
    }
    return error;
}

/* First those that stand in the place of another are moved out of the way. */
IN_CHILD static int install_descriptors(const int *descriptors) {
    int from[3];
    for (int i = 0; i < 3; i++) {
        from[i] = descriptors[i];
        if (from[i] >= 0 && from[i] < 3 && from[i] != i) {
            from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3);
            if (from[i] < 0) {
                return errno;
            }
        }
    }
    int error = 0;
    for (int i = 0; i < 3 && !error; i++) {
        error = from[i] < 0 ? install_null(i) : install(from[i], i);
    }
    return error;
}

IN_CHILD static int prepare(const struct child *child) {
    default_dispositions();
    /* It leads no group yet, so this cannot fail; it leads one thereafter. */
    if (child->own_session && setsid() < 0) {
        return errno;
    }
    if (child->own_group && !child->own_session && setpgid(0, 0) != 0) {
        return errno;
    }
    int error =
        child->descriptors ? install_descriptors(child->descriptors) : 0;
    if (error) {
        return error;
    }
    if (child->directory && chdir(child->directory) != 0) {
        return errno;
    }
    if (child->has_limit && setrlimit(RLIMIT_NOFILE, &child->limit) != 0) {
        return errno;
    }
    return 0;
}

/* Whether the program may still be in another directory: the last three come
   from file systems of other machines. */
IN_CHILD static bool is_elsewhere(int error) {
    return error == ENOENT || error == ENOTDIR || error == ESTALE ||
           error == ENODEV || error == ETIMEDOUT;
}

/* As execvp does: a directory that cannot be looked into hides the rest no more
   than one without the program, but is told if none has it. */
IN_CHILD static int run(const struct child *child) {
    int error = ENOENT;
    for (char **candidate = child->candidates; *candidate; candidate++) {
        execve(*candidate, child->arguments, child->environment);
        if (errno == EACCES) {
            error = EACCES;
        } else if (!is_elsewhere(errno)) {
            return errno;
        }
    }
    return error;
}

IN_CHILD static int child_main(void *context) {
    struct child *child = context;
    int error = prepare(child);
    if (!error) {
        unblock_signals();
        error = run(child);
    }
    child->error = error;
    /* Not _exit, where a sanitizer sums up what is the parent's. */
    syscall(SYS_exit_group, 127);
    return 127;
}

/* ---- in the parent ----------------------------------------------------- */

/* Reaps a child that ended before it exec'd. Whether there was one. */
static bool has_died(pid_t child) {
    pid_t reaped;
    do {
        reaped = waitpid(child, NULL, (int)__WCLONE);
    } while (reaped < 0 && errno == EINTR);
    return reaped == child;
}

/* The whole address space is shared until the child execs, so it runs on memory
   that nobody else uses: from malloc, since to map and unmap it for each child
   interrupts every core that runs a thread of this process, and each page of it
   is a fault. The child is no child with SIGCHLD before it execs, when the
   kernel makes it one: one that fails is seen by no handler, and by no wait for
   any child. One that was killed before it exec'd said nothing, and is known by
   being such a child still: of one that has exec'd, the wait says at once that
   there is none. */
static int start(struct child *child, pid_t *pid) {
    char *stack = malloc(STACK_BYTES);
    if (!stack) {
        return errno;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t started =
        clone(child_main, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, child);
    int error = started < 0 ? errno : child->error;
    if (started > 0 && has_died(started) && !error) {
        error = EINTR;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    *pid = error ? -1 : started;
    return error;
}

static int spawn(pid_t *pid, const char *file, char *const *arguments,
                 const weir_spawn_options_t *given) {
    const weir_spawn_options_t defaults = {0};
    const weir_spawn_options_t *options = given ? given : &defaults;
    struct child child = {
        .candidates = candidates_for(file),
        .arguments = arguments,
        .environment = options->environment ? options->environment : environ,
        .directory = options->directory,
        .descriptors = options->descriptors,
        .own_group = (options->flags & WEIR_SPAWN_OWN_GROUP) != 0,
        .own_session = (options->flags & WEIR_SPAWN_OWN_SESSION) != 0,
    };
    if (!child.candidates) {
        return ENOMEM;
    }
    child.has_limit = weir__descriptor_childs_limit(&child.limit);
    int error = start(&child, pid);
    free(child.candidates);
    return error;
}

int weir_spawn(pid_t *pid, const char *file, char *const *arguments,
               const weir_spawn_options_t *options) {
    int cancelling;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    int error = spawn(pid, file, arguments, options);
    pthread_setcancelstate(cancelling, NULL);
    return error;
}

/* Where 0, 1 or 2 are not open the system gives them to whoever opens next; but a
   child inherits what stands there. */
static int above_standard(int fd) {
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return moved;
}

int weir_spawn_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = above_standard(ends[i]);
        if (ends[i] < 0) {
            int error = errno;
            close(ends[1 - i]);
            return error;
        }
    }
    return 0;
}

/* The number is the same for all machines. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

int weir_spawn_descriptor(pid_t pid) {
    return above_standard((int)syscall(SYS_pidfd_open, pid, 0));
}
