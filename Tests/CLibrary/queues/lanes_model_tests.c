/* lanes_model_tests.c: lanes against a plain model, in random orders of operations. */
#include "objects.h"
#include <weir/spi.h>

enum step {
    TRY,      /* weir_lanes_try_async_f: refused if the backlog is full */
    SUBMIT,   /* weir_lanes_async_drop_f, if it does not have to wait */
    MEMBER,   /* weir_group_lanes_f, if it does not have to wait */
    MUST,     /* weir_lanes_async_must_f: never refused, never dropped */
    ASK,      /* weir_lanes_request_f, which waits for room if there is none */
    WITHDRAW, /* the first job that was asked for, or the last one */
    SUSPEND,
    RESUME,
    CANCEL,
    CLOSE,
    WAIT,  /* weir_lanes_wait that returns at once */
    VISIT, /* weir_lanes_each, between jobs */
    IDLE, /* weir_lanes_request_idle_f, or a cancel of the first such request */
    STEPS
};

enum { JOBS_MOST = 80, UNDECIDED = -1 };

struct list {
    int jobs[JOBS_MOST];
    _Atomic int count;
};

static void append(struct list *list, int job) {
    list->jobs[atomic_fetch_add(&list->count, 1)] = job;
}

static int take_out(struct list *list, int place) {
    int job = list->jobs[place];
    memmove(&list->jobs[place], &list->jobs[place + 1],
            sizeof job * (size_t)(--list->count - place));
    return job;
}

static bool has(const struct list *list, int job) {
    bool has = false;
    for (int place = 0; place < list->count; place++) {
        has |= list->jobs[place] == job;
    }
    return has;
}

static bool equal(const struct list *left, const struct list *right,
                  bool in_order) {
    bool same = left->count == right->count;
    for (int place = 0; place < left->count; place++) {
        same &= in_order ? left->jobs[place] == right->jobs[place]
                         : has(right, left->jobs[place]);
    }
    return same;
}

static size_t shared(const struct list *left, const struct list *right) {
    size_t count = 0;
    for (int place = 0; place < left->count; place++) {
        count += has(right, left->jobs[place]);
    }
    return count;
}

/* Requests for room and for an idle moment wait in line; their decisions are by job. */
static struct {
    size_t backlog;
    bool closed;
    unsigned suspended;
    struct list musts, members, asked;
    struct list queue, ran, dropped, for_room, for_idle;
    int accepted, refused, blocked, decisions[JOBS_MOST];
} model;

static bool is_must(int job) { return has(&model.musts, job); }

/* A job that may start has run by the next step. */
static bool is_full(void) {
    size_t places = 0;
    for (int place = 0; place < model.queue.count; place++) {
        places += !is_must(model.queue.jobs[place]);
    }
    return model.suspended > 0 &&
           (model.backlog == WEIR_LANES_NO_BACKLOG || places >= model.backlog);
}

static void model_accept(int job) {
    model.accepted++;
    append(&model.queue, job);
}

/* Runs jobs, serves the requests for room, and reports an idle moment, as far as the
   lanes can. */
static void model_go_on(void) {
    bool goes_on = true;
    while (goes_on) {
        while (model.suspended == 0 && model.queue.count > 0) {
            append(&model.ran, take_out(&model.queue, 0));
        }
        goes_on = model.for_room.count > 0 && !is_full();
        if (goes_on) {
            int job = take_out(&model.for_room, 0);
            model.decisions[job] = 0;
            model_accept(job);
        }
    }
    while (model.queue.count == 0 && model.for_idle.count > 0) {
        model.decisions[take_out(&model.for_idle, 0)] = 0;
    }
}

static int model_submit(int job) {
    if (!is_must(job) && (model.closed || is_full())) {
        model.refused++;
        return model.closed ? ECANCELED : EAGAIN;
    }
    model_accept(job);
    return 0;
}

static void model_ask(int job) {
    append(&model.asked, job);
    if (!model.closed && is_full()) {
        model.decisions[job] = UNDECIDED;
        model.blocked++;
        append(&model.for_room, job);
    } else {
        model.decisions[job] = model_submit(job);
    }
}

/* Withdraws the first job that was asked for and has not begun, or the last one. Returns
   it, or -1. */
