/* gate_model_tests.c: a gate against a plain model, in random orders of operations. */
#include "objects.h"
#include <weir/spi.h>

enum { MOST = 64, UNDECIDED = -1 };

/* Operations: 'r'equest, 'w'ork, 't'ry, 's'ignal, resi'z'e, 'c'lose, and cancel, 'x',
   whose count is the place of a waiter, from 0. */
struct step {
    char operation;
    size_t count;
};

struct waiter {
    int id;
    size_t count;
    bool is_work;
};

/* The results of waiters are by id: those of work that has run are 0. Work returns its
   permits at once, so only requests and tries hold any. */
struct model {
    size_t permits, in_use, waits;
    bool closed;
    int waiting;
    struct waiter queue[MOST];
    int results[MOST];
};

static void model_remove(struct model *model, int place, int result) {
    model->results[model->queue[place].id] = result;
    model->waiting--;
    memmove(&model->queue[place], &model->queue[place + 1],
            (size_t)(model->waiting - place) * sizeof *model->queue);
}

static void model_serve(struct model *model) {
    while (model->waiting > 0) {
        struct waiter first = model->queue[0];
        size_t permits = model->permits;
        size_t need =
            first.is_work && first.count > permits ? permits : first.count;
        bool is_paused = first.is_work && permits == 0 && !model->closed;
        if (is_paused || model->in_use + need > permits) {
            return;
        }
        model->in_use += first.is_work ? 0 : need;
        model->waits++;
        model_remove(model, 0, 0);
    }
}

static int model_refusal(const struct model *model, size_t count) {
    size_t most = model->permits > 0 ? model->permits : WEIR_GATE_PERMITS_MAX;
    return model->closed ? ECANCELED : count > most ? EINVAL : 0;
}

static int model_enter(struct model *model, struct waiter waiter) {
    int refusal = model_refusal(model, waiter.count);
    if (refusal != 0) {
        model->results[waiter.id] = waiter.is_work ? UNDECIDED : refusal;
        return refusal;
    }
    model->queue[model->waiting++] = waiter;
    model_serve(model);
    return 0;
}

static int model_try(const struct model *model, size_t count) {
    int refusal = model_refusal(model, count);
    bool fits = model->waiting == 0 && model->in_use + count <= model->permits;
    return refusal != 0 ? refusal : fits ? 0 : EAGAIN;
}

/* Refuses the requests that the gate, as it is now, would not accept. */
static void model_refuse(struct model *model) {
    for (int place = model->waiting - 1; place >= 0; place--) {
        int refusal = model_refusal(model, model->queue[place].count);
        if (refusal != 0 && !model->queue[place].is_work) {
            model_remove(model, place, refusal);
        }
    }
    model_serve(model);
}

struct answer {
    struct scene *scene;
    size_t count;
    weir_gate_request_t request;
    _Atomic int result, times;
};

struct scene {
    weir_gate_t gate;
    dispatch_queue_t queue;
    struct model model;
    int ids;
    _Atomic bool wrong;
    struct answer answers[MOST];
};

static void answer_with(void *context, int result) {
    struct answer *answer = context;
    answer->result = result;
    answer->times++;
}

static void answer_by_work(void *answer) { answer_with(answer, 0); }

static void answer_by_grant(void *context, size_t granted) {
    struct answer *answer = context;
    weir_gate_t gate = answer->scene->gate;
    size_t permits = gate_stats(gate).permits;
    answer->scene->wrong |=
        granted != (answer->count < permits ? answer->count : permits);
    answer_with(answer, 0);
    weir_gate_signal(gate, granted);
}

/* Work is on a queue or runs on the thread that lets it through. */
static bool enter(struct scene *scene, size_t count, bool is_work) {
    int id = scene->ids++, error;
    struct answer *answer = &scene->answers[id];
    answer->scene = scene;
    answer->count = count;
    if (!is_work) {
        error = weir_gate_request_f(scene->gate, count, answer, answer_with,
                                    &answer->request);
    } else if (id % 2 == 0) {
        error = weir_gate_async_f(scene->gate, count, scene->queue, answer,
                                  answer_by_work);
    } else {
        error = weir_gate_grant_f(scene->gate, count, answer, answer_by_grant);
    }
    int expected =
        model_enter(&scene->model, (struct waiter){id, count, is_work});
    return error == (is_work ? expected : 0);
}

