/*
 * calls.c: counts the calls of a program to libc, and makes some of them fail;
 * faults.h says which.
 *
 * Long because each call has its wrapper here: they share one counter and one
 * report.
 *
 * FAULT_CALL and FAULT_NUMBER name the call, FAULT_ERROR its errno. FAULT_SHORT
 * transfers no more than so many bytes instead; before the call, FAULT_KILL ends
 * the process. With FAULT_ALWAYS all later calls fail too. The file FAULT_REPORT is mapped: it has the numbers of calls
 * and what was hit, even after a SIGKILL. Calls within libc (those of readdir, say) are not seen: the
 * function around them fails instead.
 *
 * Children of the program are left alone. Each holds a shared lock on the
 * report while it lives, so that the tests see the ones that outlive it.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME(name) #name,
static const char *const names[] = {FAULT_CALLS(NAME)};

static struct fault_plan *plan; /* NULL: no call fails */
static char chosen_path[256];   /* empty: calls of every path count */
static _Atomic unsigned chosen_calls;
static pid_t process; /* that of the tool; a call may be one of its child */

/* True under the tool, where waits are shortened and no file is synchronized. */
static bool is_tool(void) { return plan && !&fault_plan; }

/* The system calls themselves. Constructors of other libraries may come first. */
static long (*direct(void))(long, ...) {
    static long (*_Atomic found)(long, ...);
    long (*next)(long, ...) = atomic_load(&found);
    if (!next) {
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
        atomic_store(&found, next);
    }
    return next;
}
#define next_syscall direct()

/* ---- the report --------------------------------------------------------- */

void fault_describe(int fd, const char *path, char *to, size_t room) {
    char link[64];
    room--;
    *to = '\0';
    if (fd >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        long got = next_syscall(SYS_readlinkat, AT_FDCWD, link, to, room);
        size_t length = got > 0 ? (size_t)got : 0;
        to += length;
        room -= length;
        *to = '\0';
        if (path && room > 0) {
            *to++ = '/';
            room--;
        }
    }
    if (path) {
        size_t length = strnlen(path, room);
        memcpy(to, path, length);
        to[length] = '\0';
    }
}

/* Adds the path of a later call that failed, while there is space. */
static void describe_later(int fd, const char *path) {
    char text[512];
    fault_describe(fd, path, text, sizeof text);
    uint32_t length = (uint32_t)strlen(text) + 1;
    uint32_t begin = atomic_fetch_add(&plan->later_length, length);
    if (length > 1 && begin + length <= sizeof plan->later) {
        memcpy(plan->later + begin, text, length);
    }
}

/* Returns true if the path of a call begins or ends with the chosen one, or has
 * it with a dot after it: the name of a temporary file. */
static int is_chosen_path(int fd, const char *path) {
    char text[1024];
    fault_describe(fd, path, text, sizeof text);
    size_t length = strlen(text), wanted = strlen(chosen_path);
    if (length >= wanted && strcmp(text + length - wanted, chosen_path) == 0) {
        return 1;
    }
    if (strncmp(text, chosen_path, wanted) == 0) {
        return 1;
    }
    const char *found = strstr(text, chosen_path);
    return found && found[wanted] == '.';
}

/* Returns the number of a chosen call: among those of the chosen path if there
 * is one, or 0 if it has another. From the first failure on, all count. */
static unsigned number_of_path(unsigned number, int fd, const char *path) {
    if (!chosen_path[0]) {
        return number;
    }
    if (!(plan->last > plan->first && atomic_load(&plan->hits)) &&
        !is_chosen_path(fd, path)) {
        return 0;
    }
    return atomic_fetch_add(&chosen_calls, 1) + 1;
}

