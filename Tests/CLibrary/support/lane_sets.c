/*
 * lane_sets.c: lanes of tests.
 */
#include "lane_sets.h"

#include <Block.h>

weir_lanes_t lanes_make(const char *label, size_t width, size_t backlog) {
    weir_lanes_t lanes = weir_lanes_create(&(weir_lanes_options_t){
        .label = label, .width = width, .backlog = backlog});
    REQUIRE(lanes != NULL, "width %zu: error %d", width, errno);
    return lanes;
}

weir_lanes_stats_t lanes_stats(weir_lanes_t lanes) {
    weir_lanes_stats_t stats;
    weir_lanes_stats(lanes, &stats, sizeof stats);
    return stats;
}

/* ---- Jobs -------------------------------------------------------------- */

static void run_block(void *block, void *lane_context) {
    (void)lane_context;
    void (^job)(void) = (void (^)(void))block;
    job();
    Block_release(job);
}

void lanes_submit(weir_lanes_t lanes, void (^job)(void)) {
    REQUIRE(weir_lanes_async_f(lanes, (void *)Block_copy(job), run_block) == 0);
}

static void enter(void *meter, void *lane_context) {
    (void)lane_context;
    meter_enter(meter);
}

void lanes_submit_many(weir_lanes_t lanes, int jobs, struct meter *ran) {
    for (int job = 0; job < jobs; job++) {
        REQUIRE(weir_lanes_async_f(lanes, ran, enter) == 0);
    }
}

int lanes_try(weir_lanes_t lanes, struct meter *ran) {
    return weir_lanes_try_async_f(lanes, ran, enter);
}

bool lanes_wait(weir_lanes_t lanes) {
    return weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER) == 0;
}

bool lanes_wait_times_out(weir_lanes_t lanes) {
    dispatch_time_t soon = dispatch_time(DISPATCH_TIME_NOW, 3 * NSEC_PER_MSEC);
    return weir_lanes_wait(lanes, soon) == ETIMEDOUT;
}

bool lanes_end(weir_lanes_t lanes) {
    bool ended = lanes_wait(lanes);
    weir_lanes_release(lanes);
    return ended;
}

struct occupation lanes_occupy(weir_lanes_t lanes) {
    long width = (long)lanes_stats(lanes).width;
    struct occupation all = {latch_create(width), latch_create(1),
                             latch_create(width)};
    for (long lane = 0; lane < width; lane++) {
        lanes_submit(lanes, ^{
          latch_arrive(all.begun);
          CHECK(latch_wait(all.go));
          latch_arrive(all.ended);
        });
    }
    CHECK(latch_wait(all.begun));
    return all;
}

void lanes_vacate(struct occupation occupation) {
    latch_arrive(occupation.go);
    REQUIRE(latch_wait(occupation.ended));
    latch_destroy(occupation.begun);
    latch_destroy(occupation.go);
    latch_destroy(occupation.ended);
}

/* ---- Contexts ---------------------------------------------------------- */

/* A NULL context does not lead to its log. */
static _Atomic(struct lane_log *) log_of_nulls;

static void *create_context(void *user, size_t lane) {
    struct lane_log *log = user;
    log->created++;
    if (lane >= log->null_from) {
        return NULL;
    }
    log->contexts[lane].created++;
    return &log->contexts[lane];
}

static void destroy_context(void *context) {
    if (context == NULL) {
        atomic_load(&log_of_nulls)->nulls_destroyed++;
    } else {
        ((struct lane_context *)context)->destroyed++;
    }
}

weir_lanes_options_t lane_log_options(struct lane_log *log, size_t null_from) {
    *log = (struct lane_log){.null_from = null_from};
    log_of_nulls = log;
    return (weir_lanes_options_t){.lane_create = create_context,
                                  .lane_destroy = destroy_context,
                                  .user = log};
}

bool lane_log_has(const struct lane_log *log, size_t count) {
    bool right = true;
    for (size_t lane = 0; lane < WEIR_LANES_WIDTH_MAX; lane++) {
        right = right && log->contexts[lane].created == (lane < count);
    }
    return right;
}

bool lane_log_destroyed(const struct lane_log *log, int times) {
    bool right = true;
    for (size_t lane = 0; lane < WEIR_LANES_WIDTH_MAX; lane++) {
        const struct lane_context *context = &log->contexts[lane];
        right = right && context->destroyed == context->created * times;
    }
    return right;
}
