/* scenario_lanes.c: lanes, groups, queues, loops and reductions. */
#include "scenarios.h"

/* ---- lanes --------------------------------------------------------------- */

static _Atomic int contexts, ran, dropped, notified;

static void *make_context(void *user, size_t lane) {
    (void)lane;
    contexts++;
    return user;
}

static void free_context(void *context) {
    (void)context;
    contexts--;
}

static void job(void *context, void *lane) {
    (void)context;
    (void)lane;
    ran++;
}

static void drop(void *context) {
    (void)context;
    dropped++;
}

static void notify(void *context) {
    (void)context;
    notified++;
}

static void visit(void *user, void *context) {
    (void)context;
    ++*(int *)user;
}

static int member(void *context, void *lane) {
    (void)lane;
    ran++;
    return context ? EPROTO : 0;
}

static void use_lanes(const weir_lanes_options_t *options, bool can_suspend) {
    contexts = ran = dropped = notified = 0;
    weir_lanes_t lanes = weir_lanes_create(options);
    if (!MADE(lanes)) {
        await_count("contexts", &contexts, 0);
        return;
    }
    int accepted = 0, suspended = 0, visited = 0;
    for (int i = 0; i < 40; i++) {
        accepted +=
            GOOD(i % 2 ? weir_lanes_async_f(lanes, &ran, job)
                       : weir_lanes_async_drop_f(lanes, NULL, job, drop));
    }
    for (int i = 0; i < 4; i++) {
        int error = weir_lanes_try_async_f(lanes, NULL, job);
        accepted += error != EAGAIN && GOOD(error);
    }
    accepted += GOOD(weir_lanes_async_must_f(lanes, NULL, job));
    (void)GOOD(weir_lanes_wait(lanes, LIMIT));
    if (ran != accepted) {
        wrong("%d jobs of %d ran", ran, accepted);
    }
    dispatch_queue_t queue = dispatch_queue_create("lanes", NULL);
    weir_lanes_notify_f(lanes, queue, NULL, notify);
    await_count("notifications", &notified, 1);
    (void)GOOD(weir_lanes_each(lanes, &visited, visit));
    if (can_suspend) {
        weir_lanes_suspend(lanes);
        for (int i = 0; i < 6; i++) {
            suspended += GOOD(weir_lanes_async_f(lanes, &ran, job));
        }
        if (weir_lanes_cancel(lanes) != (size_t)suspended ||
            dropped != suspended) {
            wrong("%d of %d jobs were dropped", dropped, suspended);
        }
        weir_lanes_resume(lanes);
    }
    weir_lanes_close(lanes);
    (void)EXPECT(weir_lanes_async_f(lanes, NULL, job), ECANCELED);
    say("ran %d dropped %d visited %d", ran > 40, dropped, visited);
    weir_lanes_release(lanes);
    dispatch_release(queue);
    await_count("contexts", &contexts, 0);
}

static void lanes(void) {
    const weir_lanes_options_t options = {.label = "lanes",
                                          .width = 3,
                                          .backlog = 16,
                                          .lane_create = make_context,
                                          .lane_destroy = free_context,
                                          .dropped = drop};
    use_lanes(&options, true);
}

static void inline_lanes(void) {
    const weir_lanes_options_t options = {.width = WEIR_LANES_INLINE,
                                          .lane_create = make_context,
                                          .lane_destroy = free_context,
                                          .dropped = drop};
    use_lanes(&options, true);
}

static void busy_lanes(void) {
    const weir_lanes_options_t options = {.width = 2,
                                          .backlog = WEIR_LANES_NO_BACKLOG};
    use_lanes(&options, false);
}

static _Atomic int met;

/* Waits for the other job, as two jobs may that run at once. */
static void meet(void *context, void *lane) {
    (void)lane;
    met++;
    await_count("jobs that meet", context, 2);
}

/* A thread that could not be had is asked for again: no job waits for ever. */
static void meeting(void) {
    met = 0;
    const weir_lanes_options_t options = {.width = 2};
    weir_lanes_t lanes = weir_lanes_create(&options);
    if (!MADE(lanes)) {
        return;
    }
    int accepted = 0;
    for (int i = 0; i < 2; i++) {
        accepted += GOOD(weir_lanes_async_f(lanes, &met, meet));
    }
    for (; accepted == 1; accepted++) {
        met++; /* in place of the job that was refused */
    }
    (void)GOOD(weir_lanes_wait(lanes, FOREVER));
    say("met %d", met);
    weir_lanes_release(lanes);
}

/* The width that the process may use is found once. */
static void default_lanes(void) {
    contexts = ran = 0;
    size_t width = weir_lanes_default_width();
    if (width < 1 || width > WEIR_LANES_WIDTH_MAX) {
        wrong("a default width of %zu", width);
    }
    weir_lanes_t lanes = weir_lanes_create(NULL);
    int accepted = 0;
    if (MADE(lanes)) {
        for (int i = 0; i < 200; i++) {
            accepted += GOOD(weir_lanes_async_f(lanes, NULL, job));
        }
        (void)GOOD(weir_lanes_wait(lanes, LIMIT));
        weir_lanes_release(lanes);
    }
    if (ran != accepted) {
        wrong("%d jobs of %d ran", ran, accepted);
    }
    say("ran %d", ran);
}

/* ---- groups --------------------------------------------------------------- */

