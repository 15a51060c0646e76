/*
 * slow_storage.c: a library for LD_PRELOAD that makes storage slow, as a server
 * is: each open takes SLOW_OPEN microseconds more, and listing a directory
 * SLOW_LISTING. With SLOW_RANDOM they take anything from 0 to that. A listing
 * of a directory named SLOW_DEAD never ends. The file SLOW_REPORT gets the
 * numbers of calls of getdents64 and getrusage at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic unsigned listings, usages;

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("SLOW_REPORT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%u %u\n", listings, usages);
        fclose(file);
    }
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    usages++;
    return (int)syscall(SYS_getrusage, who, usage);
}

static void wait_for(const char *variable) {
    static _Atomic unsigned calls;
    const char *text = getenv(variable);
    long microseconds = text ? atol(text) : 0;
    if (microseconds <= 0) {
        return;
    }
    if (getenv("SLOW_RANDOM")) {
        unsigned seed = atomic_fetch_add(&calls, 1) + (unsigned)getpid();
        microseconds = rand_r(&seed) % microseconds;
    }
    const struct timespec time = {microseconds / 1000000,
                                  microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static int is_dead(int directory) {
    const char *name = getenv("SLOW_DEAD");
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = name ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0) {
        return 0;
    }
    path[length] = '\0';
    const char *last = strrchr(path, '/');
    return last && strcmp(last + 1, name) == 0;
}

typedef int opener(int directory, const char *path, int flags, ...);

static int slow_open(const char *symbol, int directory, const char *path,
                     int flags, mode_t mode) {
    opener *next = (opener *)dlsym(RTLD_NEXT, symbol);
    wait_for("SLOW_OPEN");
    return next(directory, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return slow_open("openat", directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return slow_open("openat64", directory, path, flags, mode);
}

long syscall(long number, ...) {
    long arguments[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(more, long);
    }
    va_end(more);
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    listings += number == SYS_getdents64;
    if (number == SYS_openat2) {
        wait_for("SLOW_OPEN");
    }
    while (number == SYS_getdents64 && is_dead((int)arguments[0])) {
        pause();
    }
    long result = next(number, arguments[0], arguments[1], arguments[2],
                       arguments[3], arguments[4], arguments[5]);
    if (number == SYS_getdents64 && result == 0) {
        wait_for("SLOW_LISTING"); /* once a directory, at its end */
    }
    return result;
}
