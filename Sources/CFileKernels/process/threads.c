/* threads.c: threads, for a language that needs one type for all systems. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct start {
    void (*body)(void *context);
    void *context;
};

static void *run(void *context) {
    const struct start start = *(struct start *)context;
    free(context);
    start.body(start.context);
    return NULL;
}

int kernel_thread_start(kernel_thread_t *thread, void (*body)(void *),
                        void *context) {
    pthread_t created;
    struct start *start = malloc(sizeof *start);
    if (!start) {
        return ENOMEM;
    }
    *start = (struct start){body, context};
    int error = pthread_create(&created, NULL, run, start);
    if (error) {
        free(start);
        return error;
    }
    *thread = (kernel_thread_t)created;
    return 0;
}

void kernel_thread_signal(kernel_thread_t thread, int number) {
    pthread_kill((pthread_t)thread, number);
}

void kernel_thread_join(kernel_thread_t thread) {
    pthread_join((pthread_t)thread, NULL);
}

void kernel_thread_detach(kernel_thread_t thread) {
    pthread_detach((pthread_t)thread);
}
