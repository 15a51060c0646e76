/*
 * lanes_waiters.c: the submits that wait for room in the backlog of lanes, by
 * threads and by requests, and the requests that wait until lanes are idle.
 * lanes.c has the note on the design of lanes.
 *
 * DESIGN. Threads and requests wait in one queue, and no later submit overtakes
 * them. The thread that makes room, mostly a lane, accepts the jobs of the
 * waiters under the lock. So jobs start in the order in which their submits
 * came. Rejected: a condition that wakes the threads, which then look for room.
 * Then later submits overtake them, and a request has no thread that could
 * look.
 *
 * A thread at the head is served when lanes have taken half of the backlog: if
 * each free place woke it, it would switch threads for every job (measured: 3 %
 * to 6 % of the time of a run over small files). The condition is half of it
 * taken, not half of it empty, since jobs that submit jobs may keep it nearly
 * full forever. A request at the head is served at once: nothing is known about
 * what its function wakes.
 *
 * A request for an idle moment is decided under the lock in which the last job
 * ends, so it never reports an earlier moment.
 */
#include "queues/lanes_state.h"
#include "system/threads.h"
#include "trace/point.h"

/* ---- room --------------------------------------------------------------- */

/* Returns true if each lane has a job, or no lane may start one. */
static bool is_busy(weir_lanes_t lanes) {
    return lanes->stats.suspended > 0 || lanes->is_visited ||
           lanes->stats.running + weir__lanes_queued(lanes) >=
               lanes->stats.width;
}

static bool is_full(weir_lanes_t lanes) {
    return lanes->backlog == WEIR_LANES_NO_BACKLOG
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
        struct weir__room_waiter *head =
            (struct weir__room_waiter *)lanes->for_room.head;
        served++;
        lanes->popped = 0;
        decide_head(lanes, &lanes->for_room,
                    weir__lanes_put(lanes, &head->job, &lanes->fifo));
    }
    return served;
}

void weir__lanes_refuse(weir_lanes_t lanes) {
    while (lanes->for_room.head) {
        lanes->stats.refused++;
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

void weir__lanes_enqueue(weir_lanes_t lanes, struct weir__waiter *waiter) {
    if (!lanes->for_room.head) {
        lanes->popped = 0;
    }
    lanes->stats.blocked++;
    waiter->since = weir__nanoseconds();
    weir__waiters_insert(&lanes->for_room, waiter, NULL);
}

/* ---- threads ------------------------------------------------------------ */

int weir__lanes_wait_for_room_and_unlock(weir_lanes_t lanes,
                                         struct weir__lane_job job) {
    struct weir__room_waiter entry = {
        .waiter.parked = dispatch_semaphore_create(0),
        .waiter.caller.thread = weir__thread_number(),
        .job = job};
    if (!entry.waiter.parked) {
        weir__lanes_unlock(lanes);
        return ENOMEM;
    }
    weir__lanes_enqueue(lanes, &entry.waiter);
    weir__trace(WEIR_TRACE_WAIT, lanes, 0, 0, 1);
    weir__lanes_unlock(lanes);
    dispatch_semaphore_wait(entry.waiter.parked, DISPATCH_TIME_FOREVER);
    dispatch_release(entry.waiter.parked);
    int result = entry.waiter.result;
    weir__trace(result ? WEIR_TRACE_CANCEL : WEIR_TRACE_ACQUIRED, lanes, 0, 0,
                1);
    return result;
}
