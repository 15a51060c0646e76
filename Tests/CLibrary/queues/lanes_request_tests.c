/* lanes_request_tests.c: requests for room in the backlog of lanes and for an idle moment
   are each decided once, without a thread that waits. (The schedules of lanes_waiters.c
   race them.) */
#include "objects.h"
#include "queues/lanes_state.h"

struct asked {
    int number;
    _Atomic int decisions, result, runs;
};

static _Atomic int order[64], ordered;

static void run_asked(void *context, void *lane_context) {
    struct asked *asked = context;
    order[atomic_fetch_add(&ordered, 1)] = asked->number;
    asked->runs++;
}

static void decided(void *context, int result) {
    struct asked *asked = context;
    asked->result = result;
    asked->decisions++;
}

static weir_lanes_request_t ask(weir_lanes_t lanes, struct asked *asked) {
    weir_lanes_request_t request = NULL;
    REQUIRE(weir_lanes_request_f(lanes, asked, run_asked, decided, &request) ==
            0);
    return request;
}

static weir_lanes_request_t ask_idle(weir_lanes_t lanes, struct asked *asked) {
    weir_lanes_request_t request = NULL;
    REQUIRE(weir_lanes_request_idle_f(lanes, asked, decided, &request) == 0);
    return request;
}

enum { PENDING = -1 };

static bool has(const struct asked *asked, int result) {
    return asked->decisions == (result != PENDING) &&
           (result == PENDING || asked->result == result);
}

TEST(lanes_with_room_and_closed_lanes_decide_at_once) {
    static const size_t rows[][2] = {
        {1, 0}, {2, 3}, {WEIR_LANES_INLINE, 0}, {1, WEIR_LANES_NO_BACKLOG}};
    for (int row = 0; row < 4; row++) {
        LANES(lanes, "lanes", rows[row][0], rows[row][1]);
        struct asked asked = {0}, late = {0};
        check_row("row %d", row);
        weir_lanes_request_release(ask(lanes, &asked));
        CHECK(has(&asked, 0) && lanes_wait(lanes) && asked.runs == 1);
        weir_lanes_close(lanes);
        weir_lanes_request_t request = ask(lanes, &late);
        CHECK(has(&late, ECANCELED) && lanes_stats(lanes).refused == 1);
        CHECK_EQUAL(weir_lanes_request_cancel(request), EALREADY);
        weir_lanes_request_release(request);
        CHECK(lanes_wait(lanes) && late.runs == 0);
    }
}

static void check_cancel(int place) {
    weir_lanes_t lanes = lanes_make("lanes", 1, 1);
    struct asked asked[8];
    struct crew crew = {0};
    weir_lanes_request_t requests[4];
    weir_lanes_suspend(lanes);
    lanes_submit_many(lanes, 1, &(struct meter){0});
    for (int number = 0; number < 8; number++) {
        struct asked *one = &asked[number];
        *one = (struct asked){.number = number};
        if (number % 2 == 0) {
            requests[number / 2] = ask(lanes, one);
        } else {
            crew_add(&crew, ^{
              CHECK_EQUAL(weir_lanes_async_f(lanes, one, run_asked), 0);
            });
        }
        CHECK(EVENTUALLY(lanes_stats(lanes).blocked == (size_t)number + 1));
    }
    for (int number = 0; number < 8; number += 2) {
        CHECK(has(&asked[number], PENDING));
    }
    CHECK_EQUAL(weir_lanes_request_cancel(requests[place]), 0);
    CHECK(has(&asked[2 * place], ECANCELED));
    CHECK_EQUAL(weir_lanes_request_cancel(requests[place]), EALREADY);
    weir_lanes_resume(lanes);
    crew_join(crew);
    CHECK(lanes_end(lanes) && ordered == 7);
    for (int number = 0, next = 0; number < 8; number++) {
        bool runs = number != 2 * place;
        CHECK(!runs || order[next++] == number, "number %d", number);
        CHECK(number % 2 == 1 || has(&asked[number], runs ? 0 : ECANCELED));
    }
    for (int number = 0; number < 4; number++) {
        weir_lanes_request_release(requests[number]);
    }
}

TEST(a_request_can_be_cancelled_in_every_place) {
    for (int place = 0; place < 4; place++) {
        check_row("place %d", place);
        ordered = 0;
        check_cancel(place);
    }
}

/* The places of withdrawn jobs are free for a try, for a request and for the next ones,
   and their memory is used again. */