/* Returns true if this call is to fail. Keeps errno. */
static bool hit(enum fault_call call, const void *caller, int fd,
                const char *path) {
    stops_enter(call, fd, path);
    if (!plan || !plan->is_begun ||
        (&fault_plan && caller && !fault_is_of_library(caller))) {
        return false;
    }
    int kind = plan->kind[call];
    unsigned number = atomic_fetch_add(&plan->counts[kind], 1) + 1;
    if (kind != plan->call || plan->first == 0) {
        return false;
    }
    int error = errno;
    number = number_of_path(number, fd, path);
    errno = error;
    if (number < plan->first || number > plan->last) {
        return false;
    }
    if (atomic_fetch_add(&plan->hits, 1) > 0) {
        describe_later(fd, path);
    } else {
        fault_describe(fd, path, plan->path, sizeof plan->path);
    }
    if (plan->kills) {
        kill(process, SIGKILL);
    }
    errno = error;
    return true;
}

bool fault_fails(enum fault_call call, const void *caller, int fd,
                 const char *path) {
    if (!hit(call, caller, fd, path) || !plan->error) {
        return false;
    }
    errno = plan->error;
    return true;
}

#define FAILS(name, fd, path) fault_fails(CALL_##name, CALLER, fd, path)

/* Returns the number of bytes to transfer, or -1 with errno set. */
static ssize_t length_of(enum fault_call call, const void *caller, int fd,
                         size_t count) {
    if (!hit(call, caller, fd, NULL)) {
        return (ssize_t)count;
    }
    if (plan->error) {
        errno = plan->error;
        return -1;
    }
    return plan->short_length > 0 && (size_t)plan->short_length < count
               ? plan->short_length
               : (ssize_t)count;
}

static int open_descriptors(void) {
    char buffer[4096];
    long fd = next_syscall(SYS_openat, AT_FDCWD, "/proc/self/fd",
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = -3; /* ".", ".." and this one */
    long got;
    while ((got = next_syscall(SYS_getdents64, fd, buffer, sizeof buffer)) >
           0) {
        for (long at = 0; at < got;) {
            count++;
            at += *(unsigned short *)(buffer + at + 16);
        }
    }
    next_syscall(SYS_close, fd);
    return count;
}

__attribute__((destructor)) static void end(void) {
    if (is_tool()) {
        plan->open_at_end = open_descriptors();
    }
}

static long number_in(const char *variable) {
    const char *text = getenv(variable);
    return text ? atol(text) : 0;
}

/* Returns true in a child of the tool, which holds a lock on the report. */
static bool is_child(int fd) {
    if (!getenv("FAULT_CHILD")) {
        setenv("FAULT_CHILD", "1", 1);
        return false;
    }
    int kept = (int)next_syscall(SYS_fcntl, fd, F_DUPFD, 500);
    if (kept < 0) {
        kept = (int)next_syscall(SYS_dup, fd);
    }
    next_syscall(SYS_flock, kept, LOCK_SH);
    return true;
}

static void begin_tool(struct fault_plan *made) {
    const char *call = getenv("FAULT_CALL"), *path = getenv("FAULT_PATH");
    made->call = -1;
    for (int i = 0; i < CALL_COUNT; i++) {
        made->kind[i] = (uint8_t)i;
        strncpy(made->name[i], names[i], sizeof made->name[i] - 1);
        if (call && strcmp(call, names[i]) == 0) {
            made->call = i;
        }
    }
    made->first = (uint32_t)number_in("FAULT_NUMBER");
    made->last = getenv("FAULT_ALWAYS") ? UINT32_MAX : made->first;
    made->error = (int)number_in("FAULT_ERROR");
    made->short_length = number_in("FAULT_SHORT");
    made->kills = getenv("FAULT_KILL");
    process = getpid();
    if (path) {
        strncpy(chosen_path, path, sizeof chosen_path - 1);
    }
    made->calls = CALL_COUNT;
    made->open_at_end = -1;
    made->is_begun = true;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_REPORT");
    if (&fault_plan) {
        plan = &fault_plan;
        fault_memory_begins();
    }
    int fd = plan || !path ? -1
                           : (int)next_syscall(SYS_openat, AT_FDCWD, path,
                                               O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (!is_child(fd)) {
        struct fault_plan *made =
            mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (made != MAP_FAILED) {
            begin_tool(made);
            plan = made;
        }
    }
    next_syscall(SYS_close, fd);
}

/* ---- wrappers ----------------------------------------------------------- */

/* The function of the same name in the next library, looked up once. */
#define NEXT(name)                                                             \
    static __typeof__(&name) _Atomic found;                                    \
    __typeof__(&name) next = atomic_load(&found);                              \
    if (!next) {                                                               \
        next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                     \
        atomic_store(&found, next);                                            \
    }

/* A function that fails with `failure`, and has a descriptor and a path. */
#define WRAP(type, name, parameters, arguments, fd, path, failure)             \
    type name parameters {                                                     \
        NEXT(name)                                                             \
        if (FAILS(name, fd, path)) {                                           \
            return failure;                                                    \
        }                                                                      \
        type result = next arguments;                                          \
        stops_leave();                                                         \
        return result;                                                         \
    }

WRAP(int, access, (const char *path, int mode), (path, mode), -1, path, -1)
WRAP(int, chdir, (const char *path), (path), -1, path, -1)
WRAP(int, dup, (int fd), (fd), fd, NULL, -1)
WRAP(int, dup2, (int fd, int to), (fd, to), fd, NULL, -1)
WRAP(int, dup3, (int fd, int to, int flags), (fd, to, flags), fd, NULL, -1)
WRAP(int, execve, (const char *path, char *const a[], char *const e[]),
     (path, a, e), -1, path, -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), fd, NULL, -1)
WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), fd,
     NULL, -1)
