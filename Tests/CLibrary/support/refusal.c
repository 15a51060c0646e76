/*
 * refusal.c: system calls that fail or never return, by a filter of seccomp(2).
 *
 * DESIGN. The filter holds for all threads, and cannot be removed: a test has a
 * process of its own.
 */
#include "refusal.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

static int install(struct sock_filter *steps, size_t count) {
    const struct sock_fprog program = {.len = (unsigned short)count,
                                       .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                &program) != 0) {
        return errno;
    }
    return 0;
}

#define LOAD(field)                                                            \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                         \
             (unsigned)offsetof(struct seccomp_data, field))
#define ALLOW_UNLESS(value)                                                    \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 1, 0),              \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error)                                                          \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)(error))

int refuse_calls(long number, int error) {
    struct sock_filter steps[] = {LOAD(nr), ALLOW_UNLESS(number),
                                  REFUSE(error)};
    return install(steps, sizeof steps / sizeof *steps);
}

/* The calls are left to a listener, which never answers. */
int hold_calls(long number) {
    struct sock_filter steps[] = {
        LOAD(nr), ALLOW_UNLESS(number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
    const struct sock_fprog program = {.len = sizeof steps / sizeof *steps,
                                       .filter = steps};
    const unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER |
                           SECCOMP_FILTER_FLAG_TSYNC |
                           SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                   syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
                           &program) < 0
               ? errno
               : 0;
}

int refuse_calls_with(long number, unsigned argument, unsigned value,
                      int error) {
    struct sock_filter steps[] = {LOAD(nr), ALLOW_UNLESS(number), LOAD(args[0]),
                                  ALLOW_UNLESS(value), REFUSE(error)};
    steps[3].k += argument * (unsigned)sizeof(__u64);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    steps[3].k += sizeof(__u32);
#endif
    return install(steps, sizeof steps / sizeof *steps);
}
