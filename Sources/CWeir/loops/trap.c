/*
 * trap.c: a sentence before a trap that is libdispatch's own.
 *
 * A loop onto a queue that its caller holds would wait for itself: onto the
 * serial queue that it is called on, onto one that targets that or is its
 * target, onto a concurrent queue from within a barrier. libdispatch sees it
 * and traps, on Linux without a word.
 *
 * DESIGN. Weir knows this for its own serial queues (queue.c). For others
 * libdispatch exports nothing that tells: not a queue's target, not whether it
 * is serial, not who holds it; dispatch_assert_queue_barrier does, but by
 * trapping itself in the case that is right. So the trap is let come, and is
 * met with a signal handler that knows, by a thread-local value, that this
 * thread is on its way into a loop and has not arrived. It says the sentence,
 * and traps again under the action that was there before. For everything else,
 * a fault of another thread or of the loop's body, it puts the former action
 * back and returns, so that the fault happens once more and meets that.
 *
 * A signal's action belongs to the whole process, so it is there for as short
 * as can be: counted over the loops that need it, and not for a loop on no
 * queue or a global one, nor for one called by a thread that holds no queue,
 * whatever queue it is on. libdispatch says so of a thread: its current queue
 * is then the default overcommit queue, on which nothing waits. What is left
 * are loops started by a job on a queue (or by the main thread) onto a queue
 * that is not global; these pay a lock and three system calls, about 1 us.
 *
 * A fault whose signal is blocked ends the process without asking any handler,
 * and there are programs in which every thread blocks all, since one waits for
 * them. So on its way into the loop the thread has it unblocked.
 *
 * Rejected: reading the queue's state word, which moves between versions;
 * asking only dispatch_get_specific whether one is on the queue, which cannot
 * tell serial from concurrent and does not see what a queue targets; leaving
 * the handler installed, which is quicker and rude.
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

/* Of the loop that this thread is about to enter. Initial-exec: it is read in
   a signal handler, where nothing may be allocated for it. */
static _Thread_local const char *volatile entering
    __attribute__((__tls_model__("initial-exec")));

/* Which of the signals this thread blocks when it is not on that way. */
static _Thread_local bool blocked[SIGNALS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t watchers;
static struct sigaction former[SIGNALS];
static _Atomic bool was_met; /* so that the handler is gone */

static const struct sigaction *former_of(int number) {
    for (size_t index = 1; index < SIGNALS; index++) {
        if (signals[index] == number) {
            return &former[index];
        }
    }
    return &former[0];
}

static void met(int number, siginfo_t *information, void *machine) {
    (void)machine;
    sigaction(number, former_of(number), NULL);
    atomic_store(&was_met, true);
    if (information->si_code <= 0) {
        raise(number); /* sent by somebody: it would not come again */
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
            "job that holds that queue (it runs on it, or on a queue "
            "above or below it in the hierarchy of targets, or is a "
            "barrier), so that it would wait for itself forever; pass "
            "another queue, or NULL",
            label);
    }
}

static void install(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = met;
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < SIGNALS; index++) {
        struct sigaction last;
        sigaction(signals[index], &action, &last);
        /* Somebody may have saved ours and put it back: then what was there
           before it is known already. */
        if (!(last.sa_flags & SA_SIGINFO) || last.sa_sigaction != met) {
            former[index] = last;
        }
    }
}

/* Puts the former action back, but for one that was set meanwhile. */
static void uninstall(void) {
    for (size_t index = 0; index < SIGNALS; index++) {
        struct sigaction last;
        sigaction(signals[index], &former[index], &last);
        if (!(last.sa_flags & SA_SIGINFO) || last.sa_sigaction != met) {
            sigaction(signals[index], &last, NULL);
        }
    }
}

static bool is_global(dispatch_queue_t queue) {
    static const intptr_t classes[] = {
        QOS_CLASS_USER_INTERACTIVE, QOS_CLASS_USER_INITIATED,
        QOS_CLASS_DEFAULT,          QOS_CLASS_UTILITY,
        QOS_CLASS_BACKGROUND,       DISPATCH_QUEUE_PRIORITY_BACKGROUND,
    };
    for (size_t index = 0; index < sizeof classes / sizeof *classes; index++) {
        if (queue == dispatch_get_global_queue(classes[index], 0) ||
            queue == dispatch_get_global_queue(classes[index], OVERCOMMIT)) {
            return true;
        }
    }
    return false;
}

/* Whether this thread runs nothing that was put on any queue but a global
   overcommit one. */
static bool holds_no_queue(void) {
    return dispatch_get_current_queue() ==
           dispatch_get_global_queue(QOS_CLASS_DEFAULT, OVERCOMMIT);
}

static void unblock(void) {
    sigset_t set, before;
    sigemptyset(&set);
    for (size_t index = 0; index < SIGNALS; index++) {
        sigaddset(&set, signals[index]);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, &before);
    for (size_t index = 0; index < SIGNALS; index++) {
        blocked[index] = sigismember(&before, signals[index]) == 1;
    }
}

static void block_again(void) {
    for (size_t index = 0; index < SIGNALS; index++) {
        if (blocked[index]) {
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, signals[index]);
            pthread_sigmask(SIG_BLOCK, &set, NULL);
            blocked[index] = false;
        }
    }
}

bool weir__trap_watch(dispatch_queue_t queue) {
    if (!queue || holds_no_queue() || is_global(queue)) {
        return false;
    }
    const char *label = dispatch_queue_get_label(queue);
    pthread_mutex_lock(&mutex);
    bool is_gone = atomic_exchange(&was_met, false);
    if (watchers++ == 0 || is_gone) {
        install();
    }
    pthread_mutex_unlock(&mutex);
    unblock();
    entering = label ? label : "";
    return true;
}

void weir__trap_unwatch(void) {
    weir__trap_passed();
    pthread_mutex_lock(&mutex);
    if (--watchers == 0) {
        uninstall();
    }
    pthread_mutex_unlock(&mutex);
}

void weir__trap_passed(void) {
    entering = NULL;
    block_again();
}