WRAP(DIR *, fdopendir, (int fd), (fd), fd, NULL, NULL)
WRAP(int, flock, (int fd, int operation), (fd, operation), fd, NULL, -1)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), -1,
     path, NULL)
WRAP(int, fstat, (int fd, struct stat *to), (fd, to), fd, NULL, -1)
WRAP(int, fstatat, (int fd, const char *path, struct stat *to, int flags),
     (fd, path, to, flags), fd, path, -1)
WRAP(int, fstatfs, (int fd, struct statfs *to), (fd, to), fd, NULL, -1)
WRAP(int, ftruncate, (int fd, off_t length), (fd, length), fd, NULL, -1)
WRAP(char *, getcwd, (char *to, size_t size), (to, size), -1, NULL, NULL)
WRAP(int, gethostname, (char *to, size_t size), (to, size), -1, NULL, -1)
WRAP(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to),
     -1, NULL, -1)
WRAP(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit),
     (what, limit), -1, NULL, -1)
WRAP(int, getrusage, (__rusage_who_t who, struct rusage *to), (who, to), -1,
     NULL, -1)
WRAP(int, link, (const char *from, const char *to), (from, to), -1, to, -1)
WRAP(off_t, lseek, (int fd, off_t to, int whence), (fd, to, whence), fd, NULL,
     -1)
WRAP(int, lstat, (const char *path, struct stat *to), (path, to), -1, path, -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, path, -1)
WRAP(int, mkostemp, (char *path, int flags), (path, flags), -1, path, -1)
WRAP(void *, mmap,
     (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset), fd, NULL, MAP_FAILED)
WRAP(DIR *, opendir, (const char *path), (path), -1, path, NULL)
WRAP(int, pipe, (int ends[2]), (ends), -1, NULL, -1)
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), -1, NULL, -1)
WRAP(int, poll, (struct pollfd * polled, nfds_t count, int limit),
     (polled, count, limit), -1, NULL, -1)
WRAP(struct dirent *, readdir, (DIR * directory), (directory), dirfd(directory),
     NULL, NULL)
WRAP(ssize_t, readlink, (const char *path, char *to, size_t size),
     (path, to, size), -1, path, -1)
WRAP(ssize_t, readlinkat, (int fd, const char *path, char *to, size_t size),
     (fd, path, to, size), fd, path, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, to, -1)
WRAP(int, renameat, (int a, const char *from, int b, const char *to),
     (a, from, b, to), b, to, -1)
WRAP(int, scandir,
     (const char *path, struct dirent ***to,
      int (*filter)(const struct dirent *),
      int (*compare)(const struct dirent **, const struct dirent **)),
     (path, to, filter, compare), -1, path, -1)
