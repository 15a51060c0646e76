/* orders.c: what two threads may read of two atomic variables. Promise of C11:
   Scheduler/orders.c shows each outcome that the orders allow, and no other. */
#include "scenarios.h"

uint32_t __tsan_atomic32_load(const volatile uint32_t *at, int order);
void __tsan_atomic32_store(volatile uint32_t *at, uint32_t value, int order);
#define LOAD(i) __tsan_atomic32_load(&shared[i], loads[test])
#define STORE(i) __tsan_atomic32_store(&shared[i], 1, stores[test])

static unsigned test; /* 0, 2: both store, then load what the other one stores;
                         1, 3: one stores twice, the other one loads twice */
static const int stores[] = {0, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELEASE};
static const int loads[] = {0, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE};
static uint32_t shared[2], seen[2];

static void run_one(void *number) {
    size_t i = number_of(number);
    test % 2 && i == 1 ? (void)(seen[0] = LOAD(1)) : STORE(i);
    test % 2 && i == 0 ? STORE(1) : (void)(seen[i] = LOAD(1 - i));
    CHECK(LOAD(1 - i) >= seen[i], "a load read an older value than before");
}

static void run(void) {
    test = schedule_pick(4, "test");
    thread_start("first", run_one, address_of(0));
    thread_start("second", run_one, address_of(1));
    threads_join();
    STATE->outcomes |= 1u << (4 * test + 2 * seen[0] + seen[1]);
}

const struct scenario orders_scenarios[] = {
    {"orders", "atomic loads read what C11 allows", run,
     .outcomes = 0xBEFF}, /* not 0, 0 in test 2, nor 1, 0 in test 3 */
    {NULL},
};
