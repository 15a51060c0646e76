/*
 * system.c: what the library asks the system for: files, cores, descriptors.
 *
 * DESIGN. The calls on files are real, on a small tree, with a point before each.
 * A read takes simulated time, and getrusage says what the scenario wants, so
 * that the file processor changes its number of lanes.
 */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <weir/misuse.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct simulated_system simulated;

void system_begin(void) { simulated = (struct simulated_system){.cores = 2}; }

size_t __wrap_weir__cores(void) { return simulated.cores; }

size_t __wrap_weir__open_descriptors(void) { return 3; }

size_t __wrap_weir_spi_threads_available(size_t count) { return count; }

int __wrap_getrusage(int who, struct rusage *usage) {
    (void)who;
    memset(usage, 0, sizeof *usage);
    usage->ru_utime.tv_sec = (time_t)(simulated.processor / 1000000000u);
    usage->ru_utime.tv_usec =
        (suseconds_t)(simulated.processor % 1000000000u / 1000);
    usage->ru_nvcsw = (long)simulated.sleeps;
    return 0;
}

/* ---- the library's own ends --------------------------------------------- */

void __real_weir__object_bury(void *object);

void __wrap_weir__object_bury(void *object) {
    STATE->buried++;
    __real_weir__object_bury(object);
}

static void report_misuse(const char *sentence) {
    schedule_fail("misuse: %s", sentence);
}

void system_setup(void) { weir_misuse_set_handler(report_misuse); }

ssize_t __real_write(int descriptor, const void *bytes, size_t size);

/* A warning of the library. */
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size) {
    if (descriptor == STDERR_FILENO && STATE->is_running) {
        STATE->warnings++;
        snprintf(STATE->warning, sizeof STATE->warning, "%.*s", (int)size,
                 (const char *)bytes);
        return (ssize_t)size;
    }
    return __real_write(descriptor, bytes, size);
}

/* ---- files -------------------------------------------------------------- */

static void before(const char *call) {
    schedule_point(call, NULL);
    simulated.calls++;
}

int __wrap_openat(int directory, const char *path, int flags, ...) {
    extern int __real_openat(int directory, const char *path, int flags, ...);
    before("openat");
    int opened = __real_openat(directory, path, flags);
    simulated.open += opened >= 0;
    return opened;
}

int __wrap_open(const char *path, int flags, ...) {
    return __wrap_openat(AT_FDCWD, path, flags);
}

int __wrap_close(int descriptor) {
    extern int __real_close(int descriptor);
    before("close");
    simulated.open--;
    return __real_close(descriptor);
}

/* The first fiber is the main thread. */
long __wrap_syscall(long number, ...) {
    extern long __real_syscall(long number, ...);
    va_list arguments;
    va_start(arguments, number);
    long a = va_arg(arguments, long), b = va_arg(arguments, long),
         c = va_arg(arguments, long), d = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_gettid) {
        return STATE->is_running ? getpid() + fiber_current()->number : 0;
    }
    before("system call");
    long result = __real_syscall(number, a, b, c, d);
    simulated.open += number == SYS_openat2 && result >= 0;
    return result;
}

static void wait_for_storage(void) {
    schedule_pass(simulated.read_time);
    simulated.sleeps += simulated.read_time > 0;
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t size) {
    extern ssize_t __real_read(int descriptor, void *bytes, size_t size);
    before("read");
    wait_for_storage();
    return __real_read(descriptor, bytes, size);
}

ssize_t __wrap_pread(int descriptor, void *bytes, size_t size, off_t offset) {
    extern ssize_t __real_pread(int descriptor, void *bytes, size_t size,
                                off_t offset);
    before("pread");
    wait_for_storage();
    return __real_pread(descriptor, bytes, size, offset);
}

int __wrap_fstat(int descriptor, struct stat *status) {
    extern int __real_fstat(int descriptor, struct stat *status);
    before("fstat");
    return __real_fstat(descriptor, status);
}

int __wrap_fstatat(int directory, const char *path, struct stat *status,
                   int flags) {
    extern int __real_fstatat(int directory, const char *path,
                              struct stat *status, int flags);
    before("fstatat");
    return __real_fstatat(directory, path, status, flags);
}
