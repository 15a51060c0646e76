/* lanes_model_tests.c: lanes against a plain model, in every order of submits, suspends,
   resumes, close and cancel; each result and statistic is compared after every step. */
#include "objects.h"
#include <weir/spi.h>

enum step {
    TRY,      /* weir_lanes_try_async_f: refused if the backlog is full */
    SUBMIT,   /* weir_lanes_async_drop_f, if it does not have to wait */
    MEMBER,   /* weir_group_lanes_f, if it does not have to wait */
    MUST,     /* weir_lanes_async_must_f: never refused, never dropped */
    ASK,      /* weir_lanes_request_f, if it does not have to wait */
    WITHDRAW, /* the first queued job that was asked for, or the last one */
    SUSPEND,
    RESUME,
    CANCEL,
    CLOSE,
    CHANGES,
    WAIT = CHANGES, /* weir_lanes_wait that returns at once */
    VISIT,          /* weir_lanes_each, between jobs */
    STEPS
};

enum { JOBS_MOST = 64 };

struct list {
    int jobs[JOBS_MOST];
    _Atomic int count;
};

static void append(struct list *list, int job) {
    list->jobs[atomic_fetch_add(&list->count, 1)] = job;
}

static uint64_t bits(const struct list *list) {
    uint64_t bits = 0;
    for (int place = 0; place < list->count; place++) {
        bits |= (uint64_t)1 << list->jobs[place];
    }
    return bits;
}

static bool equal(const struct list *left, const struct list *right,
                  bool in_order) {
    return left->count == right->count &&
           (in_order ? memcmp(left->jobs, right->jobs,
                              sizeof(int) * (size_t)left->count) == 0
                     : bits(left) == bits(right));
}

static struct {
    size_t backlog;
    bool closed;
    unsigned suspended;
    uint64_t musts, members, asked;
    struct list queue, ran, dropped;
    int accepted, refused;
} model;

static bool is_must(int job) { return model.musts >> job & 1; }

/* A job that may start has run by the next step. */
static bool is_full(void) {
    size_t places = 0;
    for (int place = 0; place < model.queue.count; place++) {
        places += !is_must(model.queue.jobs[place]);
    }
    return model.suspended > 0 &&
           (model.backlog == WEIR_LANES_NO_BACKLOG || places >= model.backlog);
}

static void model_run(void) {
    if (model.suspended == 0) {
        for (int place = 0; place < model.queue.count; place++) {
            append(&model.ran, model.queue.jobs[place]);
        }
        model.queue.count = 0;
    }
}

static int model_submit(int job) {
    if (!is_must(job) && (model.closed || is_full())) {
        model.refused++;
        return model.closed ? ECANCELED : EAGAIN;
    }
    model.accepted++;
    append(&model.queue, job);
    model_run();
    return 0;
}

/* Returns the place of the job to withdraw, or -1. */
static int wanted_place(bool is_first) {
    int found = -1;
    for (int place = 0; place < model.queue.count; place++) {
        if (model.asked >> model.queue.jobs[place] & 1) {
            found = place;
            if (is_first) {
                break;
            }
        }
    }
    return found;
}

static void model_withdraw(int place) {
    append(&model.dropped, model.queue.jobs[place]);
    model.queue.count--;
    for (; place < model.queue.count; place++) {
        model.queue.jobs[place] = model.queue.jobs[place + 1];
    }
}

static size_t model_cancel(void) {
    struct list queue = model.queue;
    int before = model.dropped.count;
    model.queue.count = 0;
    for (int place = 0; place < queue.count; place++) {
        int job = queue.jobs[place];
        append(is_must(job) ? &model.queue : &model.dropped, job);
    }
    return (size_t)(model.dropped.count - before);
}

static struct {
    weir_lanes_t lanes;
    weir_group_t group;
    size_t width, lane_count;
    struct list ran, dropped;
    weir_lanes_request_t requests[JOBS_MOST];
    int jobs;
    char steps[2 * JOBS_MOST];
    int step_count;
} scene;

static void note_run(void *job, void *lane_context) {
    append(&scene.ran, (int)(intptr_t)job);
}

static int note_member(void *job, void *lane_context) {
    note_run(job, lane_context);
    return 0;
}

static void note_dropped(void *job) {
    append(&scene.dropped, (int)(intptr_t)job);
}

static void begin(size_t width, size_t backlog) {
    memset(&scene, 0, sizeof scene);
    memset(&model, 0, sizeof model);
    scene.width = width;
    scene.lane_count = width == WEIR_LANES_INLINE ? 1 : width;
    scene.group = weir_group_create("members");
    scene.lanes = weir_lanes_create(&(weir_lanes_options_t){
        .width = width, .backlog = backlog, .dropped = note_dropped});
    model.backlog =
        backlog == 0 || width == WEIR_LANES_INLINE ? SIZE_MAX : backlog;
}

static _Atomic int decision;

static void note_decision(void *job, int result) { decision = result; }

/* Returns the result, which has to come at once. */
static int ask(int job) {
    decision = -1;
    model.asked |= (uint64_t)1 << job;
    REQUIRE(weir_lanes_request_f(scene.lanes, (void *)(intptr_t)job, note_run,
                                 note_decision, &scene.requests[job]) == 0);
    return decision;
}

static bool withdraw(void) {
    int place = wanted_place(scene.step_count % 2);
    if (place < 0) {
        for (int job = 0; job < scene.jobs; job++) {
            if (scene.requests[job] &&
                weir_lanes_request_withdraw(scene.requests[job]) != EALREADY) {
                return false;
            }
        }
        return true;
    }
    int job = model.queue.jobs[place];
    model_withdraw(place);
    return weir_lanes_request_withdraw(scene.requests[job]) == 0;
}

