/*
 * objects WHAT: contexts, finalizers and who holds a queue.
 *
 *   late        the finalizer of a queue whose target is suspended: how often
 *               it ran after the release, and after the resume
 *   global      whether the main queue and a global one keep a context
 *   source      a queue released by its creator, with a source on it: how
 *               often its finalizer ran before and after the source went
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <weir/libdispatch.h>

static atomic_int with_context;

static void count_with(void *context) {
    (void)context;
    atomic_fetch_add(&with_context, 1);
}

static void nothing(void *context) { (void)context; }

static void signal_it(void *context) {
    dispatch_semaphore_signal((dispatch_semaphore_t)context);
}

static dispatch_queue_t create(dispatch_queue_t target, void *context,
                               dispatch_function_t finalizer) {
    dispatch_queue_t queue = dispatch_queue_create(NULL, NULL);
    dispatch_set_target_queue(queue, target);
    dispatch_set_context(queue, context);
    dispatch_set_finalizer_f(queue, finalizer);
    return queue;
}

/* A serial target: what was submitted to it before has run when a task of our
   own has. */
static dispatch_queue_t target;

static void drain(void) { dispatch_sync_f(target, NULL, nothing); }

static void late(void) {
    dispatch_suspend(target);
    dispatch_release(create(target, &target, count_with));
    int released = with_context;
    dispatch_resume(target);
    drain();
    printf("after the release %d, after the resume %d\n", released,
           with_context);
}

static void global(void) {
    dispatch_queue_t main_queue = dispatch_get_main_queue();
    dispatch_queue_t global_queue = dispatch_get_global_queue(0, 0);
    dispatch_set_context(main_queue, &target);
    dispatch_set_context(global_queue, &target);
    printf("main %s, global %s\n",
           dispatch_get_context(main_queue) ? "keeps it" : "ignores it",
           dispatch_get_context(global_queue) ? "keeps it" : "ignores it");
}

static void source(void) {
    dispatch_queue_t queue = create(target, &target, count_with);
    dispatch_source_t timer =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    dispatch_semaphore_t cancelled = dispatch_semaphore_create(0);
    dispatch_set_context(timer, cancelled);
    dispatch_source_set_event_handler_f(timer, nothing);
    dispatch_source_set_cancel_handler_f(timer, signal_it);
    dispatch_source_set_timer(timer, DISPATCH_TIME_FOREVER,
                              DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(timer);
    dispatch_release(queue);
    drain();
    int before = with_context;
    dispatch_source_cancel(timer);
    dispatch_semaphore_wait(cancelled, DISPATCH_TIME_FOREVER);
    dispatch_release(timer);
    for (int i = 0; i < 1000000 && with_context == 0; i++)
        drain(); /* the source lets go on a thread of its own */
    printf("before %d, after %d\n", before, with_context);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    target = dispatch_queue_create("com.example.target", NULL);
    if (strcmp(what, "late") == 0)
        late();
    else if (strcmp(what, "global") == 0)
        global();
    else if (strcmp(what, "source") == 0)
        source();
    return 0;
}