TEST(a_withdrawn_job_gives_up_its_place) {
    LANES(lanes, "lanes", 1, 2);
    struct asked asked[4] = {{0}};
    weir_lanes_request_t requests[4];
    struct occupation occupation = lanes_occupy(lanes);
    for (int number = 0; number < 4; number++) {
        requests[number] = ask(lanes, &asked[number]);
    }
    CHECK(has(&asked[1], 0) && has(&asked[2], PENDING));
    CHECK_EQUAL(weir_lanes_request_withdraw(requests[3]), 0);
    CHECK(has(&asked[3], ECANCELED));
    CHECK_EQUAL(weir_lanes_request_withdraw(requests[1]), 0);
    CHECK(has(&asked[1], 0) && has(&asked[2], 0));
    CHECK_EQUAL(weir_lanes_request_withdraw(requests[1]), EALREADY);
    CHECK_EQUAL(lanes_try(lanes, NULL), EAGAIN);
    CHECK_EQUAL(weir_lanes_request_withdraw(requests[2]), 0);
    CHECK_EQUAL(lanes_stats(lanes).queued, 1);
    for (int round = 0; round < 1000; round++) {
        struct asked more = {0};
        weir_lanes_request_t request = ask(lanes, &more);
        CHECK(has(&more, 0) && weir_lanes_request_withdraw(request) == 0);
        weir_lanes_request_release(request);
    }
    CHECK_EQUAL(lanes->fifo.capacity, 16);
    lanes_vacate(occupation);
    CHECK(lanes_wait(lanes) && asked[0].runs == 1);
    CHECK_EQUAL(weir_lanes_request_withdraw(requests[0]), EALREADY);
    CHECK_EQUAL(asked[1].runs + asked[2].runs + asked[3].runs, 0);
    CHECK_EQUAL(lanes_stats(lanes).dropped, 1002);
    for (int number = 0; number < 4; number++) {
        weir_lanes_request_release(requests[number]);
    }
}

static void check_control(bool closes, size_t backlog) {
    LANES(lanes, "lanes", 1, backlog);
    struct asked asked[6] = {{0}};
    int room = backlog == 2 ? 2 : 0, runs = 0;
    struct occupation occupation = lanes_occupy(lanes);
    for (int number = 0; number < 6; number++) {
        weir_lanes_request_release(ask(lanes, &asked[number]));
        CHECK_EQUAL(asked[number].decisions, number < room);
    }
    CHECK_EQUAL(lanes_try(lanes, NULL), EAGAIN);
    if (closes) {
        weir_lanes_close(lanes);
    } else {
        weir_lanes_cancel(lanes);
    }
    for (int number = 0; number < 6; number++) {
        CHECK_EQUAL(asked[number].decisions, closes || number < 2 * room);
    }
    lanes_vacate(occupation);
    for (int number = 0; number < 6; number++) {
        int result = closes && number >= room ? ECANCELED : 0;
        CHECK(EVENTUALLY(asked[number].decisions == 1));
        CHECK(lanes_wait(lanes) && has(&asked[number], result));
        runs += asked[number].runs;
    }
    CHECK_EQUAL(lanes_stats(lanes).dropped, closes ? 0 : room);
    CHECK_EQUAL(lanes_stats(lanes).refused, closes ? 7 - room : 1);
    CHECK_EQUAL(runs, closes ? room : 6 - room);
}

TEST(close_and_cancel_decide_requests) {
    for (int row = 0; row < 4; row++) {
        check_row("row %d", row);
        check_control(row % 2 == 0, row / 2 == 0 ? 2 : WEIR_LANES_NO_BACKLOG);
    }
}

/* A job of the lanes passes the submits that wait; its own request waits like any other. */
TEST(a_job_passes_the_requests_but_its_request_waits) {
    weir_lanes_t lanes = lanes_make("lanes", 1, 1);
    struct latch *begun = latch_create(1), *go = latch_create(1);
    struct asked other = {0}, own = {0}, *owns = &own;
    struct meter *ran = &(struct meter){0};
    lanes_submit(lanes, ^{
      latch_arrive(begun);
      CHECK(latch_wait(go));
      lanes_submit_many(lanes, 1, ran);
      weir_lanes_request_release(ask(lanes, owns));
      CHECK(has(owns, PENDING));
    });
    CHECK(latch_wait(begun));
    lanes_submit_many(lanes, 1, ran);
    weir_lanes_request_release(ask(lanes, &other));
    latch_arrive(go);
    CHECK(EVENTUALLY(lanes_stats(lanes).finished == 5));
    CHECK(lanes_end(lanes) && other.runs == 1 && own.runs == 1);
}

/* Requests for an idle moment: decided at once, at the end of the last job, after the
   last dropped one, or by a cancel. */
TEST(idle_requests) {
    LANES(lanes, "lanes", 2, 0);
    struct asked asked[4] = {{0}}, last = {0};
    weir_lanes_request_t requests[4];
    weir_lanes_request_release(ask_idle(lanes, &asked[0]));
    CHECK(has(&asked[0], 0));
    struct occupation occupation = lanes_occupy(lanes);
    for (int number = 1; number < 4; number++) {
        requests[number] = ask_idle(lanes, &asked[number]);
    }
    CHECK_EQUAL(weir_lanes_request_cancel(requests[2]), 0);
    CHECK(has(&asked[1], PENDING) && has(&asked[2], ECANCELED) &&
          has(&asked[3], PENDING));
    lanes_vacate(occupation);
    CHECK(EVENTUALLY(has(&asked[1], 0) && has(&asked[3], 0)));
    CHECK(has(&asked[0], 0) && has(&asked[2], ECANCELED));
    CHECK_EQUAL(weir_lanes_request_cancel(requests[1]), EALREADY);
    for (int number = 1; number < 4; number++) {
        weir_lanes_request_release(requests[number]);
    }
    weir_lanes_suspend(lanes);
    lanes_submit_many(lanes, 1, NULL);
    weir_lanes_request_release(ask_idle(lanes, &last));
    CHECK(has(&last, PENDING));
    CHECK(weir_lanes_cancel(lanes) == 1 && has(&last, 0));
    weir_lanes_resume(lanes);
}
