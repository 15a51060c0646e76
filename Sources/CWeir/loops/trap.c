/*
 * trap.c: reports misuse before a trap of libdispatch's own.
 *
 * DESIGN. libdispatch traps in silence if a loop is onto a queue that its
 * caller holds. Weir recognizes its own serial queues (base/serial_queue.h).
 * For other queues libdispatch exports nothing that helps: not a queue's
 * target, not whether the queue is serial, not which thread holds it. So Weir
 * lets the trap come and catches it with a signal handler. A thread-local value
 * tells the handler that this thread is on its way into a loop and has not
 * arrived. The handler reports the misuse and traps again under the action that
 * was there before. For every other fault it restores the former action and
 * returns, so that the fault happens once more and meets that action.
 *
 * A signal's action belongs to the whole process, so the handler is installed
 * for as short a time as possible: counted over the loops that need it, and not
 * for a loop on no queue or on a global one, nor for a loop called by a thread
 * that holds no queue, as its current queue shows: it is then the default
 * overcommit queue. The loops that remain pay a lock and two system calls,
 * about 1 us.
 *
 * A thread that blocks the signal dies without the report. Nor is there a
 * report after another process has sent the signal, until no loop is watched
 * any more. Rejected: reading the queue's state word, which moves between
 * versions; only asking dispatch_get_specific whether the caller is on the
 * queue, which cannot tell serial from concurrent.
 */
#include "loops/trap.h"

#include <pthread.h>
#include <signal.h>

/* libdispatch's __builtin_trap is this signal. */
#if defined(__x86_64__) || defined(__i386__)
static const int signals[] = {SIGILL};
#else
static const int signals[] = {SIGTRAP, SIGILL};
#endif
enum { SIGNALS = sizeof signals / sizeof *signals };

/* DISPATCH_QUEUE_OVERCOMMIT, which only libdispatch's private headers name. */
enum { OVERCOMMIT = 2 };

/* The label of the loop's queue while this thread enters the loop, else NULL.
   Initial-exec, since a signal handler must not allocate. */
static _Thread_local const char *volatile entering
    __attribute__((__tls_model__("initial-exec")));

static pthread_mutex_t trap_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t watchers;
static struct sigaction former[SIGNALS];

static void handle_trap(int number, siginfo_t *information, void *machine) {
    (void)machine;
    sigaction(number, &former[number == signals[0] ? 0 : SIGNALS - 1], NULL);
    if (information->si_code <= 0) {
        raise(number); /* sent by a process: it would not come again */
        return;
    }
    const char *label = entering;
    if (label) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        weir__misuse(
            "a concurrent loop was started on the queue \"%.100s\" by a "
            "job that holds that queue (it runs on the queue, or on one "
            "above or below it in the hierarchy of targets, or is a "
            "barrier) and would wait for itself forever; pass another "
            "queue, or NULL",
            label);
    }
}

static void install_handler(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = handle_trap;
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < SIGNALS; index++) {
        struct sigaction last;
        sigaction(signals[index], &action, &last);
        /* Another library may have put our action back; then it is known. */
        if (!(last.sa_flags & SA_SIGINFO) || last.sa_sigaction != handle_trap) {
            former[index] = last;
        }
    }
}

/* Restores the former action, unless another one was set meanwhile. */
static void uninstall_handler(void) {
    for (size_t index = 0; index < SIGNALS; index++) {
        struct sigaction last;
        sigaction(signals[index], &former[index], &last);
        if (!(last.sa_flags & SA_SIGINFO) || last.sa_sigaction != handle_trap) {
            sigaction(signals[index], &last, NULL);
        }
    }
}

bool weir__is_global_queue(dispatch_queue_t queue) {
    static _Atomic(dispatch_queue_t) latest; /* of those found to be global */
    if (queue == load_relaxed(&latest)) {
        return true;
    }
    static const intptr_t classes[] = {
        QOS_CLASS_USER_INTERACTIVE, QOS_CLASS_USER_INITIATED,
        QOS_CLASS_DEFAULT,          QOS_CLASS_UTILITY,
        QOS_CLASS_BACKGROUND,       DISPATCH_QUEUE_PRIORITY_BACKGROUND,
    };
    for (size_t index = 0; index < sizeof classes / sizeof *classes; index++) {
        if (queue == dispatch_get_global_queue(classes[index], 0) ||
            queue == dispatch_get_global_queue(classes[index], OVERCOMMIT)) {
            store_relaxed(&latest, queue);
            return true;
        }
    }
    return false;
}

/* True if this thread runs no block of a queue but global overcommit ones. */
static bool holds_no_queue(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* on Darwin */
    return dispatch_get_current_queue() ==
           dispatch_get_global_queue(QOS_CLASS_DEFAULT, OVERCOMMIT);
#pragma GCC diagnostic pop
}

bool weir__trap_watch(dispatch_queue_t queue) {
    if (holds_no_queue()) {
        return false;
    }
    const char *label = dispatch_queue_get_label(queue);
    pthread_mutex_lock(&trap_lock);
    if (watchers++ == 0) {
        install_handler();
    }
    pthread_mutex_unlock(&trap_lock);
    entering = label ? label : "";
    return true;
}

void weir__trap_unwatch(void) {
    weir__trap_passed();
    pthread_mutex_lock(&trap_lock);
    if (--watchers == 0) {
        uninstall_handler();
    }
    pthread_mutex_unlock(&trap_lock);
}

void weir__trap_passed(void) { entering = NULL; }
