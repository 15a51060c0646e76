/*
 * threads.c: the threads that the system grants, and the main one.
 *
 * DESIGN. If no thread can be created (a limit on processes, a container's or
 * `ulimit -u`, or too little address space), libdispatch sleeps for a second
 * and tries again, forever, in the thread that submitted the work: without a
 * message, and even if one thread would do. It offers no way to ask first. So
 * before work is put on more threads at once than ever before, a thread is
 * created on trial: some 30 us, once for each number. A number of threads that
 * was granted once is granted again later nearly always, though not for
 * certain.
 *
 * Rejected: reading the limits, which are too many to know all; and a trial
 * each time, which costs as much as the work of a short lane.
 */
#include "system/threads.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic size_t in_use;
static _Atomic size_t granted; /* the most at once so far */

static void *do_nothing(void *unused) { return unused; }

static bool can_create_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0) {
        return false;
    }
    pthread_join(thread, NULL);
    return true;
}

bool weir__threads_take(void) {
    size_t count =
        atomic_fetch_add_explicit(&in_use, 1, memory_order_relaxed) + 1;
    if (count <= atomic_load_explicit(&granted, memory_order_relaxed)) {
        return true;
    }
    if (!can_create_thread()) {
        return false;
    }
    weir__raise_size(&granted, count);
    return true;
}

void weir__threads_give(void) {
    atomic_fetch_sub_explicit(&in_use, 1, memory_order_relaxed);
}

bool weir__is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }
