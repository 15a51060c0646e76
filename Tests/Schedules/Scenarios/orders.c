/* orders.c: what two threads may read of two atomic variables. Promise of C11:
   Scheduler/orders.c shows each outcome that the orders allow, and no other. */
#include "scenarios.h"

#include <stdatomic.h>

static unsigned test; /* 0, 2: both store, then load what the other one stores;
                         1, 3: one stores twice, the other one loads twice */
static const memory_order stores[] = {0, 0, 5, memory_order_release};
static const memory_order loads[] = {0, 0, 5, memory_order_acquire};
static atomic_uint shared[2];
static unsigned seen[2];

static unsigned load(size_t i) {
    unsigned value = atomic_load_explicit(&shared[i], loads[test]);
    CHECK(atomic_load_explicit(&shared[i], 0) >= value, "it went back in time");
    return value;
}

static void run_one(void *number) {
    size_t i = number_of(number);
    if (test % 2 && i == 1) {
        seen[0] = load(1);
    } else {
        atomic_store_explicit(&shared[i], 1, stores[test]);
    }
    if (test % 2 && i == 0) {
        atomic_store_explicit(&shared[1], 1, stores[test]);
    } else {
        seen[i] = load(1 - i);
    }
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