static int group_work(void *context) {
    ran++;
    return context ? EPROTO : 0;
}

static void group_end(void *context, int result) {
    *(int *)context = result;
    notified++;
}

static void group(void) {
    contexts = ran = dropped = notified = 0;
    const weir_lanes_options_t options = {.width = 2, .dropped = drop};
    weir_group_t group = weir_group_create("group");
    weir_lanes_t lanes = weir_lanes_create(&options);
    bool has_lanes = MADE(lanes);
    if (MADE(group) && has_lanes) {
        dispatch_queue_t queue = dispatch_queue_create("group", NULL);
        int accepted = 0, end = -1;
        for (int i = 0; i < 8; i++) {
            accepted +=
                GOOD(weir_group_async_f(group, queue, NULL, group_work));
            accepted += GOOD(
                weir_group_async_drop_f(group, queue, NULL, group_work, drop));
            accepted += GOOD(weir_group_lanes_f(group, lanes, NULL, member));
        }
        weir_group_enter(group);
        weir_group_leave(group);
        bool is_told = GOOD(weir_group_notify_f(group, queue, &end, group_end));
        (void)GOOD(weir_group_wait(group, LIMIT));
        if (is_told) {
            await_count("notifications", &notified, 1);
        }
        if (ran != accepted || weir_group_outstanding(group) != 0) {
            wrong("%d of %d members ran", ran, accepted);
        }
        bool has_failed =
            GOOD(weir_group_async_f(group, queue, queue, group_work));
        (void)EXPECT(weir_group_wait(group, LIMIT), has_failed ? EPROTO : 0);
        weir_group_enter(group);
        weir_group_fail(group, EIO);
        weir_group_leave(group);
        accepted = 0;
        for (int i = 0; i < 4; i++) {
            accepted += GOOD(
                weir_group_async_drop_f(group, queue, NULL, group_work, drop));
            accepted += GOOD(weir_group_lanes_f(group, lanes, NULL, member));
        }
        (void)EXPECT(weir_group_wait(group, LIMIT), has_failed ? EPROTO : EIO);
        if (dropped != accepted) {
            wrong("%d of %d members were dropped", dropped, accepted);
        }
        say("ran %d dropped %d end %d", ran, dropped, end);
        dispatch_release(queue);
    }
    if (lanes) {
        weir_lanes_release(lanes);
    }
    if (group) {
        weir_group_release(group);
    }
}

/* ---- queues ------------------------------------------------------------------ */

static _Atomic int finalized;

static void finalize(void *context) {
    (void)context;
    finalized++;
}

static void queue(void) {
    static int own;
    finalized = 0;
    int made = 0;
    for (int i = 0; i < 4; i++) {
        dispatch_queue_t queue =
            weir_queue_create("queue", NULL, i % 2 ? &own : NULL, finalize);
        if (!MADE(queue)) {
            continue;
        }
        made++;
        void *had = weir_queue_get_context(queue);
        bool has_set = GOOD(weir_queue_set_context(queue, i > 1 ? &own : NULL));
        void *has = weir_queue_get_context(queue);
        if (has != (has_set ? i > 1 ? &own : NULL : had)) {
            wrong("context %p of queue %d, before %p", has, i, had);
        }
        dispatch_release(queue);
    }
    await_count("finalized queues", &finalized, made);
    say("finalized %d", finalized);
}

/* ---- loops -------------------------------------------------------------------- */

static void add_range(void *context, size_t begin, size_t end) {
    *(_Atomic size_t *)context += (begin + end - 1) * (end - begin) / 2;
}

static bool add_some(void *context, size_t begin, size_t end) {
    add_range(context, begin, end);
    return true;
}

static void reduce_range(void *context, size_t begin, size_t end,
                         void *partial) {
    (void)context;
    *(size_t *)partial += (begin + end - 1) * (end - begin) / 2;
}

static void combine(void *context, void *result, const void *partial) {
    (void)context;
    *(size_t *)result += *(const size_t *)partial;
}

static void loops(void) {
    dispatch_queue_t queue = dispatch_queue_create("loops", NULL);
    for (size_t stride = 0; stride < 300; stride += 100) {
        _Atomic size_t sum = 0, some = 0, ordered = 0;
        size_t reduced = 0;
        weir_apply_f(10000, stride, NULL, &sum, add_range);
        if (!weir_apply_while_f(10000, stride, NULL, &some, add_some)) {
            wrong("weir_apply_while_f ended early");
        }
        weir_apply_f(1000, stride, queue, &ordered, add_range);
        bool is_reduced =
            GOOD(weir_reduce_f(10000, stride, NULL, NULL, &reduced,
                               sizeof reduced, reduce_range, combine));
        if (sum != 49995000 || some != 49995000 || ordered != 499500 ||
            reduced != (is_reduced ? 49995000 : 0)) {
            wrong("sums %zu %zu %zu %zu", sum, some, ordered, reduced);
        }
        say("reduced %d", is_reduced);
    }
    dispatch_release(queue);
}

const struct scenario lane_scenarios[] = {
    {"lanes", lanes, false},
    {"inline-lanes", inline_lanes, false},
    {"busy-lanes", busy_lanes, false},
    {"meeting", meeting, false},
    {"default-lanes", default_lanes, false},
    {"group", group, false},
    {"queue", queue, false},
    {"loops", loops, false},
    {NULL, NULL, false},
};
