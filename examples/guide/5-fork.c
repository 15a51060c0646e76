/*
 * fork: the child has queues, but no thread to run their tasks.
 *
 * A child of a program with dispatch in it may only exec. Anything else, such
 * as dispatch_sync on an unused queue, works by luck.
 */
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static dispatch_queue_t queue;

/* Returns true if a task that is submitted here runs within a time. */
static int a_task_runs(int64_t nanoseconds) {
    dispatch_semaphore_t has_run = dispatch_semaphore_create(0);
    dispatch_async(queue, ^{
      dispatch_semaphore_signal(has_run);
    });
    return dispatch_semaphore_wait(
               has_run, dispatch_time(DISPATCH_TIME_NOW, nanoseconds)) == 0;
}

static int child_that_goes_on(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(a_task_runs(NSEC_PER_SEC / 2) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int child_that_execs(void) {
    pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void) {
    queue = dispatch_queue_create("com.example.fork", NULL);
    printf("In the parent a task is run: %s.\n",
           a_task_runs(60 * NSEC_PER_SEC) ? "yes" : "no");
    printf("In a forked child it is: %s.\n",
           child_that_goes_on() ? "yes" : "no");
    printf("A forked child that execs works: %s.\n",
           child_that_execs() ? "yes" : "no");
    dispatch_release(queue);
    return 0;
}
