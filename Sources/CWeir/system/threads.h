/* threads.h: the numbers and the work of threads. */
#pragma once

#include "base/internal.h"

#include <weir/spi.h> /* has weir_spi_thread_start */

/* Returns the number of this thread: the system's own, if that is an int. That
   of the main thread is the process id. */
WEIR_HIDDEN int weir__thread_number(void);

/* Like weir_spi_thread_start, but returns EAGAIN if the system has no thread. */
WEIR_HIDDEN int weir__thread_start(void *context, void (*body)(void *context));

/* The work of a thread so far. */
struct weir__thread_usage {
    long waits;   /* how often it has waited; on systems that do not report
                     that, how often any thread of the process has */
    uint64_t ran; /* nanoseconds on a processor */
};

/* Returns the work of this thread; zeros if the system refuses. */
WEIR_HIDDEN struct weir__thread_usage weir__thread_usage(void);
