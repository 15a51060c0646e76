/*
 * lanes_waiters.c: the submits that wait for room in the backlog of lanes, by
 * threads and by requests, and the requests that wait until lanes are idle.
 * lanes.c has the note on the design of lanes.
 *
 * DESIGN. Threads and requests wait in one queue, first come, first served, and
 * no later submit overtakes them. The thread that makes room, mostly a lane,
 * accepts the jobs of the waiters under the lock. So jobs start in the order in
 * which their submits came, whatever the threads of the submits do meanwhile.
 * Rejected: a condition that wakes the threads, which then look for room. Then
 * later submits overtake them, and a request has no thread that could look.
 * Rejected, too: a queue for threads here and one for tasks in the overlay. The
 * lanes served one of them first, and the other one waited forever.
 *
 * A thread at the head is served when lanes have taken half of the backlog: if
 * each free place woke it, it would switch threads for every job (measured: 3 %
 * to 6 % of the time of a run over small files). The condition is half of it
 * taken, not half of it empty, since jobs that submit jobs may keep it nearly
 * full forever. A request at the head is served at once: nothing is known about
 * what its function wakes, and there may be no later job to serve it.
 *
 * A request for an idle moment is decided under the lock in which the last job
 * ends, so it never reports an earlier moment. Rejected: a notification of the
 * dispatch group, which nothing can cancel; those of waits that gave up would
 * pile up.
 */
#include "permits/holder.h"
#include "queues/lanes_internal.h"
#include "trace/point.h"

struct room_waiter {
    struct weir__waiter waiter;
    struct weir__lane_job job;
};

/* ---- room --------------------------------------------------------------- */

/* Returns true if each lane has a job, or no lane may start one. */
static bool is_busy(weir_lanes_t lanes) {
    return lanes->stats.suspended > 0 || lanes->is_visited ||
           lanes->stats.running + weir__lanes_queued(lanes) >=
               lanes->stats.width;
}

static bool is_full(weir_lanes_t lanes) {
    return weir__lanes_have_no_backlog(lanes)
               ? is_busy(lanes)
               : lanes->fifo.count >= lanes->backlog;
}

bool weir__lanes_have_room(weir_lanes_t lanes) {
    return !lanes->for_room.head && !is_full(lanes);
}

/* Returns true if it is time to serve the head of the queue, if any. */
static bool is_due(weir_lanes_t lanes) {
    const struct weir__waiter *head = lanes->for_room.head;
    size_t half = lanes->backlog / 2;
    return head && (!head->parked || lanes->popped >= half ||
                    lanes->fifo.count <= half || lanes->stats.suspended > 0);
}

static void decide_head(weir_lanes_t lanes, struct weir__waiters *waiters,
                        int result) {
    struct weir__waiter *head = waiters->head;
    weir__waiters_remove(waiters, head);
    weir__waiter_decide(head, result, &lanes->decided);
}

size_t weir__lanes_serve(weir_lanes_t lanes) {
    if (!is_due(lanes)) {
        return 0;
    }
    size_t served = 0;
    while (lanes->for_room.head && !is_full(lanes)) {
        struct room_waiter *head = (struct room_waiter *)lanes->for_room.head;
        served++;
        lanes->popped = 0;
        decide_head(lanes, &lanes->for_room,
                    weir__lanes_put(lanes, head->job, &lanes->fifo, false));
    }
    return served;
}

void weir__lanes_refuse(weir_lanes_t lanes) {
    while (lanes->for_room.head) {
        decide_head(lanes, &lanes->for_room, ECANCELED);
    }
}

static bool is_idle(weir_lanes_t lanes) {
    return lanes->stats.running + lanes->dropping + weir__lanes_queued(lanes) ==
           0;
}

void weir__lanes_report_idle(weir_lanes_t lanes) {
    while (lanes->for_idle.head && is_idle(lanes)) {
        decide_head(lanes, &lanes->for_idle, 0);
    }
}

static void enqueue(weir_lanes_t lanes, struct weir__waiter *waiter) {
    if (!lanes->for_room.head) {
        lanes->popped = 0;
    }
    lanes->stats.blocked++;
    weir__waiters_insert(&lanes->for_room, waiter, NULL);
}

/* ---- threads ------------------------------------------------------------ */

int weir__lanes_wait_for_room_and_unlock(weir_lanes_t lanes,
                                         struct weir__lane_job job) {
    struct room_waiter entry = {.waiter.parked = dispatch_semaphore_create(0),
                                .job = job};
    if (!entry.waiter.parked) {
        weir__lanes_unlock(lanes);
        return ENOMEM;
    }
    enqueue(lanes, &entry.waiter);
    weir__trace(WEIR_TRACE_WAIT, lanes, weir__lanes_label(lanes), 0, 0, 1);
    weir__lanes_unlock(lanes);
    struct weir__blocked blocked;
    weir__blocked_begin(&blocked, &lanes->object, WEIR_INSPECT_ROOM);
    dispatch_semaphore_wait(entry.waiter.parked, DISPATCH_TIME_FOREVER);
    weir__blocked_end(&blocked);
    dispatch_release(entry.waiter.parked);
    int result = entry.waiter.result;
    weir__trace(result ? WEIR_TRACE_CANCEL : WEIR_TRACE_ACQUIRED, lanes,
                weir__lanes_label(lanes), 0, 0, 1);
    return result;
}

/* ---- requests ----------------------------------------------------------- */

struct weir_lanes_request_s {
    struct weir__object object;
    struct room_waiter entry;
    _Atomic size_t holds; /* one of all users together, one of the queue */
    weir_lanes_t lanes;
    struct weir__waiters *queue;
    void *context;
    void (*decided)(void *context, int result);
};

/* Drops a hold. The last one frees the request and its hold on the lanes. */
static void request_drop_hold(weir_lanes_request_t request) {
    if (atomic_fetch_sub_explicit(&request->holds, 1, memory_order_acq_rel) ==
        1) {
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
        atomic_fetch_add_explicit(&lanes->holds, 1, memory_order_relaxed);
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
        enqueue(lanes, &request->entry.waiter);
        weir__lanes_unlock(lanes);
        return 0;
    }
    int result =
        lanes->stats.closed
            ? ECANCELED
            : weir__lanes_put(lanes, request->entry.job, &lanes->fifo, false);
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

weir_lanes_request_t weir_lanes_request_retain(weir_lanes_request_t request) {
    weir__object_retain(&request->object);
    return request;
}

void weir_lanes_request_release(weir_lanes_request_t request) {
    if (weir__object_release(&request->object)) {
        request_drop_hold(request);
    }
}
