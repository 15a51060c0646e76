/*
 * threads.c: the threads that the system grants, and the main one.
 *
 * DESIGN. If no thread can be created (a limit on processes, a container's or
 * `ulimit -u`, or too little address space), libdispatch sleeps for a second
 * and tries again, forever, in the thread that submitted the work: without a
 * message, and even if one thread would do. It offers no way to ask first. So
 * before work is put on more threads at once than have run in the last seconds,
 * threads are created on trial: some 30 us each. libdispatch keeps the threads
 * that have run for 5 s, so work finds them again, unless other work has taken
 * them; and a number that was granted on trial is granted again soon after
 * nearly always. Work that was granted a thread before may not have begun on it, and
 * libdispatch creates that thread later. So a trial creates as many threads at
 * once as there is work that has not begun, and as many again for the work to
 * come if that is much: n lanes that begin at once cost about 4n threads, and
 * not the square of n.
 *
 * Rejected: reading the limits, which are too many to know all; and a trial
 * each time, which costs as much as the work of a short lane.
 */
#include "system/threads.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir/spi.h>

enum { FEW = 3, TRIAL_MAX = 64 };

#define MILLISECOND ((uint64_t)1000000)

/* Whatever is counted in `in_use` and has not begun is counted in `not_begun`
   from before to after, so that no thread that has not begun is taken for one
   that has run. */
static _Atomic size_t in_use;
static _Atomic size_t not_begun;

/* The most threads at once in the present window of time and in the one before.
   The word holds the number of the window, the most in it, and the most in the
   one before: a number counts for one to two windows. */
struct peak {
    uint64_t window; /* nanoseconds */
    _Atomic uint64_t word;
};

static struct peak granted = {50 * MILLISECOND, 0};
static struct peak granted_to_loops = {500 * MILLISECOND, 0};
/* Threads that have run and that libdispatch keeps for 5 s, of lanes and of
   loops. */
static struct peak ran = {2000 * MILLISECOND, 0};
static struct peak ran_in_loops = {2000 * MILLISECOND, 0};

static uint64_t present_window(const struct peak *peak) {
    return (weir__nanoseconds() / peak->window) & UINT32_MAX;
}

/* Returns the word, brought up to the present window. */
static uint64_t present_word(struct peak *peak) {
    uint64_t word = atomic_load_explicit(&peak->word, memory_order_relaxed);
    uint64_t window = present_window(peak), since = window - (word >> 32);
    if (since == 0) {
        return word;
    }
    return window << 32 | (since == 1 ? word >> 16 & UINT16_MAX : 0);
}

static bool reaches(struct peak *peak, size_t count) {
    uint64_t word = present_word(peak);
    return count <= (word >> 16 & UINT16_MAX) || count <= (word & UINT16_MAX);
}

/* A thread that raises it at the same time may be lost: then there is a trial
   more. */
static void raise_peak(struct peak *peak, size_t count) {
    uint64_t word = present_word(peak);
    if (count <= UINT16_MAX && count > (word >> 16 & UINT16_MAX)) {
        word = (word & ~((uint64_t)UINT16_MAX << 16)) | (uint64_t)count << 16;
        atomic_store_explicit(&peak->word, word, memory_order_relaxed);
    }
}

static void *wait_for_lock(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Creates up to `count` threads, which live at the same time, and ends them.
   Returns how many the system has created. */
static size_t try_threads(size_t count) {
    pthread_t threads[TRIAL_MAX];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t most = count < TRIAL_MAX ? count : TRIAL_MAX, created = 0;
    pthread_mutex_lock(&lock);
    while (created < most &&
           pthread_create(&threads[created], NULL, wait_for_lock, &lock) == 0) {
        created++;
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < created; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_mutex_destroy(&lock);
    return created == most ? count : created;
}

bool weir__threads_take(void) {
    size_t waiting =
        atomic_fetch_add_explicit(&not_begun, 1, memory_order_relaxed) + 1;
    size_t count =
        atomic_fetch_add_explicit(&in_use, 1, memory_order_release) + 1;
    if (reaches(&ran, count) || reaches(&granted, count)) {
        return true;
    }
    size_t created = try_threads(waiting > FEW ? 2 * waiting : waiting);
    if (created < waiting) {
        return false;
    }
    raise_peak(&granted, count + created - waiting);
    return true;
}

void weir__threads_begin(void) {
    atomic_fetch_sub_explicit(&not_begun, 1, memory_order_relaxed);
}

void weir__threads_end(void) {
    size_t count = atomic_fetch_sub_explicit(&in_use, 1, memory_order_acquire);
    size_t waiting = atomic_load_explicit(&not_begun, memory_order_relaxed);
    raise_peak(&ran, count > waiting ? count - waiting : 0);
}

void weir__threads_give(void) {
    atomic_fetch_sub_explicit(&in_use, 1, memory_order_release);
    weir__threads_begin();
}

/* Returns how many of `wanted` threads the system creates beside those for
   work that has not begun. */
static size_t free_threads(size_t wanted) {
    size_t waiting = atomic_load_explicit(&not_begun, memory_order_relaxed);
    size_t created = try_threads(waiting + wanted);
    return created > waiting ? created - waiting : 0;
}

size_t weir__threads_for_loop(size_t wanted) {
    if (reaches(&ran_in_loops, wanted) || reaches(&granted_to_loops, wanted)) {
        return wanted;
    }
    size_t found = free_threads(wanted);
    raise_peak(&granted_to_loops, found);
    return found;
}

void weir__threads_ran_loop(size_t count) { raise_peak(&ran_in_loops, count); }

bool weir_thread_is_free(void) { return free_threads(1) == 1; }

int weir__thread_number(void) {
    static _Thread_local int number; /* a fork does nothing that needs it */
    if (number == 0) {
        number = (int)syscall(SYS_gettid);
    }
    return number;
}

bool weir__is_main_thread(void) { return weir__thread_number() == getpid(); }