static int model_withdraw(bool is_first) {
    int place = 0, queued = model.queue.count;
    if (model.for_room.count > 0 && !is_first) {
        place = model.for_room.count - 1 + queued;
    } else {
        while (place < queued &&
               !has(&model.asked,
                    model.queue.jobs[is_first ? place : queued - 1 - place])) {
            place++;
        }
        place = place == queued ? queued
                : is_first      ? place
                                : queued - 1 - place;
    }
    if (place >= queued + model.for_room.count) {
        return -1;
    }
    if (place < queued) {
        int job = take_out(&model.queue, place);
        append(&model.dropped, job);
        return job;
    }
    int job = take_out(&model.for_room, place - queued);
    model.decisions[job] = ECANCELED;
    return job;
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
    _Atomic int decisions[JOBS_MOST], times_decided[JOBS_MOST];
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

static void note_decision(void *job, int result) {
    scene.decisions[(intptr_t)job] = result;
    scene.times_decided[(intptr_t)job]++;
}

/* A job that was withdrawn, or of a request that was decided, cannot be withdrawn, unless
   it is queued. */
static bool withdraw(void) {
    int job = model_withdraw(scene.step_count % 2);
    bool right =
        job < 0 || weir_lanes_request_withdraw(scene.requests[job]) == 0;
    for (job = 0; job < scene.jobs; job++) {
        if (scene.requests[job] && model.decisions[job] != UNDECIDED) {
            right &=
                weir_lanes_request_cancel(scene.requests[job]) == EALREADY &&
                (has(&model.queue, job) ||
                 weir_lanes_request_withdraw(scene.requests[job]) == EALREADY);
        }
    }
    return right;
}

static bool ask_for_idle(void) {
    if (model.for_idle.count > 0 && scene.step_count % 2 > 0) {
        int job = take_out(&model.for_idle, 0);
        model.decisions[job] = ECANCELED;
        return weir_lanes_request_cancel(scene.requests[job]) == 0;
    }
    int job = scene.jobs++;
    model.decisions[job] = UNDECIDED;
    append(&model.for_idle, job);
    return weir_lanes_request_idle_f(scene.lanes, (void *)(intptr_t)job,
                                     note_decision, &scene.requests[job]) == 0;
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
        append(&model.members, job);
        return weir_group_lanes_f(scene.group, scene.lanes, context,
                                  note_member);
    default:
        append(&model.musts, job);
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
        }
        return true;
    case CANCEL:
        return weir_lanes_cancel(scene.lanes) == model_cancel();
    case WITHDRAW:
        return withdraw();
    case CLOSE:
        weir_lanes_close(scene.lanes);
        model.closed = true;
        while (model.for_room.count > 0) {
            model.refused++;
            model.decisions[take_out(&model.for_room, 0)] = ECANCELED;
        }
        return true;
    case IDLE:
        return ask_for_idle();
    case ASK:
        model_ask(scene.jobs);
        return weir_lanes_request_f(scene.lanes, (void *)(intptr_t)scene.jobs,
                                    note_run, note_decision,
                                    &scene.requests[scene.jobs++]) == 0;
    case WAIT:
        return weir_lanes_wait(scene.lanes, DISPATCH_TIME_NOW) ==
               (model.queue.count == 0 ? 0 : ETIMEDOUT);
    case VISIT:
        return weir_lanes_each(scene.lanes, &visits, count_visit) == 0 &&
               visits == scene.lane_count;
    default:
        /* A submit that waits would wait forever. */
        if ((step == SUBMIT || step == MEMBER) && !model.closed && is_full()) {
            return true;
        }
        int job = scene.jobs++;
        int error = submit(step, job);
        return error == model_submit(job);
    }
}

static bool group_agrees(void) {
    size_t outstanding = weir_group_outstanding(scene.group);
    bool cancelled = shared(&model.dropped, &model.members) > 0;
    return outstanding == shared(&model.queue, &model.members) &&
           (outstanding > 0 ||
            weir_group_wait(scene.group, DISPATCH_TIME_NOW) ==
                (cancelled ? ECANCELED : 0));
}

static bool decisions_agree(void) {
    bool decided = true;
    for (int job = 0; job < scene.jobs; job++) {
        bool is_pending = model.decisions[job] == UNDECIDED;
        decided &=
            !scene.requests[job] ||
            (scene.times_decided[job] == !is_pending &&
             (is_pending || scene.decisions[job] == model.decisions[job]));
    }
    return decided;
}

static bool agrees(void) {
    weir_lanes_stats_t stats = lanes_stats(scene.lanes);
    return decisions_agree() && stats.blocked == (size_t)model.blocked &&
           equal(&scene.ran, &model.ran, scene.lane_count == 1) &&
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
    scene.steps[scene.step_count++] = "tsmMawSRCxWvi"[step];
    bool right = take(step);
    model_go_on();
    if (model.suspended == 0 && scene.width != WEIR_LANES_INLINE) {
        /* Decisions are delivered without the lock, soon after the job, and a job that
           was asked for may come after a wait that has ended. */
        REQUIRE(EVENTUALLY(decisions_agree()) && lanes_wait(scene.lanes));
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

/* The orders become longer. */
TEST(random_orders_of_changes) {
    static const size_t widths[] = {WEIR_LANES_INLINE, 1, 2, 3, 4},
                        backlogs[] = {0, 1, 2, 3, 5, WEIR_LANES_NO_BACKLOG};
    struct check_random random = check_random("orders of lanes");
    for (int round = 0; round < 6000; round++) {
        begin(widths[check_below(&random, 5)],
              backlogs[check_below(&random, 6)]);
        for (int count = round % 60; count >= 0; count--) {
            enum step step = (enum step)check_below(&random, STEPS);
            bool rare = step == CLOSE && check_below(&random, 20) > 0;
            REQUIRE(play(rare ? TRY : step));
        }
        end();
    }
}
