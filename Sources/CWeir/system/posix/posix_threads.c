/* posix_threads.c: numbers of threads, and their work. */
#include "system/maker.h"
#include "system/threads.h"

#if !WEIR_SYSTEM_LINUX

#include <sys/resource.h>
#include <unistd.h>

static _Atomic int others;
static _Thread_local int number; /* a fork does nothing that needs it */

/* The main thread runs constructors, unless another thread loads the library. */
__attribute__((__constructor__)) static void number_main_thread(void) {
    number = getpid();
}

int weir__thread_number(void) {
    if (number == 0) {
        number = getpid() + 1 + add_relaxed(&others, 1);
    }
    return number;
}

struct weir__thread_usage weir__thread_usage(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return (struct weir__thread_usage){0};
    }
    return (struct weir__thread_usage){
        .waits = usage.ru_nvcsw,
        .ran = weir__nanoseconds_of(CLOCK_THREAD_CPUTIME_ID)};
}

#endif
