/* orders.c: what two threads may read of two atomic variables. Promise of C11:
   Scheduler/orders.c shows each outcome that the orders allow, and no other. */
#include "scenarios.h"

uint32_t __tsan_atomic32_load(const volatile uint32_t *at, int order);
void __tsan_atomic32_store(volatile uint32_t *at, uint32_t value, int order);

static unsigned test; /* 0, 2: both store, then load what the other one stores;
                         1, 3: one stores twice, the other one loads twice */
static const int stores[] = {0, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELEASE};
static const int loads[] = {0, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE};
static uint32_t shared[2], seen[2];

static void store(size_t i) { __tsan_atomic32_store(&shared[i], 1, stores[test]); }

static void load(size_t i, size_t place) {
    seen[place] = __tsan_atomic32_load(&shared[i], loads[test]);
    CHECK(__tsan_atomic32_load(&shared[i], 0) >= seen[place], "an older value");
}

static void run_one(void *number) {
    size_t i = number_of(number);
    test % 2 && i == 1 ? load(1, 0) : store(i);
    test % 2 && i == 0 ? store(1) : load(1 - i, i);
}

static void run(void) {
    test = schedule_pick(4, "test");
    thread_start("first", run_one, address_of(0));
    thread_start("second", run_one, address_of(1));
    threads_join();
    unsigned outcome = 1u << (4 * test + 2 * seen[0] + seen[1]);
    CHECK(outcome & STATE->scenario->outcomes || STATE->orders < 2,
          "test %u: the loads read %u and %u", test, seen[0], seen[1]);
    STATE->outcomes |= outcome;
}

const struct scenario orders_scenarios[] = {
    {.name = "orders",
     .promise = "atomic loads read what C11 allows",
     .run = run,
     .outcomes = 0xBEFF}, /* not 0, 0 in test 2, nor 1, 0 in test 3 */
    {.name = NULL},
};
