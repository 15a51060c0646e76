/* threads.h: threads of tests, and what they wait for. A wait ends at a deadline far
   beyond what it needs, so that a test fails instead of hanging. */
#pragma once

#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* Returns memory that stays until the process ends. */
void *keep(size_t size);

pthread_t thread_start(void (^body)(void));
void thread_join(pthread_t thread);

/* Threads, up to 64. */
struct crew {
    int count;
    pthread_t threads[64];
};

struct crew crew_start(int count, void (^body)(void));
void crew_add(struct crew *crew, void (^body)(void));
void crew_join(struct crew crew);

void crew_run(int count, void (^body)(void));
void threads_run(long count, void (^body)(long number));

/* Opens when a number of threads have arrived. Stays until the process ends. */
struct latch {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    long missing;
};

struct latch *latch_create(long count);
void latch_arrive(struct latch *latch);
/* Returns false at the deadline. */
bool latch_wait(struct latch *latch);
bool latch_is_open(struct latch *latch);

/* Counts what is inside, the most at once, and what ever entered. */
struct meter {
    _Atomic long now, most, ever;
};

void meter_enter(struct meter *meter);
void meter_leave(struct meter *meter);

/* Of CLOCK_MONOTONIC. */
double seconds(void);

/* Waits for a condition that no event reports: polls until it is true; false at the
   deadline. */
#define EVENTUALLY(condition)                                                  \
    ({                                                                         \
        double deadline_ = seconds() + patience();                             \
        bool met_;                                                             \
        while (!(met_ = (condition)) && seconds() < deadline_) {               \
            nanosleep(&(struct timespec){0, 200000}, NULL);                    \
        }                                                                      \
        met_;                                                                  \
    })

/* The seconds of a deadline: 30 times WEIR_TEST_SLOWNESS. */
double patience(void);
