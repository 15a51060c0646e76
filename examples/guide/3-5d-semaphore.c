/*
 * A semaphore for a scarce resource: file descriptors.
 *
 * The guide: "Using Dispatch Semaphores to Regulate the Use of Finite
 * Resources". The permit is taken before the file is opened and before the task
 * is submitted. Inside the task, as in many programs, the wait would hold a
 * thread of the pool, and on Linux those are few.
 */
#include <dispatch/dispatch.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES = 500, LIMIT = 64 };

static const char *path = "/etc/services";
static atomic_int open_now;
static int open_most;

static int open_file(void) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    int now = descriptor < 0 ? 0 : atomic_fetch_add(&open_now, 1) + 1;
    if (now > open_most)
        open_most = now;
    return descriptor;
}

static void read_and_close(int descriptor) {
    char piece[4096];
    while (read(descriptor, piece, sizeof piece) > 0) {
    }
    /* Counted down before the close, so that the count never exceeds the open
       files. */
    atomic_fetch_sub(&open_now, 1);
    close(descriptor);
}

static void with_permits(dispatch_queue_t queue) {
    int permits = getdtablesize() / 2;
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(permits);
    printf("%d descriptors, %d permits, %d files.\n", getdtablesize(), permits,
           FILES);
    int failed = 0;
    dispatch_suspend(
        queue); /* no task closes a file: the permits are used up */
    for (int i = 0; i < FILES; i++) {
        if (dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) != 0) {
            if (i == permits) {
                printf("File %d has to wait: %d are open.\n", i + 1, open_now);
                dispatch_resume(queue);
            }
            dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
        }
        int descriptor = open_file();
        failed += descriptor < 0;
        dispatch_async(queue, ^{
          if (descriptor >= 0)
              read_and_close(descriptor);
          dispatch_semaphore_signal(semaphore);
        });
    }
    dispatch_barrier_sync(queue, ^{
                          });
    printf("With the semaphore: at most %d open at once, %d could not be "
           "opened.\n",
           open_most, failed);
    dispatch_release(semaphore);
}

static void without_permits(dispatch_queue_t queue) {
    int failed = 0;
    const char *reason = "";
    dispatch_suspend(queue);
    for (int i = 0; i < FILES; i++) {
        int descriptor = open_file();
        if (descriptor < 0) {
            failed++;
            reason = strerror(errno);
            continue;
        }
        dispatch_async(queue, ^{
          read_and_close(descriptor);
        });
    }
    dispatch_resume(queue);
    dispatch_barrier_sync(queue, ^{
                          });
    printf("Without it: at most %d open at once, %d could not be opened: %s.\n",
           open_most, failed, reason);
}

int main(int argc, char **argv) {
    if (argc > 1)
        path = argv[1];
    if (access(path, R_OK) != 0)
        path = "/etc/passwd"; /* not every system has the other */
    /* A limit low enough to matter here, with only 0, 1 and 2 open. */
    for (int descriptor = 3; descriptor < LIMIT; descriptor++)
        close(descriptor);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){LIMIT, LIMIT});
    dispatch_queue_t queue =
        dispatch_queue_create("com.example.readers", DISPATCH_QUEUE_CONCURRENT);
    with_permits(queue);
    open_most = 0;
    without_permits(queue);
    dispatch_release(queue);
    return 0;
}