static bool cancel(struct scene *scene, int place) {
    struct model *model = &scene->model;
    if (place >= model->waiting || model->queue[place].is_work) {
        return true;
    }
    weir_gate_request_t request =
        scene->answers[model->queue[place].id].request;
    model_remove(model, place, ECANCELED);
    model_serve(model);
    return weir_gate_request_cancel(request) == 0 &&
           weir_gate_request_cancel(request) == EALREADY;
}

static bool take(struct scene *scene, struct step step) {
    struct model *model = &scene->model;
    size_t count = step.count;
    int error = 0, expected = 0;
    switch (step.operation) {
    case 't':
        expected = model_try(model, count);
        model->in_use += expected == 0 ? count : 0;
        model->waits += expected == 0;
        error = weir_gate_try(scene->gate, count);
        break;
    case 's':
        count = count > model->in_use ? 0 : count;
        weir_gate_signal(scene->gate, count);
        model->in_use -= count;
        model_serve(model);
        break;
    case 'z':
        error = weir_gate_resize(scene->gate, count);
        model->permits = count;
        model_refuse(model);
        break;
    case 'c':
        weir_gate_close(scene->gate);
        model->closed = true;
        model_refuse(model);
        break;
    case 'x':
        return cancel(scene, (int)count);
    default:
        return enter(scene, count, step.operation == 'w');
    }
    return error == expected;
}

static bool agrees(const struct scene *scene) {
    const struct model *model = &scene->model;
    weir_gate_stats_t stats = gate_stats(scene->gate);
    bool same = !scene->wrong && stats.permits == model->permits &&
                stats.in_use == model->in_use &&
                stats.waiting == (size_t)model->waiting &&
                stats.waits == model->waits && stats.closed == model->closed;
    for (int id = 0; id < scene->ids; id++) {
        const struct answer *answer = &scene->answers[id];
        same = same && answer->result == model->results[id] &&
               answer->times == (model->results[id] != UNDECIDED);
    }
    return same;
}

/* Work may let other work through, in one job of the queue after the other. */
static bool settles(struct scene *scene) {
    for (int round = 0; round < scene->ids + 2 && !agrees(scene); round++) {
        dispatch_sync(scene->queue, ^{
                      });
    }
    return agrees(scene);
}

/* In the end, the gate is closed and all permits return: every waiter ends. */
static void play(dispatch_queue_t queue, size_t permits, struct step steps[],
                 int count) {
    struct scene scene = {weir_gate_create("model", permits), queue,
                          .model = {.permits = permits}};
    char text[MOST * 24] = "", *end = text;
    for (int id = 0; id < MOST; id++) {
        scene.model.results[id] = scene.answers[id].result = UNDECIDED;
    }
    bool same = true;
    steps[count] = (struct step){'c', 0};
    for (int place = 0; place <= count && same; place++) {
        same = take(&scene, steps[place]) && settles(&scene);
    }
    same = same && take(&scene, (struct step){'s', scene.model.in_use}) &&
           settles(&scene) && scene.model.waiting + scene.model.in_use == 0;
    for (int place = 0; place <= count && !same; place++) {
        end +=
            sprintf(end, " %c%zu", steps[place].operation, steps[place].count);
    }
    REQUIRE(same, "%zu permits, operations%s", permits, text);
    for (int id = 0; id < scene.ids; id++) {
        if (scene.answers[id].request != NULL) {
            weir_gate_request_release(scene.answers[id].request);
        }
    }
    weir_gate_release(scene.gate);
}

/* Requests and work of every size, and cancels at every place; the orders become longer. */
TEST(random_orders) {
    static const char operations[] = "rrrrwwwttssssssszzxxxc";
    QUEUE(queue, "work", NULL);
    struct check_random random = check_random("random orders");
    for (int order = 0; order < 20000; order++) {
        struct step steps[MOST];
        size_t permits = check_below(&random, 7);
        int length = 1 + order % (MOST - 4);
        for (int place = 0; place < length; place++) {
            char operation = operations[check_below(&random, 22)];
            bool is_early = operation == 'c' && check_below(&random, 10) > 0;
            bool takes = strchr("rwt", operation) != NULL;
            bool is_huge = takes && check_below(&random, 20) == 0;
            size_t count = check_below(&random, permits + 2);
            count = is_huge ? SIZE_MAX >> count : count;
            steps[place] = (struct step){
                is_early ? 's' : operation,
                count == 0 && (takes || operation == 's') ? 1 : count};
        }
        play(queue, permits, steps, length);
    }
}
