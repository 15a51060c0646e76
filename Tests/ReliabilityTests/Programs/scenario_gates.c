/* scenario_gates.c: gates, requests, asynchronous work, the descriptor budget. */
#include "scenarios.h"

struct decision {
    _Atomic int calls;
    int result;
};

static void decided(void *context, int result) {
    struct decision *decision = context;
    decision->result = result;
    decision->calls++;
}

static void granted(void *context, size_t count) {
    struct decision *decision = context;
    decision->result = (int)count;
    decision->calls++;
}

static void count(void *context) { ++*(_Atomic int *)context; }

static void signal_later(void *gate) {
    usleep(1000);
    weir_gate_signal(gate, 1);
}

static void say_stats(weir_gate_t gate) {
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    say("permits %zu in use %zu waiting %zu closed %d", stats.permits,
        stats.in_use, stats.waiting, stats.closed);
    if (stats.in_use > 0 || stats.waiting > 0) {
        wrong("%zu permits in use, %zu waiters at the end", stats.in_use,
              stats.waiting);
    }
}

/* Permits by wait and try; a wait that blocks, and one that times out. */
static void waits(void) {
    weir_gate_t gate = weir_gate_create("gate", 2);
    if (!MADE(gate)) {
        return;
    }
    bool has = GOOD(weir_gate_wait(gate, 2, FOREVER));
    (void)EXPECT(weir_gate_try(gate, 1), EAGAIN);
    (void)EXPECT(weir_gate_wait(gate, 1, SOON), ETIMEDOUT);
    (void)EXPECT(weir_gate_wait(gate, 3, SOON), EINVAL);
    dispatch_queue_t queue = dispatch_queue_create("other", NULL);
    dispatch_async_f(queue, gate, signal_later);
    if (has && GOOD(weir_gate_wait(gate, 1, FOREVER))) {
        weir_gate_signal(gate, 1);
    }
    weir_gate_stats_t stats;
    do {
        weir_gate_stats(gate, &stats, sizeof stats);
    } while (stats.in_use > 1 && usleep(100) == 0);
    weir_gate_signal(gate, 1);
    dispatch_release(queue);
    weir_gate_close(gate);
    (void)EXPECT(weir_gate_wait(gate, 1, FOREVER), ECANCELED);
    say_stats(gate);
    weir_gate_release(gate);
}

/* Requests that are served, cancelled, refused by a resize and by a close. */
static void requests(void) {
    weir_gate_t gate = weir_gate_create(NULL, 2);
    if (!MADE(gate)) {
        return;
    }
    struct decision served = {0}, cancelled = {0}, big = {0}, closed = {0};
    weir_gate_request_t one, two;
    (void)GOOD(weir_gate_wait(gate, 2, FOREVER));
    bool has_one = GOOD(weir_gate_request_f(gate, 1, &served, decided, &one));
    bool has_two =
        GOOD(weir_gate_request_f(gate, 1, &cancelled, decided, &two));
    bool has_big = GOOD(weir_gate_request_f(gate, 2, &big, decided, NULL));
    if (has_two) {
        (void)EXPECT(weir_gate_request_cancel(two), 0);
        weir_gate_request_release(two);
    }
    weir_gate_signal(gate, 1);
    if (has_one) {
        (void)EXPECT(weir_gate_request_cancel(one), EALREADY);
        weir_gate_request_release(one);
        weir_gate_signal(gate, 1);
    }
    (void)GOOD(weir_gate_resize(gate, 1));
    bool has_last = GOOD(weir_gate_request_f(gate, 1, &closed, decided, NULL));
    weir_gate_close(gate);
    weir_gate_signal(gate, 1);
    const struct decision *all[] = {&served, &cancelled, &big, &closed};
    const bool has[] = {has_one, has_two, has_big, has_last};
    for (int i = 0; i < 4; i++) {
        if (all[i]->calls != has[i]) {
            wrong("request %d was decided %d times", i, all[i]->calls);
        }
        say("request %d: %d", i, all[i]->result);
    }
    say_stats(gate);
    weir_gate_release(gate);
}

