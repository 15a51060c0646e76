/*
 * library_calls.c: fails system calls of a program that is linked with Weir, as
 * faults.h says. A child that shares the program's memory runs some of these
 * functions too: they only make system calls.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)

static long (*real_syscall)(long number, ...);
static int (*real_clone)(int (*body)(void *), void *stack, int flags,
                         void *context, ...);

__attribute__((constructor)) static void find_real_functions(void) {
    *(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
    *(void **)&real_clone = dlsym(RTLD_NEXT, "clone");
}

/* Other libraries make calls before this one is initialized. */
static long (*kernel_call(void))(long number, ...) {
    if (!real_syscall) {
        find_real_functions();
    }
    return real_syscall;
}

#define KERNEL(...) kernel_call()(__VA_ARGS__)
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Returns true if the call is to fail, with errno. */
static bool fails(enum fault_kind kind, const void *caller) {
    if (!fault_hits(kind, caller)) {
        return false;
    }
    errno = fault_plan.error;
    return true;
}

/* Reduces the size of a read if it is to be short. Returns true if it is to
   fail. */
static bool fails_or_cuts(enum fault_kind kind, const void *caller,
                          size_t *size) {
    if (!fails(kind, caller)) {
        return false;
    }
    if (fault_plan.error == FAULT_SHORT) {
        *size = *size > 1 ? *size / 2 : *size;
        return false;
    }
    return true;
}

/* ---- opening ----------------------------------------------------------------- */

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(FAULT_OPEN, CALLER)
               ? -1
               : (int)KERNEL(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(FAULT_OPEN, CALLER)
               ? -1
               : (int)KERNEL(SYS_openat, directory, path, flags, mode);
}

int mkostemp(char *path, int flags) {
    return fails(FAULT_OPEN, CALLER) ? -1 : REAL(mkostemp)(path, flags);
}

long syscall(long number, ...) {
    va_list rest;
    long words[6];
    va_start(rest, number);
    for (int i = 0; i < 6; i++) {
        words[i] = va_arg(rest, long);
    }
    va_end(rest);
    bool has_failed = false;
    size_t size = (size_t)words[2];
    switch (number) {
    case SYS_openat2:
        has_failed = fails(FAULT_BENEATH, CALLER);
        break;
    case SYS_getdents64:
        has_failed = fails_or_cuts(FAULT_DIRECTORY, CALLER, &size);
        words[2] = size < 1024 ? words[2] : (long)size;
        break;
    case 434: /* pidfd_open */
        has_failed = fails(FAULT_PIDFD, CALLER);
    }
    return has_failed ? -1
                      : KERNEL(number, words[0], words[1], words[2], words[3],
                               words[4], words[5]);
}

/* ---- status ------------------------------------------------------------------- */

int fstat(int descriptor, struct stat *status) {
    return fails(FAULT_STAT, CALLER) ? -1 : REAL(fstat)(descriptor, status);
}

int stat(const char *path, struct stat *status) {
    return fails(FAULT_STAT, CALLER) ? -1 : REAL(stat)(path, status);
}

int fstatat(int directory, const char *path, struct stat *status, int flags) {
    return fails(FAULT_STAT, CALLER)
               ? -1
               : REAL(fstatat)(directory, path, status, flags);
}

int fstatfs(int descriptor, struct statfs *system) {
    return fails(FAULT_STATFS, CALLER) ? -1 : REAL(fstatfs)(descriptor, system);
}

int statfs(const char *path, struct statfs *system) {
    return fails(FAULT_STATFS, CALLER) ? -1 : REAL(statfs)(path, system);
}

ssize_t readlink(const char *path, char *target, size_t size) {
    return fails(FAULT_LINK, CALLER)
               ? -1
               : KERNEL(SYS_readlinkat, AT_FDCWD, path, target, size);
}

ssize_t readlinkat(int directory, const char *path, char *target, size_t size) {
    return fails(FAULT_LINK, CALLER)
               ? -1
               : KERNEL(SYS_readlinkat, directory, path, target, size);
}

