/*
 * weir/spawn.h: starting children from a program full of threads.
 *
 * A process with libdispatch in it must not fork and go on (the guide:
 * "a forked child process may only exec"), and posix_spawn from one of
 * libdispatch's threads gives the child their signal mask, which blocks INT and
 * TERM among others, so that it cannot be interrupted. This starts a child
 * with an empty mask, default dispositions, and the descriptor limit the
 * process itself was started with.
 */
#ifndef WEIR_SPAWN_H
#define WEIR_SPAWN_H

#include <sys/types.h>

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @enum weir_spawn_flags_t
 *
 * @constant WEIR_SPAWN_OWN_GROUP the child leads a process group of its own, so
 *                                that kill(-pid, ...) reaches its children too,
 *                                and the terminal's interrupt does not
 * @constant WEIR_SPAWN_OWN_SESSION the child leads a session of its own, and a
 *                                group, with what is said of that; it has no
 *                                terminal: to open /dev/tty is an error
 *                                (ENXIO), where a mere group of its own would
 *                                be stopped as soon as it reads from it
 */
typedef enum {
    WEIR_SPAWN_OWN_GROUP = 1,
    WEIR_SPAWN_OWN_SESSION = 2
} weir_spawn_flags_t;

/*!
 * @struct weir_spawn_options_t
 *
 * @abstract
 * How to start a child. Zeroed fields mean the default.
 *
 * @field descriptors what become the child's descriptors 0, 1 and 2: three
 *                    descriptors of this process, in which -1 stands for
 *                    /dev/null; NULL hands on this process's own. One in its
 *                    own place (0 as the first, say) that is not open here is
 *                    not open there. Any others are closed in the child if they
 *                    are close-on-exec, as all of Weir's are.
 * @field directory   the child's working directory, or NULL for this process's;
 *                    a relative file is looked for from there
 * @field environment the child's, or NULL for this process's
 * @field flags       WEIR_SPAWN_OWN_GROUP, WEIR_SPAWN_OWN_SESSION, or 0
 * @field reserved    zero
 */
typedef struct {
    const int *WEIR_NULLABLE descriptors;
    const char *WEIR_NULLABLE directory;
    char *WEIR_NULLABLE const *WEIR_NULLABLE environment;
    unsigned flags;
    uintptr_t reserved[8];
} weir_spawn_options_t;

/*!
 * @function weir_spawn
 *
 * @abstract
 * Starts a program: by vfork, never fork, so it costs the same in a process of
 * any size.
 *
 * @param pid
 * Where to write the child's process id; waiting for it (waitpid) is the
 * caller's business.
 *
 * @param file
 * The program: a path where there is a slash in it, else a name to be looked up
 * in this process's PATH. A file without an executable format is not handed to
 * a shell.
 *
 * @param arguments
 * The argument vector, arguments[0] and all, ended by NULL.
 *
 * @param options
 * See above; NULL for all defaults.
 *
 * @result
 * 0 once the program runs; else an errno value and there is no child: ENOENT or
 * EACCES for the file, E2BIG for its arguments, ENOENT or ENOTDIR for the
 * directory, EAGAIN or ENOMEM where there can be no more processes, EINTR where
 * a signal ended the child before it ran the program. Blocks the caller until
 * the child has begun to run the program. Where it fails there is no SIGCHLD
 * either.
 */
WEIR_EXPORT int weir_spawn(pid_t *pid, const char *file,
                           char *WEIR_NULLABLE const *WEIR_NONNULL arguments,
                           const weir_spawn_options_t *WEIR_NULLABLE options);

/*!
 * @function weir_spawn_pipe
 *
 * @abstract
 * A pipe for a child: both ends are close-on-exec from the beginning, so that no
 * other child that is started meanwhile gets a copy and keeps it from ending.
 * Neither is 0, 1 or 2, which children inherit, even where those are not open.
 *
 * @param ends
 * Where to write the end that is read from, and the one that is written to.
 *
 * @result
 * 0 or an errno value: EMFILE, ENFILE.
 */
WEIR_EXPORT int weir_spawn_pipe(int ends[WEIR_NONNULL 2]);

/*!
 * @function weir_spawn_descriptor
 *
 * @abstract
 * A descriptor that poll finds readable as soon as a child has ended (a pidfd),
 * so that its end can be waited for along with its pipes, or with a time-out.
 *
 * @param pid
 * A child of this process that has not been waited for.
 *
 * @result
 * The descriptor, close-on-exec, which the caller closes; -1 with errno: ENOSYS
 * or EPERM where the kernel has none (before Linux 5.3) or does not give any,
 * EMFILE, ESRCH. Do not watch it with epoll and close it there: a child that is
 * just being started has a copy of it for a moment.
 */
WEIR_EXPORT int weir_spawn_descriptor(pid_t pid);

WEIR_END_DECLS

#endif /* WEIR_SPAWN_H */
