/*
 * wakeups: a signal wakes a waiting thread, and the signaling thread waits at once, with a time
 * that is over. How often its wait took the wakeup of the other thread: with the constant
 * DISPATCH_TIME_NOW, and with the present time as dispatch_time returns it. Both threads share a
 * core, so that the woken one has not run yet.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <weir/libdispatch.h>

enum { ROUNDS = 500 };

static dispatch_semaphore_t semaphore;
static atomic_int begun, woken;

static void use_one_core(void) {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all)) {
            CPU_SET(core, &one);
            break;
        }
    }
    sched_setaffinity(0, sizeof one, &one);
}

static void *wait_again_and_again(void *unused) {
    (void)unused;
    for (;;) {
        atomic_fetch_add(&begun, 1);
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
        atomic_fetch_add(&woken, 1);
    }
}

/* Returns how often the wait with a time took a wakeup. */
static int taken(bool is_constant, int *round) {
    int count = 0;
    for (int i = 0; i < ROUNDS; i++) {
        (*round)++;
        while (atomic_load(&begun) < *round)
            sched_yield();
        /* The other thread has the core until it waits. */
        for (int turn = 0; turn < 3; turn++)
            sched_yield();
        /* Nonzero if a thread waited: its is the permit then. */
        bool has_woken = dispatch_semaphore_signal(semaphore) != 0;
        dispatch_time_t now = is_constant ? DISPATCH_TIME_NOW
                                          : dispatch_time(DISPATCH_TIME_NOW, 0);
        if (has_woken && dispatch_semaphore_wait(semaphore, now) == 0) {
            count++;
            dispatch_semaphore_signal(semaphore);
        }
        while (atomic_load(&woken) < *round)
            sched_yield();
    }
    return count;
}

int main(void) {
    use_one_core();
    semaphore = dispatch_semaphore_create(0);
    pthread_t thread;
    pthread_create(&thread, NULL, wait_again_and_again, NULL);
    int round = 0, constant = 0, present = 0;
    /* The woken thread may always be the first to run, if the core is busy. */
    for (int try = 0; try < 5 && present == 0; try++) {
        constant += taken(true, &round);
        present += taken(false, &round);
    }
    printf("constant %d, present time %s\n", constant,
           present > 0 ? "some" : "none");
    return 0;
}
