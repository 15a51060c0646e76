/*
 * stops.c: runs commands of a shell at chosen calls of a program, while no other call to files is under way.
 *
 * STOPS has a line for each stop: enter|leave CALL N PATH COMMAND
 *
 * The N-th CALL (counted from 1, over all threads) on PATH is the stop; `enter` is before the call,
 * `leave` after it. PATH is compared with the path that the call names, or that its descriptor was
 * opened by. The thread of the call runs the command, while no other call on files is under way. A
 * further line takes effect after the stop before it was reached. The file STOPS_REPORT gets a line
 * for each stop that was reached and for each command that failed.
 *
 * CALL is one of the names in `name_of`. The command `store PATH BYTE` fills a file through a mapping,
 * which no program does. Children of the program are left alone.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- commands ---------------------------------------------------------------------------- */

/* Fills a file through a mapping. */
static int store(const char *path, char byte) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        return -1;
    }
    size_t size = (size_t)status.st_size;
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) {
        return -1;
    }
    memset(bytes, byte, size);
    return munmap(bytes, size);
}

static int run(char *command) {
    char path[PATH_MAX], byte;
    if (sscanf(command, "store %4095s %c", path, &byte) == 2) {
        return store(path, byte);
    }
    char *words[] = {"sh", "-ec", command, NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    pid_t child;
    int status = -1;
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environment) == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return status;
}

/* ---- stops ------------------------------------------------------------------------------ */

struct stop {
    const char *when, *call, *path;
    int left; /* calls up to this one */
    char *command;
};

static struct stop stops[4];
static struct stop *stop =
    stops; /* the next one; without a command at the end */

/* Held during each call on files, and during the actions before and after it. */
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local bool is_inside, is_leaving, is_acting;

static void say(const char *format, const char *first, const char *second) {
    char line[2 * PATH_MAX];
    snprintf(line, sizeof line, format, first, second);
    int fd = open(getenv("STOPS_REPORT"),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (write(fd, line, strlen(line)) < 0) {
        abort();
    }
    close(fd);
}

static void act(void) {
    is_acting = true;
    say("reached: %s %s\n", stop->call, stop->path);
    if (run(stop->command) != 0) {
        say("failed: %s%s\n", stop->command, "");
    }
    stop++;
    is_acting = false;
}

/* The name of a call on files in STOPS; NULL for another call. */
static const char *name_of(enum fault_call call, const char *path) {
    switch (call) {
    case CALL_getdents64:
        return "list";
    case CALL_open:
    case CALL_openat:
    case CALL_openat2:
        return "open";
    case CALL_stat:
    case CALL_lstat:
    case CALL_fstat:
    case CALL_fstatat:
    case CALL_statx:
        return path && *path ? "stat" : "fstat";
    case CALL_read:
    case CALL_pread:
        return "read";
    case CALL_close:
        return "close";
    case CALL_rename:
    case CALL_renameat:
    case CALL_renameat2:
        return "rename";
    default:
        return NULL;
    }
}

/* True if a path, or the end of it after a slash, is the one of the stop. Both are without `.` and
   a slash at the end. */
static bool is_path(int fd, const char *path) {
    char text[PATH_MAX];
    fault_describe(fd, path && *path ? path : NULL, text, sizeof text);
    size_t length = strlen(text), wanted = strlen(stop->path);
    return length >= wanted &&
           strcmp(text + length - wanted, stop->path) == 0 &&
           (length == wanted || text[length - wanted - 1] == '/');
}

static bool is_stop(const char *name, int fd, const char *path) {
    return stop->command && strcmp(stop->call, name) == 0 &&
           is_path(fd, path) && --stop->left == 0;
}

bool stops_are_set(void) { return stops[0].command; }

void stops_enter(enum fault_call call, int fd, const char *path) {
    const char *name =
        stops_are_set() && !is_acting ? name_of(call, path) : NULL;
    if (!name) {
        return;
    }
    pthread_mutex_lock(&calls);
    is_inside = true;
    if (is_stop(name, fd, path)) {
        is_leaving = strcmp(stop->when, "leave") == 0;
        if (!is_leaving) {
            act();
        }
    }
}

void stops_leave(void) {
    if (!is_inside || is_acting) {
        return;
    }
    int error = errno;
    if (is_leaving) {
        act();
    }
    is_inside = is_leaving = false;
    pthread_mutex_unlock(&calls);
    errno = error;
}

/* A lane without work looks at the others each millisecond, and takes files of one that stands
   still: then they are opened by other calls than those of the stops. It looks a minute later, when
   the run is over, also on a machine that is busy. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until) {
    static __typeof__(&pthread_cond_timedwait) _Atomic found;
    __typeof__(&pthread_cond_timedwait) next = atomic_load(&found);
    if (!next) {
        /* Without a version, dlsym finds the one of 1999, which has conditions of another size. */
        void *now = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
        now = now ? now : dlsym(RTLD_NEXT, "pthread_cond_timedwait");
        next = (__typeof__(&pthread_cond_timedwait))now;
        atomic_store(&found, next);
    }
    struct timespec later = *until;
    if (stops_are_set()) {
        later.tv_sec += 60;
    }
    return next(condition, mutex, &later);
}

__attribute__((constructor)) static void begin(void) {
    char *text = getenv("STOPS"), *rest;
    if (!text || getenv("STOPS_CHILD")) {
        return;
    }
    setenv("STOPS_CHILD", "1", 1);
    text = strdup(text);
    for (struct stop *next = stops; (next->when = strtok_r(text, " ", &rest));
         next++) {
        next->call = strtok_r(NULL, " ", &rest);
        next->left = atoi(strtok_r(NULL, " ", &rest));
        next->path = strtok_r(NULL, " ", &rest);
        next->command = strtok_r(NULL, "\n", &rest);
        text = rest;
    }
}
