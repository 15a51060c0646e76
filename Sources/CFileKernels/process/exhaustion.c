/*
 * exhaustion.c: ends a program that has no memory or no thread left, with a
 * sentence.
 *
 * DESIGN. Two libraries below this one have no error for such a program.
 * Swift's allocator traps: it formats a message first, for which it has no
 * memory either, so the message is missing and the trap is a fault. And
 * libdispatch calls sleep(1) until it has a thread or memory, forever.
 *
 * A signal handler recognizes the first case: a failed allocation leaves
 * ENOMEM in errno, and where a stack trace was printed meanwhile, memory is
 * still short. Any other fault meets the action that was there before. The
 * handler runs on the thread's own stack, which has room: only a stack
 * overflow has not, and the kernel ends that program by itself.
 *
 * The second case is recognized by a sleep function that replaces the one of
 * libc for the whole program, in which nothing else sleeps for whole seconds.
 * A thread that lacks something for a while, because other programs have it,
 * goes on later; one that has slept PATIENCE times in a row asks what the
 * program is waiting for. (An idle thread of libdispatch ends after 5 s, and
 * its place is free.)
 *
 * Rejected: a malloc that ends the program, since most callers of malloc
 * handle its error; a reserve that is mapped at the start and released on
 * failure, which nobody can size.
 */
#define _GNU_SOURCE
#include "kernel_process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { PATIENCE = 10, SIGNALS = 4 };

/* With less memory than this, a fault counts as a lack of memory. */
#define MEMORY_LEAST ((size_t)32 << 20)

static const int signals[SIGNALS] = {SIGSEGV, SIGILL, SIGTRAP, SIGABRT};
static struct sigaction former[SIGNALS];

static kernel_exhaustion_t ending = {"weir", "Cannot allocate memory", 2};
static kernel_may_wait_t *_Atomic may_wait;

static void write_text(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static _Noreturn void end(const char *reason) {
    write_text(ending.program);
    write_text(": ");
    write_text(reason);
    write_text("\n");
    _exit(ending.status);
}

/* ---- memory ------------------------------------------------------------- */

static bool is_memory_short(void) {
    void *memory = mmap(NULL, MEMORY_LEAST, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        munmap(memory, MEMORY_LEAST);
    }
    return memory == MAP_FAILED;
}

static void handle_fault(int number, siginfo_t *information, void *machine) {
    (void)machine;
    bool is_sent = information->si_code <= 0 && number != SIGABRT;
    if (!is_sent && (errno == ENOMEM || is_memory_short())) {
        end(ending.memory);
    }
    for (size_t index = 0; index < SIGNALS; index++) {
        if (signals[index] == number) {
            sigaction(number, &former[index], NULL);
        }
    }
    if (is_sent) {
        raise(number); /* a fault comes again, and abort raises it again */
    }
}

/* With a limit on the address space, all threads share one arena: glibc
   reserves 64 MiB for each of the others. */
static void share_arena(void) {
#ifdef __GLIBC__
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        mallopt(M_ARENA_MAX, 1);
    }
#endif
}

void kernel_exhaustion_watch(kernel_exhaustion_t given) {
    ending = given;
    share_arena();
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = handle_fault;
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < SIGNALS; index++) {
        sigaction(signals[index], &action, &former[index]);
    }
}

/* ---- threads ------------------------------------------------------------ */

void kernel_exhaustion_ask(kernel_may_wait_t *function) {
    atomic_store(&may_wait, function);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *do_nothing(void *unused) { return unused; }

static _Noreturn void end_without_resources(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) {
        end(ending.memory);
    }
    end("no thread can be started: Resource temporarily unavailable; raise "
        "ulimit -u or ulimit -v");
}

/* The calls of libdispatch, of which each follows the one before at once. */
unsigned sleep(unsigned seconds) {
    static _Thread_local unsigned count;
    static _Thread_local double last_end;
    count = now() - last_end < 0.5 ? count + 1 : 1;
    struct timespec rest = {.tv_sec = seconds};
    bool is_interrupted = nanosleep(&rest, &rest) != 0;
    last_end = now();
    if (count >= PATIENCE) {
        kernel_may_wait_t *function = atomic_load(&may_wait);
        if (!function || !function()) {
            end_without_resources();
        }
    }
    return is_interrupted ? (unsigned)rest.tv_sec : 0;
}
