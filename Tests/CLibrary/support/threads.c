/* threads.c: threads, latches and meters of tests. */
#include "threads.h"
#include <Block.h>

/* The memory of latches, texts and lists, which stays until the process ends. */
struct kept {
    struct kept *next;
    char bytes[];
};

static _Atomic(struct kept *) kept;

void *keep(size_t size) {
    struct kept *memory = malloc(sizeof *memory + size);
    REQUIRE(memory != NULL);
    memory->next = kept;
    while (!atomic_compare_exchange_weak(&kept, &memory->next, memory)) {
    }
    return memory->bytes;
}

static void *run_block(void *block) {
    void (^body)(void) = (void (^)(void))block;
    body();
    Block_release(body);
    return NULL;
}

pthread_t thread_start(void (^body)(void)) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run_block,
                           (void *)Block_copy(body)) == 0);
    return thread;
}

void thread_join(pthread_t thread) { pthread_join(thread, NULL); }

struct crew crew_start(int count, void (^body)(void)) {
    struct crew crew = {0};
    while (crew.count < count) {
        crew_add(&crew, body);
    }
    return crew;
}

void crew_add(struct crew *crew, void (^body)(void)) {
    REQUIRE(crew->count < 64);
    crew->threads[crew->count++] = thread_start(body);
}

void crew_join(struct crew crew) {
    while (crew.count > 0) {
        thread_join(crew.threads[--crew.count]);
    }
}

void crew_run(int count, void (^body)(void)) {
    crew_join(crew_start(count, body));
}

void threads_run(long count, void (^body)(long number)) {
    struct crew crew = {0};
    for (long number = 0; number < count; number++) {
        crew_add(&crew, ^{
          body(number);
        });
    }
    crew_join(crew);
}

struct latch *latch_create(long count) {
    struct latch *latch = keep(sizeof *latch);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&latch->mutex, NULL);
    pthread_cond_init(&latch->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    latch->missing = count;
    return latch;
}

void latch_arrive(struct latch *latch) {
    pthread_mutex_lock(&latch->mutex);
    if (--latch->missing <= 0) {
        pthread_cond_broadcast(&latch->changed);
    }
    pthread_mutex_unlock(&latch->mutex);
}

bool latch_wait(struct latch *latch) {
    double end = seconds() + patience();
    struct timespec deadline = {(time_t)end, 0};
    int error = 0;
    pthread_mutex_lock(&latch->mutex);
    while (latch->missing > 0 && error == 0) {
        error =
            pthread_cond_timedwait(&latch->changed, &latch->mutex, &deadline);
    }
    bool open = latch->missing <= 0;
    pthread_mutex_unlock(&latch->mutex);
    return open;
}

bool latch_is_open(struct latch *latch) {
    pthread_mutex_lock(&latch->mutex);
    bool open = latch->missing <= 0;
    pthread_mutex_unlock(&latch->mutex);
    return open;
}

void meter_enter(struct meter *meter) {
    atomic_fetch_add(&meter->ever, 1);
    long now = atomic_fetch_add(&meter->now, 1) + 1;
    long most = atomic_load(&meter->most);
    while (most < now &&
           !atomic_compare_exchange_weak(&meter->most, &most, now)) {
    }
}

void meter_leave(struct meter *meter) { atomic_fetch_sub(&meter->now, 1); }

double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double patience(void) {
    return 30.0 * (double)check_setting("WEIR_TEST_SLOWNESS", 1);
}
