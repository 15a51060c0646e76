/*
 * weir_spawn instead of fork: a child of a program with many threads that
 * inherits nothing from them.
 *
 *     gcc -o 5-fork-weir_f 5-fork-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * libdispatch's threads block most signals, and a child inherits that: if one
 * of them starts it with posix_spawn, it cannot be interrupted.
 */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <weir.h>

extern char **environ;

static char *words[] = {"sh", "-c",
                        "while read name value; do case $name in SigBlk:) "
                        "echo $value;; esac; done </proc/self/status",
                        NULL};

static void finish(pid_t child, int error) {
    int status = 0;
    if (error)
        printf("%s\n", strerror(error));
    else
        waitpid(child, &status, 0);
}

static void spawn_plainly(void *context) {
    pid_t child = 0;
    (void)context;
    finish(child, posix_spawnp(&child, "sh", NULL, NULL, words, environ));
}

static void spawn_with_weir(void *context) {
    pid_t child = 0;
    (void)context;
    finish(child, weir_spawn(&child, "sh", words, NULL));
}

/* Runs on a thread of libdispatch; the child prints meanwhile. */
static void run(const char *name, dispatch_function_t way) {
    dispatch_group_t group = dispatch_group_create();
    printf("The signals that a child of %s blocks: ", name);
    fflush(stdout);
    dispatch_group_async_f(group, dispatch_get_global_queue(0, 0), NULL, way);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
}

int main(void) {
    run("posix_spawn", spawn_plainly);
    run("weir_spawn", spawn_with_weir);

    pid_t child;
    char *nothing[] = {"no-such-program", NULL};
    int error = weir_spawn(&child, nothing[0], nothing, NULL);
    printf("A program that there is not: %s.\n", strerror(error));
    return 0;
}
