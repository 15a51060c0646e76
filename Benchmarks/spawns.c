/*
 * spawns.c: what starting children costs at least: as many threads as asked
 * for, each with posix_spawn, two pipes that it reads to their end, and waitpid,
 * and nothing else. Each has its number as its last argument: true(1) does more
 * with one.
 *
 *     spawns THREADS COUNT PROGRAM [ARGUMENT ...]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char **command; /* and a place for the number */
static int words;
static long count;
static _Atomic long next;
static _Atomic long failed;

static void fail(const char *what, int error) {
    fprintf(stderr, "spawns: %s: %s\n", what, strerror(error));
    exit(2);
}

static pid_t start(long number, int out, int err) {
    char text[24], *arguments[words + 2];
    snprintf(text, sizeof text, "%ld", number);
    memcpy(arguments, command, (size_t)words * sizeof *arguments);
    arguments[words] = text;
    arguments[words + 1] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t pid;
    int error = posix_spawnp(&pid, command[0], &actions, &attributes, arguments,
                             environ);
    if (error) {
        fail(command[0], error);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return pid;
}

static void read_both(int out, int err) {
    static _Thread_local char buffer[65536];
    struct pollfd ends[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    int open = 2;
    while (open > 0) {
        if (poll(ends, 2, -1) < 0 && errno != EINTR) {
            fail("poll", errno);
        }
        for (int i = 0; i < 2; i++) {
            if (ends[i].fd >= 0 && ends[i].revents &&
                read(ends[i].fd, buffer, sizeof buffer) <= 0) {
                close(ends[i].fd);
                ends[i].fd = -1;
                open--;
            }
        }
    }
}

static void *work(void *unused) {
    long number;
    while ((number = atomic_fetch_add(&next, 1)) < count) {
        int out[2], err[2], status;
        if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
            fail("pipe", errno);
        }
        pid_t pid = start(number + 1, out[1], err[1]);
        close(out[1]);
        close(err[1]);
        read_both(out[0], err[0]);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        atomic_fetch_add(&failed, status != 0);
    }
    return unused;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fputs("usage: spawns THREADS COUNT PROGRAM [ARGUMENT ...]\n", stderr);
        return 2;
    }
    long threads = atol(argv[1]);
    count = atol(argv[2]);
    command = argv + 3;
    words = argc - 3;
    pthread_t thread[256];
    for (long i = 0; i < threads && i < 256; i++) {
        int error = pthread_create(&thread[i], NULL, work, NULL);
        if (error) {
            fail("thread", error);
        }
    }
    for (long i = 0; i < threads && i < 256; i++) {
        pthread_join(thread[i], NULL);
    }
    return failed > 0;
}
