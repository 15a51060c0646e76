/*
 * sources WHAT: dispatch sources and what they take.
 *
 *   signal-default, signal-ignored, signal-blocked
 *                whether a source sees SIGUSR1, whatever was done about it
 *   descriptors  how many descriptors libdispatch opens for a serial queue,
 *                and then for a global one
 *   types        which types of sources the library has
 */
#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weir/libdispatch.h>

static dispatch_semaphore_t ready, handled;

static void signal_it(void *context) {
    dispatch_semaphore_signal((dispatch_semaphore_t)context);
}

static void be_ready(void *context) {
    (void)context;
    dispatch_semaphore_signal(ready);
}

static void handle(void *context) {
    (void)context;
    dispatch_semaphore_signal(handled);
}

static void signals(const char *what) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (strcmp(what, "signal-ignored") == 0)
        signal(SIGUSR1, SIG_IGN);
    else if (strcmp(what, "signal-blocked") == 0)
        sigprocmask(SIG_BLOCK, &set, NULL);
    ready = dispatch_semaphore_create(0);
    handled = dispatch_semaphore_create(0);
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0,
                               dispatch_get_global_queue(0, 0));
    dispatch_source_set_registration_handler_f(source, be_ready);
    dispatch_source_set_event_handler_f(source, handle);
    dispatch_resume(source);
    dispatch_semaphore_wait(ready, DISPATCH_TIME_FOREVER);
    kill(getpid(), SIGUSR1);
    dispatch_time_t limit =
        dispatch_time(DISPATCH_TIME_NOW, 10 * (int64_t)NSEC_PER_SEC);
    printf("%s\n",
           dispatch_semaphore_wait(handled, limit) == 0 ? "seen" : "not seen");
}

static int descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    int count = -3; /* ".", ".." and the directory itself */
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static void run_on(dispatch_queue_t queue) {
    dispatch_semaphore_t run = dispatch_semaphore_create(0);
    dispatch_async_f(queue, run, signal_it);
    dispatch_semaphore_wait(run, DISPATCH_TIME_FOREVER);
}

static void count_descriptors(void) {
    int before = descriptors();
    run_on(dispatch_queue_create(NULL, NULL));
    int serial = descriptors();
    run_on(dispatch_get_global_queue(0, 0));
    /* The event loop begins on a thread of its own. */
    time_t end = time(NULL) + 10;
    while (descriptors() < serial + 3 && time(NULL) < end)
        sched_yield();
    printf("serial %d, global %d\n", serial - before, descriptors() - serial);
}

static int has(const char *type) {
    char name[64];
    snprintf(name, sizeof name, "_dispatch_source_type_%s", type);
    return dlsym(NULL, name) != NULL;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "descriptors") == 0)
        count_descriptors();
    else if (strcmp(what, "types") == 0)
        printf("signal %d, proc %d, vnode %d\n", has("signal"), has("proc"),
               has("vnode"));
    else
        signals(what);
    return 0;
}