/* Work that takes permits, on a queue; and permits for an executor. */
static void work(void) {
    weir_gate_t gate = weir_gate_create("work", 2);
    if (!MADE(gate)) {
        return;
    }
    dispatch_queue_t queue = dispatch_queue_create("work", NULL);
    _Atomic int ran = 0;
    int accepted = 0;
    for (int i = 0; i < 12; i++) {
        accepted += GOOD(
            weir_gate_async_f(gate, 1 + (size_t)i % 2, queue, &ran, count));
    }
    struct decision grant = {0};
    bool has_grant = GOOD(weir_gate_grant_f(gate, 1, &grant, granted));
    await_count("work", &ran, accepted);
    if (has_grant) {
        await_count("grant", &grant.calls, 1);
        weir_gate_signal(gate, 1);
    }
    weir_gate_stats_t stats;
    do { /* the last work returns its permits after it ran */
        weir_gate_stats(gate, &stats, sizeof stats);
    } while (stats.in_use > 0 && usleep(100) == 0);
    weir_gate_close(gate);
    (void)EXPECT(weir_gate_async_f(gate, 1, queue, &ran, count), ECANCELED);
    dispatch_release(queue);
    say("ran %d", ran);
    say_stats(gate);
    weir_gate_release(gate);
}

#ifdef __BLOCKS__
/* The block forms of gates, lanes and groups: a refused block is released. */
static void blocks(void) {
    weir_gate_t gate = weir_gate_create("blocks", 1);
    weir_group_t group = weir_group_create("blocks");
    weir_lanes_options_t options = {.width = 2};
    weir_lanes_t lanes = weir_lanes_create(&options);
    bool has_all = MADE(gate), has_group = MADE(group), has_lanes = MADE(lanes);
    has_all = has_all && has_group && has_lanes;
    static _Atomic int ran;
    ran = 0;
    int accepted = 0;
    if (has_all) {
        dispatch_queue_t queue = dispatch_queue_create("blocks", NULL);
        accepted += GOOD(weir_gate_async(gate, 1, queue, ^{
          (void)accepted;
          ran++;
        }));
        accepted += GOOD(weir_gate_request(
            gate, 1,
            ^(int result) {
              ran += accepted >= 0;
              if (result == 0) {
                  weir_gate_signal(gate, 1);
              }
            },
            NULL));
        accepted += GOOD(weir_lanes_async(lanes, ^(void *context) {
          ran += accepted >= 0 && !context;
        }));
        accepted += GOOD(weir_lanes_try_async(lanes, ^(void *context) {
          ran += accepted >= 0 && !context;
        }));
        accepted += GOOD(weir_group_lanes(group, lanes, ^(void *context) {
          ran += accepted >= 0 && !context;
          return 0;
        }));
        accepted += GOOD(weir_group_async(group, queue, ^{
          ran += accepted >= 0;
          return 0;
        }));
        accepted += GOOD(weir_group_notify(group, queue, ^(int result) {
          ran += accepted >= 0 && result == 0;
        }));
        (void)GOOD(weir_group_wait(group, LIMIT));
        (void)GOOD(weir_lanes_wait(lanes, LIMIT));
        await_count("blocks", &ran, accepted);
        dispatch_release(queue);
    }
    say("blocks %d", ran);
    if (gate) {
        weir_gate_release(gate);
    }
    if (group) {
        weir_group_release(group);
    }
    if (lanes) {
        weir_lanes_release(lanes);
    }
}
#endif

/* The budget, computed anew in this process, and its gate. */
static void budget(void) {
    size_t first = weir_descriptor_budget();
    if (first < 1 || first > 1048576 || weir_descriptor_limit() < first) {
        wrong("a budget of %zu, a limit of %zu", first,
              weir_descriptor_limit());
    }
    (void)GOOD(weir_descriptor_raise_limit());
    (void)GOOD(weir_descriptor_set_budget(40));
    (void)EXPECT(weir_descriptor_set_budget(0), EINVAL);
    weir_gate_t gate = weir_descriptor_gate();
    if (GOOD(weir_gate_wait(gate, 2, LIMIT))) {
        if (!weir_descriptor_retry(EINTR, 1) ||
            weir_descriptor_retry(EACCES, 1) ||
            !weir_descriptor_retry(EMFILE, 1)) {
            wrong("weir_descriptor_retry");
        }
        weir_gate_signal(gate, 2);
    }
    (void)GOOD(weir_descriptor_set_budget(40));
    say("budget %zu", weir_descriptor_budget());
}

const struct scenario gate_scenarios[] = {
    {"waits", waits, false},   {"requests", requests, false},
    {"work", work, false},     {"budget", budget, false},
#ifdef __BLOCKS__
    {"blocks", blocks, false},
#endif
    {NULL, NULL, false},
};
