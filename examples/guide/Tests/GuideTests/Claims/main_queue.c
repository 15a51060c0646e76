/*
 * main_queue WHAT: what is on the main queue, and what is nobody's.
 *
 *   thread     what dispatch_get_current_queue says on a thread of our own
 *   unused     in a child forked before anything was submitted: how many of
 *              its tasks run
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir/libdispatch.h>

static void signal_it(void *context) {
    dispatch_semaphore_signal((dispatch_semaphore_t)context);
}

static int runs(dispatch_queue_t queue) {
    dispatch_semaphore_t run = dispatch_semaphore_create(0);
    dispatch_async_f(queue, run, signal_it);
    dispatch_time_t limit =
        dispatch_time(DISPATCH_TIME_NOW, 10 * (int64_t)NSEC_PER_SEC);
    return dispatch_semaphore_wait(run, limit) == 0;
}

static void *print_current(void *context) {
    (void)context;
    printf("%s\n", dispatch_queue_get_label(dispatch_get_current_queue()));
    return NULL;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, print_current, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(what, "unused") == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit(runs(dispatch_queue_create(NULL, NULL)));
        int status = 0;
        waitpid(child, &status, 0);
        printf("%d ran\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return 0;
}