WRAP(int, sched_getaffinity, (pid_t thread, size_t size, cpu_set_t *to),
     (thread, size, to), -1, NULL, -1)
WRAP(int, sched_setaffinity, (pid_t thread, size_t size, const cpu_set_t *set),
     (thread, size, set), -1, NULL, -1)
WRAP(char *, setlocale, (int category, const char *locale), (category, locale),
     -1, NULL, NULL)
WRAP(int, sigtimedwait,
     (const sigset_t *set, siginfo_t *to, const struct timespec *limit),
     (set, to, limit), -1, NULL, -1)
WRAP(int, stat, (const char *path, struct stat *to), (path, to), -1, path, -1)
WRAP(int, statfs, (const char *path, struct statfs *to), (path, to), -1, path,
     -1)
WRAP(int, unlink, (const char *path), (path), -1, path, -1)
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags),
     fd, path, -1)
WRAP(int, waitid, (idtype_t type, id_t id, siginfo_t *to, int options),
     (type, id, to, options), -1, NULL, -1)
WRAP(pid_t, waitpid, (pid_t pid, int *status, int options),
     (pid, status, options), -1, NULL, -1)
/* A tool has started once it has an action for SIGABRT. */
int sigaction(int number, const struct sigaction *action,
              struct sigaction *old) {
    NEXT(sigaction)
    int result = next(number, action, old);
    if (number == SIGABRT && action) {
        fault_memory_begins();
    }
    return result;
}

/* Ends of a use: the descriptor is closed in any case, as by Linux. */

int close(int fd) {
    int is_failure = FAILS(close, fd, NULL), error = errno;
    long result = next_syscall(SYS_close, fd);
    stops_leave();
    if (is_failure) {
        errno = error;
    }
    return is_failure ? -1 : (int)result;
}

int closedir(DIR *directory) {
    NEXT(closedir)
    int is_failure = FAILS(closedir, dirfd(directory), NULL);
    int error = errno, result = next(directory);
    if (is_failure) {
        errno = error;
    }
    return is_failure ? -1 : result;
}

int fclose(FILE *file) {
    NEXT(fclose)
    int is_failure = FAILS(fclose, fileno(file), NULL);
    int error = errno, result = next(file);
    if (is_failure) {
        errno = error;
    }
    return is_failure ? EOF : result;
}

/* Waits are shortened to a hundredth: those for descriptors and threads take ten
   seconds. */
int nanosleep(const struct timespec *time, struct timespec *left) {
    NEXT(nanosleep)
    if (FAILS(nanosleep, -1, NULL)) {
        if (left) {
            *left = *time;
        }
        return -1;
    }
    int64_t wait = time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
    wait /= is_tool() ? 100 : 1;
    const struct timespec rest = {wait / 1000000000, wait % 1000000000};
    return next(&rest, left);
}

/* Synchronization: tests need no real one, and it takes long. */

int fsync(int fd) { return FAILS(fsync, fd, NULL) ? -1 : 0; }

int fdatasync(int fd) { return FAILS(fdatasync, fd, NULL) ? -1 : 0; }

/* Reading and writing. */

/* Returns the result of a call on files that is over. */
static long left(long result) {
    stops_leave();
    return result;
}

ssize_t read(int fd, void *to, size_t count) {
    ssize_t length = length_of(CALL_read, CALLER, fd, count);
    return length < 0 ? -1 : left(next_syscall(SYS_read, fd, to, length));
}

ssize_t pread(int fd, void *to, size_t count, off_t offset) {
    ssize_t length = length_of(CALL_pread, CALLER, fd, count);
    return length < 0 ? -1
                      : left(next_syscall(SYS_pread64, fd, to, length, offset));
}

ssize_t write(int fd, const void *from, size_t count) {
    ssize_t length = length_of(CALL_write, CALLER, fd, count);
    return length < 0 ? -1 : next_syscall(SYS_write, fd, from, length);
}

