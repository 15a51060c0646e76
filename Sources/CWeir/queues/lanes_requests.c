/* lanes_requests.c: waits that hold no thread (see lanes_waiters.c). */
#include "queues/lanes_state.h"

struct weir_lanes_request_s {
    struct weir__object object;
    struct weir__room_waiter entry;
    _Atomic size_t holds; /* one of all users together, one of the queue */
    weir_lanes_t lanes;
    struct weir__waiters *queue;
    void *context;
    void (*decided)(void *context, int result);
};

/* Drops a hold. The last one frees the request and its hold on the lanes. */
static void request_drop_hold(weir_lanes_request_t request) {
    if (weir__drop_hold(&request->holds)) {
        weir_lanes_t lanes = request->lanes;
        weir__object_bury(&request->object);
        weir__lanes_drop_hold(lanes);
    }
}

static void request_notify(struct weir__waiter *waiter, int result) {
    weir_lanes_request_t request =
        (weir_lanes_request_t)((char *)waiter -
                               offsetof(struct weir_lanes_request_s, entry));
    request->decided(request->context, result);
    request_drop_hold(request);
}

/* Makes a request with a hold on the lanes. NULL if memory is short. */
static weir_lanes_request_t request_create(weir_lanes_t lanes, void *context,
                                           void (*decided)(void *context,
                                                           int result),
                                           weir_lanes_request_t *out) {
    weir__lanes_check(lanes);
    weir_lanes_request_t request = weir__object_create(
        sizeof *request, "the request at the lanes", weir__lanes_label(lanes));
    if (request) {
        add_relaxed(&lanes->holds, 1);
        request->holds = 2;
        request->lanes = lanes;
        request->context = context;
        request->decided = decided;
        request->entry.waiter.notify = request_notify;
        if (out) {
            *out = request;
        } else {
            weir_lanes_request_release(request);
        }
    }
    return request;
}

static int request_room(weir_lanes_request_t request) {
    if (!request) {
        return ENOMEM;
    }
    weir_lanes_t lanes = request->lanes;
    request->queue = &lanes->for_room;
    weir__holder_clear();
    pthread_mutex_lock(&lanes->lock);
    if (!lanes->stats.closed && !weir__lanes_have_room(lanes)) {
        weir__lanes_enqueue(lanes, &request->entry.waiter);
        weir__lanes_unlock(lanes);
        return 0;
    }
    lanes->stats.refused += lanes->stats.closed;
    int result =
        lanes->stats.closed
            ? ECANCELED
            : weir__lanes_put(lanes, &request->entry.job, &lanes->fifo);
    weir__waiter_decide(&request->entry.waiter, result, &lanes->decided);
    weir__lanes_wake_and_unlock(lanes);
    return 0;
}

int weir_lanes_request_f(weir_lanes_t lanes, void *context,
                         void (*work)(void *context, void *lane_context),
                         void (*decided)(void *context, int result),
                         weir_lanes_request_t *out) {
    weir_lanes_request_t request = request_create(lanes, context, decided, out);
    if (request) {
        request->entry.job =
            (struct weir__lane_job){work, lanes->dropped, context, 0};
    }
    return request_room(request);
}

int weir_lanes_request_idle_f(weir_lanes_t lanes, void *context,
                              void (*decided)(void *context, int result),
                              weir_lanes_request_t *out) {
    weir_lanes_request_t request = request_create(lanes, context, decided, out);
    if (!request) {
        return ENOMEM;
    }
    request->queue = &lanes->for_idle;
    request->entry.waiter.since = weir__nanoseconds();
    pthread_mutex_lock(&lanes->lock);
    weir__waiters_insert(request->queue, &request->entry.waiter, NULL);
    weir__lanes_report_idle(lanes);
    weir__lanes_unlock(lanes);
    return 0;
}

int weir_lanes_request_cancel(weir_lanes_request_t request) {
    weir__object_check(&request->object);
    pthread_mutex_t *lock = &request->lanes->lock;
    struct weir__waiter *waiter = &request->entry.waiter;
    pthread_mutex_lock(lock);
    bool cancels = waiter->result == WEIR_UNDECIDED;
    if (cancels) {
        weir__waiters_remove(request->queue, waiter);
        waiter->result = ECANCELED;
    }
    pthread_mutex_unlock(lock);
    if (!cancels) {
        return EALREADY;
    }
    request_notify(waiter, ECANCELED); /* at once, even within a delivery */
    return 0;
}

int weir_lanes_request_withdraw(weir_lanes_request_t request) {
    weir_lanes_t lanes = request->lanes;
    if (weir_lanes_request_cancel(request) == 0) {
        return 0;
    }
    pthread_mutex_lock(&lanes->lock);
    if (request->entry.waiter.result != 0 ||
        !weir__lane_fifo_withdraw(&lanes->fifo, &request->entry.job)) {
        pthread_mutex_unlock(&lanes->lock);
        return EALREADY;
    }
    struct weir__lane_job job = request->entry.job;
    weir__lanes_drop_and_unlock(lanes,
                                (struct weir__lane_fifo){&job, 1, 0, 1, 1});
    return 0;
}

void weir_lanes_request_release(weir_lanes_request_t request) {
    if (weir__object_release(&request->object)) {
        request_drop_hold(request);
    }
}