/* ---- reading and writing -------------------------------------------------------- */

ssize_t read(int descriptor, void *bytes, size_t size) {
    return fails_or_cuts(FAULT_READ, CALLER, &size)
               ? -1
               : KERNEL(SYS_read, descriptor, bytes, size);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
    return fails_or_cuts(FAULT_PREAD, CALLER, &size)
               ? -1
               : KERNEL(SYS_pread64, descriptor, bytes, size, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    return fails_or_cuts(FAULT_WRITE, CALLER, &size)
               ? -1
               : KERNEL(SYS_write, descriptor, bytes, size);
}

off_t lseek(int descriptor, off_t offset, int from) {
    return fails(FAULT_SEEK, CALLER)
               ? -1
               : KERNEL(SYS_lseek, descriptor, offset, from);
}

int poll(struct pollfd *polled, nfds_t count, int timeout) {
    return fails(FAULT_POLL, CALLER)
               ? -1
               : (int)KERNEL(SYS_poll, polled, count, timeout);
}

int rename(const char *from, const char *to) {
    return fails(FAULT_RENAME, CALLER) ? -1 : REAL(rename)(from, to);
}

/* ---- children ---------------------------------------------------------------------- */

int fcntl(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    long word = va_arg(rest, long);
    va_end(rest);
    return fails(FAULT_FCNTL, CALLER)
               ? -1
               : (int)KERNEL(SYS_fcntl, descriptor, command, word);
}

int pipe2(int ends[2], int flags) {
    return fails(FAULT_PIPE, CALLER) ? -1 : (int)KERNEL(SYS_pipe2, ends, flags);
}

int clone(int (*body)(void *), void *stack, int flags, void *context, ...) {
    return fails(FAULT_CLONE, CALLER) ? -1
                                      : real_clone(body, stack, flags, context);
}

pid_t waitpid(pid_t child, int *status, int options) {
    return fails(FAULT_WAIT, CALLER)
               ? -1
               : (pid_t)KERNEL(SYS_wait4, child, status, options, NULL);
}

int dup2(int from, int to) {
    return fails(FAULT_CHILD, CALLER) ? -1 : (int)KERNEL(SYS_dup3, from, to, 0);
}

int chdir(const char *path) {
    return fails(FAULT_CHILD, CALLER) ? -1 : (int)KERNEL(SYS_chdir, path);
}

int execve(const char *path, char *const *arguments, char *const *environment) {
    return fails(FAULT_EXEC, CALLER)
               ? -1
               : (int)KERNEL(SYS_execve, path, arguments, environment);
}

/* ---- the system ----------------------------------------------------------------------- */

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
    return fails(FAULT_LIMIT, CALLER)
               ? -1
               : (int)KERNEL(SYS_prlimit64, 0, resource, NULL, limit);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    return fails(FAULT_LIMIT, CALLER)
               ? -1
               : (int)KERNEL(SYS_prlimit64, 0, resource, limit, NULL);
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *cores) {
    return fails(FAULT_AFFINITY, CALLER)
               ? -1
               : REAL(sched_getaffinity)(thread, size, cores);
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *cores) {
    return fails(FAULT_AFFINITY, CALLER)
               ? -1
               : REAL(sched_setaffinity)(thread, size, cores);
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    return fails(FAULT_USAGE, CALLER) ? -1 : REAL(getrusage)(who, usage);
}

/* ---- streams and directories, for /proc and /sys ---------------------------------- */

FILE *fopen(const char *path, const char *mode) {
    return fails(FAULT_STREAM, CALLER) ? NULL : REAL(fopen)(path, mode);
}

DIR *opendir(const char *path) {
    return fails(FAULT_STREAM, CALLER) ? NULL : REAL(opendir)(path);
}

struct dirent *readdir(DIR *directory) {
    return fails(FAULT_STREAM, CALLER) ? NULL : REAL(readdir)(directory);
}
