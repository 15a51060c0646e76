/*
 * weir/spawn.h: starting child processes from a program with many threads.
 *
 * A process with libdispatch in it must not fork and go on. posix_spawn from
 * one of libdispatch's threads gives the child that thread's signal mask, which
 * blocks INT and TERM among others. weir_spawn starts a child with an empty
 * mask, default dispositions, and the descriptor limit from before
 * weir_descriptor_raise_limit.
 */
#ifndef WEIR_SPAWN_H
#define WEIR_SPAWN_H

#include <sys/types.h>

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @constant WEIR_SPAWN_OWN_GROUP   the child leads a process group of its own:
 *                                  kill(-pid, ...) reaches its children too,
 *                                  and the terminal's interrupt does not reach
 *                                  it
 * @constant WEIR_SPAWN_OWN_SESSION the child leads a session of its own, which
 *                                  includes a group. It has no terminal: to
 *                                  open /dev/tty is an error (ENXIO), while a
 *                                  child with only a group is stopped as soon
 *                                  as it reads from the terminal.
 */
typedef enum {
    WEIR_SPAWN_OWN_GROUP = 1,
    WEIR_SPAWN_OWN_SESSION = 2
} weir_spawn_flags_t;

/*!
 * Options of a child. Zeroed fields mean the default.
 *
 * @field descriptors three descriptors of this process, which become the
 *                    child's descriptors 0, 1 and 2; -1 stands for /dev/null.
 *                    NULL passes on this process's own. A descriptor in its own
 *                    place (0 as the first, say) that is closed here is closed
 *                    in the child. All others are closed in the child if they
 *                    are close-on-exec, as all of Weir's are.
 * @field directory   the child's working directory, or NULL for this process's;
 *                    a relative file is searched from there
 * @field environment the child's environment, or NULL for this process's
 * @field flags       WEIR_SPAWN_OWN_GROUP, WEIR_SPAWN_OWN_SESSION, or 0
 */
typedef struct {
    const int *WEIR_NULLABLE descriptors;
    const char *WEIR_NULLABLE directory;
    char *WEIR_NULLABLE const *WEIR_NULLABLE environment;
    unsigned flags;
    uintptr_t reserved[8];
} weir_spawn_options_t;

/*!
 * Starts a program as a child. On Linux by vfork and never by fork, so that it
 * costs the same in a process of any size; elsewhere by fork.
 *
 * @param pid       Receives the child's process id. The caller waits for the
 *                  child (waitpid).
 * @param file      The program: a path if it has a slash, else a name to search
 *                  in this process's PATH. A file without an executable format
 *                  is not passed to a shell.
 * @param arguments The argument vector with arguments[0], ended by NULL.
 * @param options   The options; NULL for the defaults.
 *
 * @result 0 when the program runs; else an errno value, and there is no child:
 * ENOENT or EACCES for the file, E2BIG for its arguments, ENOENT or ENOTDIR for
 * the directory, EAGAIN or ENOMEM if no more processes can be created, EINTR if
 * a signal ended the child before it ran the program. Blocks until the child
 * has begun to run the program. A failure sends no SIGCHLD on Linux. Elsewhere
 * it does, two more descriptors are open for a moment, and EINTR is not
 * reported.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_spawn(pid_t *pid, const char *file,
           char *WEIR_NULLABLE const *WEIR_NONNULL arguments,
           const weir_spawn_options_t *WEIR_NULLABLE options);

/*! Creates a pipe for a child. Both ends, to read from and to write to, are
 *  close-on-exec from the beginning, so that no other child inherits one and
 *  keeps the pipe from ending, and neither is 0, 1 or 2, even if these are
 *  closed. Returns 0, EMFILE or ENFILE. */
WEIR_EXPORT WEIR_WARN_RESULT int weir_spawn_pipe(int ends[WEIR_NONNULL 2]);

/*!
 * Creates a descriptor that poll reports as readable when a child has ended (a
 * pidfd on Linux, a kqueue on Darwin and FreeBSD), so that a caller can wait
 * for the child and its pipes together, or with a time-out. The child has not
 * been waited for.
 *
 * @result The descriptor, close-on-exec, which the caller closes; -1 with
 * errno: ENOSYS or EPERM if the system has none (Linux before 5.3) or refuses
 * it, EMFILE, ESRCH. Do not watch it with epoll and close it there: a child
 * that is being started has a copy of it for a moment.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_spawn_descriptor(pid_t pid);

WEIR_END_DECLS

#endif /* WEIR_SPAWN_H */
