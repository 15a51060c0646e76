/*
 * own_threads.c: starts threads that are not of libdispatch.
 *
 * DESIGN. Time-outs and children must not wait for one of the 255 threads of
 * libdispatch. All signals are blocked in these threads: handlers run on the
 * threads of the program.
 */
#include "system/threads.h"

#include <pthread.h>
#include <signal.h>

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

static int create(pthread_t *thread, void *(*body)(void *), void *context) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int weir__thread_start(void *context, void (*body)(void *context)) {
    pthread_t thread;
    struct start *start = malloc(sizeof *start);
    if (!start) {
        return ENOMEM;
    }
    *start = (struct start){body, context};
    int error = create(&thread, run, start);
    if (error) {
        free(start);
        return error;
    }
    return pthread_detach(thread);
}

static int start_on_queue(void *context, void (*body)(void *context)) {
    dispatch_queue_t queue =
        dispatch_queue_create("weir.thread", DISPATCH_QUEUE_SERIAL);
    if (!queue) {
        return ENOMEM;
    }
    dispatch_async_f(queue, context, body);
    dispatch_release(queue); /* which the work keeps */
    return 0;
}

int weir_spi_thread_start(void *context, void (*body)(void *context)) {
    int error = weir__thread_start(context, body);
    return error == 0 ? 0 : start_on_queue(context, body);
}

/* ---- available threads ------------------------------------------------- */

/* The body of a thread that only has to live. It allocates nothing: the first
   allocation of a thread would make an arena. */
static void *await_latch(void *latch) {
    pthread_mutex_lock(latch);
    pthread_mutex_unlock(latch);
    return NULL;
}

size_t weir_spi_threads_available(size_t count) {
    pthread_t *threads = calloc(count, sizeof *threads);
    pthread_mutex_t latch = PTHREAD_MUTEX_INITIALIZER;
    size_t started = 0;
    pthread_mutex_lock(&latch);
    while (threads && started < count &&
           create(&threads[started], await_latch, &latch) == 0) {
        started++;
    }
    pthread_mutex_unlock(&latch);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    return started;
}
