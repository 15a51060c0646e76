/*
 * threads.c: pthreads, time and the numbers of threads, on fibers.
 *
 * DESIGN. A mutex and a condition keep their state in the memory of the
 * pthread_mutex_t and the pthread_cond_t, which are all zero at first, also by
 * their initializers. A mutex that is unlocked goes to nobody: of those that
 * wait and those that come, any may take it next.
 */
#include "../Scheduler/schedule.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct mutex {
    uint16_t owner; /* the number of the fiber, from 1 */
    uint16_t waiters;
    uint32_t is_destroyed;
};

struct condition {
    uint32_t is_destroyed;
};

static uint16_t me(void) { return (uint16_t)(fiber_current()->number + 1); }

/* Wakes the fibers that wait in this way for this object. */
static bool wake_one(const char *doing, const void *object) {
    struct fiber *waiting[FIBERS_MAX];
    unsigned count = 0;
    for (int i = 0; i < STATE->fiber_count; i++) {
        struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state == FIBER_BLOCKED && fiber->object == object &&
            strcmp(fiber->doing, doing) == 0) {
            waiting[count++] = fiber;
        }
    }
    if (count > 0) {
        fiber_wake(waiting[schedule_pick(count, doing)]);
    }
    return count > 0;
}

static void wake_all(const char *doing, const void *object) {
    for (int i = 0; i < STATE->fiber_count; i++) {
        struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state == FIBER_BLOCKED && fiber->object == object &&
            strcmp(fiber->doing, doing) == 0) {
            fiber_wake(fiber);
        }
    }
}

/* ---- mutexes ------------------------------------------------------------ */

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes) {
    (void)attributes;
    memset(mutex, 0, sizeof *mutex);
    return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *place) {
    struct mutex *mutex = (struct mutex *)place;
    if (STATE->is_running) {
        memory_check(place, "destroy a mutex");
        CHECK(mutex->owner == 0,
              "mutex %p was destroyed while fiber %d held it", (void *)place,
              mutex->owner - 1);
        CHECK(mutex->waiters == 0,
              "mutex %p was destroyed while %d wait for it", (void *)place,
              mutex->waiters);
        mutex->is_destroyed = 1;
        orders_access(place, 1, __builtin_return_address(0), WRITE);
    }
    return 0;
}

static void take(struct mutex *mutex) {
    CHECK(!mutex->is_destroyed, "mutex %p was used after its end",
          (void *)mutex);
    while (mutex->owner) {
        CHECK(mutex->owner != me(), "mutex %p was locked twice", (void *)mutex);
        mutex->waiters++;
        fiber_block("lock", mutex, NEVER);
        memory_check(mutex, "lock");
        mutex->waiters--;
    }
    mutex->owner = me();
    orders_edge(mutex, false);
}

static void give(struct mutex *mutex) {
    CHECK(mutex->owner == me(), "mutex %p was unlocked by fiber %d, not %d",
          (void *)mutex, me() - 1, mutex->owner - 1);
    mutex->owner = 0;
    orders_edge(mutex, true);
    wake_all("lock", mutex);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (STATE->is_running) {
        schedule_point("lock", mutex);
        orders_access(mutex, 1, __builtin_return_address(0), READ);
        take((struct mutex *)mutex);
    }
    return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
    schedule_point("trylock", mutex);
    if (((struct mutex *)mutex)->owner) {
        return EBUSY;
    }
    take((struct mutex *)mutex);
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (STATE->is_running) {
        memory_check(mutex, "unlock");
        give((struct mutex *)mutex);
    }
    return 0;
}

/* ---- conditions --------------------------------------------------------- */

int __wrap_pthread_condattr_init(pthread_condattr_t *attributes) {
    memset(attributes, 0, sizeof *attributes);
    return 0;
}

int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes,
                                     clockid_t clock) {
    memcpy(attributes, &clock,
           sizeof *attributes < sizeof clock ? sizeof *attributes
                                             : sizeof clock);
    return 0;
}

int __wrap_pthread_condattr_destroy(pthread_condattr_t *attributes) {
    (void)attributes;
    return 0;
}

int __wrap_pthread_cond_init(pthread_cond_t *place,
                             const pthread_condattr_t *attributes) {
    memset(place, 0, sizeof *place);
    (void)attributes;
    return 0;
}

int __wrap_pthread_cond_destroy(pthread_cond_t *place) {
    for (int i = 0; i < STATE->fiber_count; i++) {
        const struct fiber *fiber = &STATE->fibers[i];
        CHECK(fiber->state != FIBER_BLOCKED || fiber->object != place,
              "condition %p was destroyed while fiber %d waits for it",
              (void *)place, i);
    }
    ((struct condition *)place)->is_destroyed = 1;
    return 0;
}

static int wait_for(pthread_cond_t *place, pthread_mutex_t *mutex,
                    uint64_t deadline) {
    struct condition *condition = (struct condition *)place;
    schedule_point("wait", place);
    CHECK(!condition->is_destroyed, "condition %p was used after its end",
          (void *)place);
    bool in_time = true;
    if (schedule_fault("spurious wake-up")) {
        give((struct mutex *)mutex);
    } else {
        give((struct mutex *)mutex);
        in_time = fiber_block("wait", place, deadline);
    }
    schedule_point("lock", mutex);
    take((struct mutex *)mutex);
    return in_time ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition,
                             pthread_mutex_t *mutex) {
    return wait_for(condition, mutex, NEVER);
}

/* Every clock shows the simulated time. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition,
                                  pthread_mutex_t *mutex,
                                  const struct timespec *until) {
    return wait_for(condition, mutex,
                    (uint64_t)until->tv_sec * 1000000000u +
                        (uint64_t)until->tv_nsec);
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition) {
    schedule_point("signal", condition);
    wake_one("wait", condition);
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) {
    schedule_point("broadcast", condition);
    wake_all("wait", condition);
    return 0;
}

/* ---- once --------------------------------------------------------------- */

int __wrap_pthread_once(pthread_once_t *once, void (*function)(void)) {
    enum { NEW, BEGUN, DONE };
    schedule_point("once", once);
    while (*once == BEGUN) {
        fiber_block("once", once, NEVER);
    }
    if (*once == NEW) {
        *once = BEGUN;
        function();
        *once = DONE;
        orders_edge(once, true);
        wake_all("once", once);
    }
    orders_edge(once, false);
    return 0;
}

/* ---- threads ------------------------------------------------------------ */

int __wrap_sched_yield(void) {
    schedule_yield("yield");
    return 0;
}

/* ---- time --------------------------------------------------------------- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    extern int __real_clock_gettime(clockid_t, struct timespec *);
    if (!STATE->is_running) {
        return __real_clock_gettime(clock, now);
    }
    now->tv_sec = (time_t)(schedule_now() / 1000000000u);
    now->tv_nsec = (long)(schedule_now() % 1000000000u);
    return 0;
}

int __wrap_nanosleep(const struct timespec *pause, struct timespec *rest) {
    (void)rest;
    fiber_block("sleep", NULL,
                schedule_now() + (uint64_t)pause->tv_sec * 1000000000u +
                    (uint64_t)pause->tv_nsec);
    return 0;
}

/* ---- thread-specific values: nothing is released at the end of a thread --- */

int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    (void)destructor;
    *key = 0;
    return 0;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
    (void)key;
    (void)value;
    return 0;
}
