/*
 * spawn.c: starts child processes.
 *
 * DESIGN. The child may run in the parent's memory until it executes the
 * program (system/child.h). So everything that needs memory or a lock is done
 * before. posix_spawn was rejected because it cannot set a resource limit.
 */
#include "permits/descriptors_internal.h"
#include "system/child.h"
#include "system/variables.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <weir/spawn.h>
#include <weir/spi.h>

struct launch {
    char **candidates; /* paths to try, ended by NULL */
    char *const *arguments;
    char *const *environment;
    const char *directory;
    const int *descriptors;
    bool own_group;
    bool own_session;
    bool has_limit;
    struct rlimit limit;
};

/* ---- the program's path ------------------------------------------------ */

/* Returns a candidate for each directory of PATH, in one allocation. */
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
        if (length > 0) { /* an empty one is the working directory */
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

/* Makes `from` the descriptor `to`, open across exec. */
WEIR_IN_CHILD static int install_descriptor(int from, int to) {
    if (from != to) {
        while (dup2(from, to) < 0) {
            if (errno != EINTR) {
                return errno;
            }
        }
        return 0;
    }
    /* If it is not open in the parent, it stays closed in the child. */
    return fcntl(to, F_SETFD, 0) < 0 && errno != EBADF ? errno : 0;
}

/* Closes `to` first: it may be the last descriptor that the limit allows. */
WEIR_IN_CHILD static int install_null(int to) {
    close(to);
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) < 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    int error = install_descriptor(fd, to);
    if (fd != to) {
        close(fd);
    }
    return error;
}

/* Descriptors in the place of another one are first moved out of the way. */
WEIR_IN_CHILD static int install_descriptors(const int *descriptors) {
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
        error = from[i] < 0 ? install_null(i) : install_descriptor(from[i], i);
    }
    return error;
}

WEIR_IN_CHILD static int prepare(const struct launch *launch) {
    /* The child leads no group yet, so setsid cannot fail. */
    if (launch->own_session && setsid() < 0) {
        return errno;
    }
    if (launch->own_group && !launch->own_session && setpgid(0, 0) != 0) {
        return errno;
    }
    int error =
        launch->descriptors ? install_descriptors(launch->descriptors) : 0;
    if (error) {
        return error;
    }
    if (launch->directory && chdir(launch->directory) != 0) {
        return errno;
    }
    if (launch->has_limit && setrlimit(RLIMIT_NOFILE, &launch->limit) != 0) {
        return errno;
    }
    return 0;
}

/* True if another directory may have it. The last errors are of servers. */
WEIR_IN_CHILD static bool may_be_elsewhere(int error) {
    return error == ENOENT || error == ENOTDIR || error == ESTALE ||
           error == ENODEV || error == ETIMEDOUT;
}

/* Like execvp, but EACCES is reported if no directory has the program. */
WEIR_IN_CHILD static int execute(const struct launch *launch) {
    int error = ENOENT;
    for (char **candidate = launch->candidates; *candidate; candidate++) {
        execve(*candidate, launch->arguments, launch->environment);
        if (errno == EACCES) {
            error = EACCES;
        } else if (!may_be_elsewhere(errno)) {
            return errno;
        }
    }
    return error;
}

WEIR_IN_CHILD static int prepare_and_execute(void *context) {
    const struct launch *launch = context;
    int error = prepare(launch);
    if (error) {
        return error;
    }
    weir__child_unblock_signals();
    return execute(launch);
}

/* ---- in the parent ----------------------------------------------------- */

static int spawn(pid_t *pid, const char *file, char *const *arguments,
                 const weir_spawn_options_t *given) {
    const weir_spawn_options_t defaults = {0};
    const weir_spawn_options_t *options = given ? given : &defaults;
    if (!weir__reserves_zero(options) ||
        !weir__knows_flags(options->flags, WEIR_SPAWN_OWN_SESSION)) {
        return EINVAL;
    }
    struct launch launch = {
        .candidates = candidates_for(file),
        .arguments = arguments,
        .environment =
            options->environment ? options->environment : weir__environment(),
        .directory = options->directory,
        .descriptors = options->descriptors,
        .own_group = (options->flags & WEIR_SPAWN_OWN_GROUP) != 0,
        .own_session = (options->flags & WEIR_SPAWN_OWN_SESSION) != 0,
    };
    if (!launch.candidates) {
        return ENOMEM;
    }
    launch.has_limit = weir__descriptor_child_limit(&launch.limit);
    int error = weir__child_start(prepare_and_execute, &launch, pid);
    free(launch.candidates);
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

/* Moves a descriptor above 2: children inherit 0, 1 and 2. */
static int move_above_standard(int fd) {
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
    int error = weir__child_pipe(ends);
    if (error) {
        return error;
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = move_above_standard(ends[i]);
        if (ends[i] < 0) {
            error = errno;
            close(ends[1 - i]);
            return error;
        }
    }
    return 0;
}

int weir_spawn_descriptor(pid_t pid) {
    return move_above_standard(weir__child_descriptor(pid));
}

int weir_spi_spawn_input(const void *bytes, size_t count, int *input) {
    int fd = move_above_standard(weir__child_memory());
    for (size_t done = 0; fd >= 0 && done < count;) {
        ssize_t written =
            pwrite(fd, (const char *)bytes + done, count - done, (off_t)done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            int error = errno;
            close(fd);
            return error;
        }
    }
    *input = fd;
    return fd < 0 ? errno : 0;
}