ssize_t pwrite(int fd, const void *from, size_t count, off_t offset) {
    ssize_t length = length_of(CALL_pwrite, CALLER, fd, count);
    return length < 0 ? -1
                      : next_syscall(SYS_pwrite64, fd, from, length, offset);
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
    NEXT(fwrite)
    return FAILS(fwrite, fileno(file), NULL) ? 0
                                             : next(from, size, count, file);
}

int dprintf(int fd, const char *format, ...) {
    if (FAILS(dprintf, fd, NULL)) {
        return -1;
    }
    va_list more;
    va_start(more, format);
    int result = vdprintf(fd, format, more);
    va_end(more);
    return result;
}

ssize_t __getdelim(char **line, size_t *size, int end_of_line, FILE *file) {
    NEXT(__getdelim)
    const char *before = *line;
    if (FAILS(getline, fileno(file), NULL)) {
        return -1;
    }
    ssize_t length = next(line, size, end_of_line, file);
    if (*line != before) {
        fault_track(*line, *size, CALLER);
    }
    return length;
}

/* Calls with arguments that may be missing. */

#define MODE(flags, last)                                                      \
    mode_t mode = 0;                                                           \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                     \
        va_list more;                                                          \
        va_start(more, last);                                                  \
        mode = va_arg(more, mode_t);                                           \
        va_end(more);                                                          \
    }

int open(const char *path, int flags, ...) {
    MODE(flags, flags)
    return FAILS(open, -1, path) ? -1
                                 : (int)left(next_syscall(SYS_openat, AT_FDCWD,
                                                          path, flags, mode));
}

int openat(int fd, const char *path, int flags, ...) {
    MODE(flags, flags)
    return FAILS(openat, fd, path)
               ? -1
               : (int)left(next_syscall(SYS_openat, fd, path, flags, mode));
}

int fcntl(int fd, int command, ...) {
    va_list more;
    va_start(more, command);
    long argument = va_arg(more, long);
    va_end(more);
    bool can_fail = command == F_DUPFD || command == F_DUPFD_CLOEXEC ||
                    command == F_SETPIPE_SZ || command == F_SETLK ||
                    command == F_SETLKW || command == F_OFD_SETLK ||
                    command == F_OFD_SETLKW;
    return can_fail && FAILS(fcntl, fd, NULL)
               ? -1
               : (int)next_syscall(SYS_fcntl, fd, command, argument);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    long argument = va_arg(more, long);
    va_end(more);
    return FAILS(ioctl, fd, NULL)
               ? -1
               : (int)next_syscall(SYS_ioctl, fd, request, argument);
}

int clone(int (*body)(void *), void *stack, int flags, void *argument, ...) {
    NEXT(clone)
    va_list more;
    va_start(more, argument);
    void *parent = va_arg(more, void *);
    void *storage = va_arg(more, void *);
    void *child = va_arg(more, void *);
    va_end(more);
    return FAILS(clone, -1, NULL)
               ? -1
               : next(body, stack, flags, argument, parent, storage, child);
}

long syscall(long number, ...) {
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(more, long);
    }
    va_end(more);
    ssize_t length = 0;
    switch (number) {
    case SYS_openat2:
        length = FAILS(openat2, (int)a[0], (const char *)a[1]) ? -1 : 0;
        break;
    case SYS_renameat2:
        length = FAILS(renameat2, (int)a[2], (const char *)a[3]) ? -1 : 0;
        break;
    case SYS_statx:
        length = FAILS(statx, (int)a[0], (const char *)a[1]) ? -1 : 0;
        break;
    case 434: /* pidfd_open */
        length = FAILS(pidfd_open, -1, NULL) ? -1 : 0;
        break;
    case SYS_getdents64:
        length = length_of(CALL_getdents64, CALLER, (int)a[0], (size_t)a[2]);
        a[2] = length;
        break;
    case 451: /* cachestat: a mapped file has no reads to stop at */
        if (stops_are_set()) {
            errno = ENOSYS;
            length = -1;
        }
    }
    return length < 0
               ? -1
               : left(next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}
