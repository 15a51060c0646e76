/* alarm_tests.c: the alarms of system/alarm.c. */
#include "objects.h"
#include "threads.h"
#include <unistd.h>
#include <weir/spi.h>

#define HOUR 3600000000000u

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void arrive(void *latch) { latch_arrive(latch); }

static weir_spi_alarm_t set(uint64_t time, void *context,
                            void (*ring)(void *)) {
    weir_spi_alarm_t alarm = weir_spi_alarm_set(time, context, ring);
    REQUIRE(alarm != NULL);
    return alarm;
}

/* Holds the thread of the alarms in one that rings, so that others can be set. */
struct hold {
    struct latch *held, *go;
    weir_spi_alarm_t alarm;
};

static void hold_until_go(void *context) {
    struct hold *hold = context;
    latch_arrive(hold->held);
    CHECK(latch_wait(hold->go));
}

static struct hold *hold_thread(void) {
    struct hold *hold = keep(sizeof *hold);
    *hold = (struct hold){latch_create(1), latch_create(1), NULL};
    hold->alarm = set(0, hold, hold_until_go);
    REQUIRE(latch_wait(hold->held));
    return hold;
}

static void let_go(struct hold *hold) {
    latch_arrive(hold->go);
    CHECK(!weir_spi_alarm_end(hold->alarm));
}

struct ringing {
    uint64_t time;
    weir_spi_alarm_t alarm;
    bool is_ended;
    int rang;
};

static uint64_t latest;
static struct latch *rest;

static void ring(void *context) {
    struct ringing *ringing = context;
    ringing->rang++;
    CHECK(ringing->time >= latest, "%ju after %ju", (uintmax_t)ringing->time,
          (uintmax_t)latest);
    latest = ringing->time;
    latch_arrive(rest);
}

TEST(alarms_ring_in_order_unless_they_are_ended) {
    enum { ALARMS = 20000 };
    struct check_random random = check_random("alarms");
    static struct ringing alarms[ALARMS];
    struct hold *hold = hold_thread();
    long ended = 0;
    for (int i = 0; i < ALARMS; i++) {
        /* Some never come: they must not stand in the way. */
        uint64_t late = check_below(&random, 10) == 0 ? now() + HOUR : 1;
        alarms[i].time = late + check_below(&random, 1000);
        alarms[i].alarm = set(alarms[i].time, &alarms[i], ring);
        struct ringing *other = &alarms[check_below(&random, i + 1)];
        if (check_below(&random, 3) == 0 && !other->is_ended) {
            CHECK(weir_spi_alarm_end(other->alarm));
            other->is_ended = true;
        }
    }
    for (int i = 0; i < ALARMS; i++) {
        ended += alarms[i].is_ended || alarms[i].time > HOUR / 2;
    }
    rest = latch_create(ALARMS - ended);
    let_go(hold);
    CHECK(latch_wait(rest));
    for (int i = 0; i < ALARMS; i++) {
        bool is_due = !alarms[i].is_ended && alarms[i].time < HOUR / 2;
        CHECK(alarms[i].rang == is_due, "%d rang %d times", i, alarms[i].rang);
        if (!alarms[i].is_ended) {
            CHECK_EQUAL(weir_spi_alarm_end(alarms[i].alarm), !is_due);
        }
    }
}

TEST(an_earlier_alarm_does_not_wait_for_a_later_one) {
    struct latch *latch = latch_create(1);
    weir_spi_alarm_t late = set(now() + HOUR, NULL, arrive);
    usleep(1000); /* so that the thread mostly sleeps; nothing depends on it */
    weir_spi_alarm_t early = set(now() + 1000000, latch, arrive);
    CHECK(latch_wait(latch));
    CHECK(!weir_spi_alarm_end(early) && weir_spi_alarm_end(late));
}

TEST(an_alarm_needs_no_thread_of_libdispatch) {
    struct latch *rang = latch_create(1);
    while_threads_are_taken(^{
      weir_spi_alarm_t alarm = set(now() + 1000000, rang, arrive);
      CHECK(latch_wait(rang) && !weir_spi_alarm_end(alarm));
    });
}
