/*
 * loops.h: the bodies of the benchmark `loops`, and how its programs answer.
 *
 * Every program includes this text, so that one compiler sees each body inside
 * the loop that its runtime makes of it. Standard input has the name of a body
 * a line; the answer is a line with the median time of a loop, in nanoseconds,
 * and the sum of what it computed.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct loop_body {
    const char *name;
    size_t count;
    int loops; /* timed a turn, after one that is not */
};

enum { TINY, LIGHT, HEAVY, IRREGULAR, SPIKES, LOOP_BODIES };

static const struct loop_body loop_bodies[LOOP_BODIES] = {
    {"tiny", 1000000, 21},  {"light", 200000, 1},  {"heavy", 2000, 1},
    {"irregular", 4000, 1}, {"spikes", 100000, 1},
};

enum { LOOP_COUNT_MAX = 1000000, SPIN_LIGHT = 150, SPIN_HEAVY = 15000 };

static uint64_t loop_results[LOOP_COUNT_MAX];

/* About 1.3 ns a turn; the empty statement keeps compilers from computing
   several turns at once, which not all of them do. */
static inline uint64_t loop_spin(uint64_t x, size_t turns) {
    for (size_t i = 0; i < turns; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

/* A turn; 150; 15,000; as many as the index says, so that the second half is
   three quarters of the work; 20 with every 128th or so a thousand times that,
   in no order. */
static inline void loop_iteration(int body, size_t i) {
    size_t turns = 1;
    if (body == LIGHT)
        turns = SPIN_LIGHT;
    else if (body == HEAVY)
        turns = SPIN_HEAVY;
    else if (body == IRREGULAR)
        turns = 1 + i * 2 * (SPIN_HEAVY / 2) / loop_bodies[IRREGULAR].count;
    else if (body == SPIKES)
        turns = (uint32_t)i * 2654435761u % 128 == 0 ? 20000 : 20;
    loop_results[i] = loop_spin(i, turns);
}

/* Runs one loop of `count` with a body that is known when it is compiled. */
#define LOOP_RUN(body, loop)                                                   \
    do {                                                                       \
        switch (body) {                                                        \
        case TINY:                                                             \
            loop(TINY);                                                        \
            break;                                                             \
        case LIGHT:                                                            \
            loop(LIGHT);                                                       \
            break;                                                             \
        case HEAVY:                                                            \
            loop(HEAVY);                                                       \
            break;                                                             \
        case IRREGULAR:                                                        \
            loop(IRREGULAR);                                                   \
            break;                                                             \
        default:                                                               \
            loop(SPIKES);                                                      \
            break;                                                             \
        }                                                                      \
    } while (0)

static inline uint64_t loop_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int loop_ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void loop_answer(int body, void (*run)(int body)) {
    uint64_t times[64], sum = 0;
    const struct loop_body *of = &loop_bodies[body];
    memset(loop_results, 0, of->count * sizeof *loop_results);
    run(body); /* threads awake, pages there */
    for (int i = 0; i < of->loops; i++) {
        uint64_t begin = loop_now();
        run(body);
        times[i] = loop_now() - begin;
    }
    qsort(times, (size_t)of->loops, sizeof *times, loop_ascending);
    for (size_t i = 0; i < of->count; i++)
        sum = sum * 31 + loop_results[i];
    printf("%llu %llu\n", (unsigned long long)times[of->loops / 2],
           (unsigned long long)sum);
    fflush(stdout);
}

/* Answers until standard input ends; for main to return. */
static int loop_serve(void (*run)(int body)) {
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        for (int body = 0; body < LOOP_BODIES; body++)
            if (strcmp(line, loop_bodies[body].name) == 0)
                loop_answer(body, run);
    }
    return 0;
}

#endif /* LOOPS_H */
