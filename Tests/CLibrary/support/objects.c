/* objects.c: gates, lanes, groups and queues of tests. */
#include "objects.h"
#include <Block.h>

void end_gate(weir_gate_t *gate) { weir_gate_release(*gate); }

void end_lanes(weir_lanes_t *lanes) { weir_lanes_release(*lanes); }

void end_group(weir_group_t *group) { weir_group_release(*group); }

void end_queue(dispatch_queue_t *queue) { dispatch_release(*queue); }

dispatch_queue_t global(void) { return dispatch_get_global_queue(0, 0); }

dispatch_queue_t queue_at(int place) {
    static dispatch_queue_t queues[PLACES];
    if (queues[PLACE_SERIAL] == NULL) {
        queues[PLACE_GLOBAL] = global();
        queues[PLACE_SERIAL] = dispatch_queue_create("serial", NULL);
        queues[PLACE_CONCURRENT] = weir_queue_create(
            "concurrent", DISPATCH_QUEUE_CONCURRENT, NULL, NULL);
    }
    return queues[place];
}

weir_gate_stats_t gate_stats(weir_gate_t gate) {
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    return stats;
}

int gate_wait(weir_gate_t gate, size_t count) {
    return weir_gate_wait(gate, count, DISPATCH_TIME_FOREVER);
}

void gate_take(weir_gate_t gate, size_t count) {
    CHECK_EQUAL(gate_wait(gate, count), 0);
}

void gate_submit(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                 void (^work)(void)) {
    CHECK_EQUAL(weir_gate_async(gate, count, queue, work), 0);
}

pthread_t gate_start_waiter(weir_gate_t gate, size_t count,
                            void (^served)(void)) {
    size_t waiting = gate_stats(gate).waiting;
    pthread_t thread = thread_start(^{
      if (gate_wait(gate, count) == 0) {
          served();
      }
    });
    REQUIRE(EVENTUALLY(gate_stats(gate).waiting == waiting + 1));
    return thread;
}

void store_result(void *place, int result) { *(_Atomic int *)place = result; }

dispatch_time_t in_milliseconds(long count) {
    return dispatch_time(DISPATCH_TIME_NOW, count * (long)NSEC_PER_MSEC);
}

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

static void run_block(void *block, void *lane_context) {
    void (^job)(void) = (void (^)(void))block;
    job();
    Block_release(job);
}

void lanes_submit(weir_lanes_t lanes, void (^job)(void)) {
    REQUIRE(weir_lanes_async_f(lanes, (void *)Block_copy(job), run_block) == 0);
}

static void enter(void *meter, void *lane_context) { meter_enter(meter); }

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
}

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

void while_threads_are_taken(void (^body)(void)) {
    enum { THREADS = 255, JOBS = 300 };
    static struct meter taken;
    struct latch *go = latch_create(1);
    dispatch_group_t jobs = dispatch_group_create();
    taken.ever = 0;
    for (int job = 0; job < JOBS; job++) {
        QUEUE(queue, NULL, NULL);
        dispatch_group_async(jobs, queue, ^{
          meter_enter(&taken);
          latch_wait(go);
        });
    }
    REQUIRE(EVENTUALLY(taken.ever >= THREADS));
    body();
    CHECK_EQUAL(taken.ever, THREADS);
    latch_arrive(go);
    dispatch_group_wait(jobs, DISPATCH_TIME_FOREVER);
    dispatch_release(jobs);
}
