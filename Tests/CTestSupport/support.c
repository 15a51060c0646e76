/*
 * support.c: starting programs, removing trees, counting bytes.
 */
#define _GNU_SOURCE
#include "CTestSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int test_terminal(int *side, char *name, size_t size) {
    *side = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*side < 0 || grantpt(*side) != 0 || unlockpt(*side) != 0) {
        return errno;
    }
    return ptsname_r(*side, name, size);
}

/* Runs in the child, in the memory of its parent: only system calls. The
   descriptors are above 2. */
static int become(const char *program, char *const arguments[],
                  char *const environment[], const char *directory,
                  const int descriptors[3]) {
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int fd = 0; fd < 3; fd++) {
        if (descriptors[fd] < 0) {
            close(fd);
        } else if (dup2(descriptors[fd], fd) < 0) {
            return errno;
        }
    }
    if (chdir(directory) != 0) {
        return errno;
    }
    /* The child inherits no other descriptor of this process. */
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    execvpe(program, arguments, environment);
    return errno;
}

pid_t test_spawn(const char *program, char *const arguments[],
                 char *const environment[], const char *directory,
                 const int descriptors[3]) {
    int failure[2], error = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) {
        return -errno;
    }
    /* A fork would copy the page tables of the tests, which takes longer than most
       programs run. The thread sanitizer makes a fork of it: hence the pipe. */
    pid_t pid = vfork();
    if (pid == 0) {
        error = become(program, arguments, environment, directory, descriptors);
        ssize_t ignored = write(failure[1], &error, sizeof error);
        (void)ignored;
        _exit(127);
    }
    int result = pid < 0 ? -errno : pid;
    close(failure[1]);
    if (pid > 0 && read(failure[0], &error, sizeof error) == sizeof error) {
        /* Swift Testing waits for its exit tests with waitid(P_ALL, WNOWAIT),
           which returns an unreaped child of any kind forever. */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
        result = -error;
    } else if (pid > 0) {
        setpgid(pid, pid); /* the child does so too; either may come first */
    }
    close(failure[0]);
    return result;
}

/* Restores the permissions of a directory, so that it can be read. */
static int open_up(const char *path, const struct stat *status, int type,
                   struct FTW *at) {
    (void)status, (void)at;
    if (type == FTW_DNR || type == FTW_D) {
        chmod(path, 0755);
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type,
                      struct FTW *at) {
    (void)status, (void)type, (void)at;
    remove(path);
    return 0;
}

void test_remove_tree(const char *path) {
    nftw(path, open_up, 16, FTW_PHYS);
    nftw(path, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

size_t test_bytes_in_use(void) {
    /* Large blocks are mapped, and not counted in the arenas. */
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}
