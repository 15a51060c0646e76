/*
 * linux_window.c: mapped windows, and the handler of SIGBUS.
 *
 * DESIGN. A byte of a mapping that cannot be had is a signal on the thread that
 * touches it. The handler puts zero pages in place of the whole window; whoever
 * uses the window asks afterwards. Rejected: to jump out of the reading code,
 * which may hold locks or memory.
 *
 * The handler runs at any moment, so the windows are a list that only grows,
 * with atomic fields. The part of a window is made known before its first byte
 * is touched, and forgotten before it is unmapped.
 */
#include "system/maker.h"
#include "system/mapped/window.h"

#if WEIR_SYSTEM_LINUX

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif
#ifndef SYS_cachestat
#define SYS_cachestat                                                          \
    451 /* Linux 6.5; the same on all architectures but alpha */
#endif

static _Atomic(struct weir__window *) windows;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_installed;
static struct sigaction previous;

/* ---- the handler ------------------------------------------------------- */

/* Returns the window that an address is in, or NULL. */
static struct weir__window *window_of(const char *address) {
    struct weir__window *window = atomic_load(&windows);
    for (; window; window = window->next) {
        char *begin = atomic_load(&window->begin);
        if (begin && address >= begin &&
            (size_t)(address - begin) < atomic_load(&window->length)) {
            return window;
        }
    }
    return NULL;
}

/* Puts zeros in the place of the window. */
static bool fill_with_zeros(struct weir__window *window, char *address) {
    char *none = NULL;
    atomic_compare_exchange_strong(&window->failed, &none, address);
    return mmap(atomic_load(&window->begin), atomic_load(&window->length),
                PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
}

static void act_as_before(int number, siginfo_t *info, void *context) {
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL &&
               previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else if (previous.sa_handler == SIG_DFL || info->si_code > 0) {
        signal(number, SIG_DFL);
        raise(number); /* which happens when the handler has returned */
    }
}

static void handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    char *address = info->si_addr;
    struct weir__window *window = info->si_code > 0 ? window_of(address) : NULL;
    if (!window || !fill_with_zeros(window, address)) {
        act_as_before(number, info, context);
    }
    errno = error;
}

int weir__bus_errors_handle(void) {
    struct sigaction action = {.sa_sigaction = handle,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigset_t bus;
    int error = 0;
    sigemptyset(&action.sa_mask);
    /* A program may have been started with a mask, which its threads inherit. */
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
    pthread_mutex_lock(&installing);
    if (!load_relaxed(&is_installed)) {
        error = sigaction(SIGBUS, NULL, &previous) != 0 ||
                        sigaction(SIGBUS, &action, NULL) != 0
                    ? errno
                    : 0;
        store_relaxed(&is_installed, error == 0);
    }
    pthread_mutex_unlock(&installing);
    return error;
}

/* ---- windows ----------------------------------------------------------- */

struct weir__window *weir__window_take(void) {
    struct weir__window *window = atomic_load(&windows);
    if (!load_relaxed(&is_installed)) {
        return NULL;
    }
    for (; window; window = window->next) {
        if (!atomic_exchange(&window->is_taken, true)) {
            return window;
        }
    }
    window = calloc(1, sizeof *window);
    if (window) {
        window->is_taken = true;
        window->next = atomic_load(&windows);
        while (!atomic_compare_exchange_weak(&windows, &window->next, window)) {
        }
    }
    return window;
}

void weir__window_return(struct weir__window *window) {
    if (window) {
        atomic_store(&window->is_taken, false);
    }
}

bool weir__window_is_cached(int descriptor, uint64_t offset, size_t length) {
    const struct { uint64_t offset, length; } range = {offset, length};
    struct {
        uint64_t cached, dirty, written_back, evicted, recently_evicted;
    } pages = {0};
    return syscall(SYS_cachestat, descriptor, &range, &pages, 0) == 0 &&
           pages.cached >= length / (size_t)sysconf(_SC_PAGESIZE);
}

static size_t faults_of_thread(void) {
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return (size_t)(usage.ru_minflt + usage.ru_majflt);
}

bool weir__window_map(struct weir__window *window, int descriptor,
                      uint64_t offset, size_t length, size_t *faults) {
    char *begin =
        mmap(NULL, length, PROT_READ, MAP_SHARED, descriptor, (off_t)offset);
    if (begin == MAP_FAILED) {
        return false;
    }
    store_relaxed(&window->failed, NULL);
    atomic_store(&window->length, length);
    atomic_store(&window->begin, begin);
    size_t before = faults_of_thread();
    if (madvise(begin, length, MADV_POPULATE_READ) != 0) {
        weir__window_unmap(window);
        return false;
    }
    *faults = faults_of_thread() - before;
    return true;
}

void weir__window_unmap(struct weir__window *window) {
    char *begin = atomic_exchange(&window->begin, NULL);
    if (begin) {
        munmap(begin, load_relaxed(&window->length));
    }
}

#endif