static int submit(enum step step, int job) {
    void *context = (void *)(intptr_t)job;
    switch (step) {
    case TRY:
        return weir_lanes_try_async_f(scene.lanes, context, note_run);
    case SUBMIT:
        return weir_lanes_async_drop_f(scene.lanes, context, note_run,
                                       note_dropped);
    case MEMBER:
        model.members |= (uint64_t)1 << job;
        return weir_group_lanes_f(scene.group, scene.lanes, context,
                                  note_member);
    case ASK:
        return ask(job);
    default:
        model.musts |= (uint64_t)1 << job;
        return weir_lanes_async_must_f(scene.lanes, context, note_run);
    }
}

static void count_visit(void *visits, void *lane_context) {
    ++*(size_t *)visits;
}

static bool take(enum step step) {
    size_t visits = 0;
    switch (step) {
    case SUSPEND:
        weir_lanes_suspend(scene.lanes);
        model.suspended++;
        return true;
    case RESUME:
        if (model.suspended > 0) {
            weir_lanes_resume(scene.lanes);
            model.suspended--;
            model_run();
        }
        return true;
    case CANCEL:
        return weir_lanes_cancel(scene.lanes) == model_cancel();
    case WITHDRAW:
        return withdraw();
    case CLOSE:
        weir_lanes_close(scene.lanes);
        model.closed = true;
        return true;
    case WAIT:
        return weir_lanes_wait(scene.lanes, DISPATCH_TIME_NOW) ==
               (model.queue.count == 0 ? 0 : ETIMEDOUT);
    case VISIT:
        return weir_lanes_each(scene.lanes, &visits, count_visit) == 0 &&
               visits == scene.lane_count;
    default:
        /* A submit that waits would wait forever. */
        if ((step == SUBMIT || step == MEMBER || step == ASK) &&
            !model.closed && is_full()) {
            return true;
        }
        int job = scene.jobs++;
        int error = submit(step, job);
        return error == model_submit(job);
    }
}

static bool group_agrees(void) {
    size_t outstanding = weir_group_outstanding(scene.group);
    uint64_t queued = bits(&model.queue) & model.members;
    bool cancelled = (bits(&model.dropped) & model.members) != 0;
    return outstanding == (size_t)__builtin_popcountll(queued) &&
           (outstanding > 0 ||
            weir_group_wait(scene.group, DISPATCH_TIME_NOW) ==
                (cancelled ? ECANCELED : 0));
}

static bool agrees(void) {
    weir_lanes_stats_t stats = lanes_stats(scene.lanes);
    return equal(&scene.ran, &model.ran, scene.lane_count == 1) &&
           equal(&scene.dropped, &model.dropped, true) &&
           stats.queued == (size_t)model.queue.count &&
           stats.submitted == (uint64_t)model.accepted &&
           stats.refused == (uint64_t)model.refused &&
           stats.finished == (uint64_t)model.ran.count &&
           stats.dropped == (uint64_t)model.dropped.count &&
           stats.running == 0 && stats.closed == model.closed &&
           stats.suspended == model.suspended &&
           stats.limit == (model.suspended > 0 ? WEIR_LANES_LIMIT_SUSPENDED
                                               : WEIR_LANES_LIMIT_WORK) &&
           group_agrees();
}

static bool play(enum step step) {
    scene.steps[scene.step_count++] = "tsmMawSRCxWv"[step];
    bool right = take(step);
    if (model.suspended == 0) {
        REQUIRE(lanes_wait(scene.lanes));
    }
    return CHECK(right && agrees(), "width %zd, backlog %zd, steps %s",
                 (ssize_t)scene.width, (ssize_t)model.backlog, scene.steps);
}

static void end(void) {
    bool right = true;
    while (right && model.suspended > 0) {
        right = play(RESUME);
    }
    REQUIRE(right && model.queue.count == 0);
    for (int job = 0; job < scene.jobs; job++) {
        if (scene.requests[job]) {
            weir_lanes_request_release(scene.requests[job]);
        }
    }
    weir_group_release(scene.group);
    weir_lanes_release(scene.lanes);
}

static void play_every_order(size_t width, size_t backlog, long depth) {
    long orders = 1;
    for (long step = 0; step < depth; step++) {
        orders *= CHANGES;
    }
    for (long order = 0; order < orders; order++) {
        begin(width, backlog);
        long rest = order;
        for (long step = 0; step < depth; step++, rest /= CHANGES) {
            REQUIRE(play((enum step)(rest % CHANGES)));
        }
        REQUIRE(play(WAIT) && play(VISIT));
        end();
    }
}

/* With several lanes a step less: threads take most of the time. */
TEST(every_order_of_changes) {
    static const size_t widths[] = {WEIR_LANES_INLINE, 1, 3};
    static const size_t backlogs[] = {0, 1, 2, WEIR_LANES_NO_BACKLOG};
    long depth = check_setting("WEIR_TEST_DEPTH", 4);
    for (int row = 0; row < 12; row++) {
        play_every_order(widths[row / 4], backlogs[row % 4],
                         row < 8 ? depth : depth - 1);
    }
}

TEST(long_random_orders) {
    struct check_random random = check_random("orders of lanes");
    for (int round = 0; round < 400; round++) {
        size_t width = 1 + check_below(&random, 4);
        size_t backlog = check_below(&random, 4) == 0 ? WEIR_LANES_NO_BACKLOG
                                                      : check_below(&random, 6);
        begin(width, backlog);
        for (int count = 0; count < 60; count++) {
            enum step step = (enum step)check_below(&random, STEPS);
            bool rare = step == CLOSE && check_below(&random, 20) > 0;
            REQUIRE(play(rare ? TRY : step));
        }
        end();
    }
}
