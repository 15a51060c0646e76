/*
 * kernel WHAT: does WHAT a thousand times in a child that may make no system
 * call but read, write and exit: at any other the kernel kills it. Says if one
 * was made.
 *
 * DESIGN. Counting with strace needs strace, and comparing times proves
 * little. The strict mode of seccomp decides it, holds for the one thread, and
 * needs no privilege.
 */
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir/libdispatch.h>

static int counter;

static void count(void *context) {
    (void)context;
    counter++;
}

static void repeat(const char *what) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sem_t posix;
    sem_init(&posix, 0, 1);
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
    dispatch_queue_t queue = dispatch_queue_create("com.example.queue", NULL);
    dispatch_sync_f(queue, NULL, count);
    if (strcmp(what, "mutex-taken") == 0)
        pthread_mutex_lock(&mutex);
    if (strcmp(what, "semaphore-empty") == 0)
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(77);
    for (int i = 0; i < 1000; i++) {
        if (strncmp(what, "mutex", 5) == 0) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        } else if (strcmp(what, "posix-semaphore") == 0) {
            sem_wait(&posix);
            sem_post(&posix);
        } else if (strncmp(what, "semaphore", 9) == 0) {
            dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
            dispatch_semaphore_signal(semaphore);
        } else if (strcmp(what, "sync") == 0) {
            dispatch_sync_f(queue, NULL, count);
        } else if (strcmp(what, "async") == 0) {
            dispatch_async_f(queue, NULL, count);
        }
    }
    syscall(SYS_exit, 0); /* exit_group is not allowed */
}

int main(int argc, char **argv) {
    pid_t child = fork();
    if (child == 0)
        repeat(argc > 1 ? argv[1] : "");
    int status = 0;
    waitpid(child, &status, 0);
    puts(WIFSIGNALED(status)         ? "a kernel call"
         : WEXITSTATUS(status) == 77 ? "skipped: no strict seccomp mode"
                                     : "no kernel call");
    return 0;
}
