/*
 * gate_requests.c: requests for permits that hold no thread while they wait,
 * with a callback (weir_gate_request_f, weir_gate_grant_f) or with work for a
 * queue (weir_gate_async_f). gate.c has the note on the design.
 */
#include "permits/gate_state.h"

/* Takes the permits, queues the waiter (WEIR_UNDECIDED), or refuses. */
static int request_permits(weir_gate_t gate, struct weir__waiter *waiter) {
    weir__holder_clear();
    int result = weir__gate_refusal(gate, waiter->count);
    if (result == 0 && waiter->count > 0 &&
        !weir__gate_take(gate, waiter->count,
                         WEIR_GATE_WAITERS | WEIR_GATE_CLOSED)) {
        pthread_mutex_lock(&gate->lock);
        result = weir__gate_take_or_enqueue(gate, waiter);
        pthread_mutex_unlock(&gate->lock);
    }
    return result;
}

/* Delivers a result that was known before the waiter was ever queued. */
static void deliver_now(struct weir__waiter *waiter, int result) {
    waiter->result = result;
    waiter->next = NULL;
    struct weir__decided list = {waiter, &waiter->next};
    weir__deliver(&list);
}

static void trace_grant(weir_gate_t gate, const struct weir__waiter *waiter,
                        int result) {
    if (result == 0 && waiter->count > 0) {
        weir__trace_by(WEIR_TRACE_ACQUIRED, gate, waiter->number, 0,
                       waiter->count, &waiter->caller);
    }
}

/* ---- requests ---------------------------------------------------------- */

struct weir_gate_request_s {
    struct weir__object object;
    struct weir__waiter waiter;
    char *name;           /* of the task that waits, or NULL */
    _Atomic size_t holds; /* one of all users together, one of the queue */
    weir_gate_t gate;
    void *context;
    void (*decided)(void *context, int result);
};

/* Drops a hold. The last one frees the request and its hold on the gate. */
static void request_drop_hold(weir_gate_request_t request) {
    if (weir__drop_hold(&request->holds)) {
        weir_gate_t gate = request->gate;
        free(request->name);
        weir__object_bury(&request->object);
        weir_gate_release(gate);
    }
}

static void request_notify(struct weir__waiter *waiter, int result) {
    weir_gate_request_t request =
        (weir_gate_request_t)((char *)waiter -
                              offsetof(struct weir_gate_request_s, waiter));
    trace_grant(request->gate, waiter, result);
    request->decided(request->context, result);
    request_drop_hold(request);
}

int weir_gate_request_f(weir_gate_t gate, size_t count, void *context,
                        void (*decided)(void *context, int result),
                        weir_gate_request_t *out) {
    return weir_gate_request_from(gate, count, NULL, context, decided, out);
}

int weir_gate_request_from(weir_gate_t gate, size_t count,
                           const weir_caller_t *caller, void *context,
                           void (*decided)(void *context, int result),
                           weir_gate_request_t *out) {
    weir__object_check(&gate->object);
    weir_gate_request_t request = weir__object_create(
        sizeof *request, "the request at the gate", gate->object.label);
    if (!request) {
        return ENOMEM;
    }
    request->holds = 2;
    request->gate = weir_gate_retain(gate);
    request->waiter.count = count;
    request->waiter.notify = request_notify;
    request->context = context;
    request->decided = decided;
    if (caller) {
        request->name = caller->name ? strdup(caller->name) : NULL;
        request->waiter.kept = caller->kept;
        request->waiter.caller = weir__caller_of(caller, request->name);
    }
    if (out) {
        *out = request;
    } else {
        weir_gate_request_release(request);
    }
    int result = request_permits(gate, &request->waiter);
    if (result != WEIR_UNDECIDED) {
        deliver_now(&request->waiter, result);
    }
    return 0;
}

int weir_gate_request_cancel(weir_gate_request_t request) {
    return weir_gate_request_end(request, ECANCELED);
}

int weir_gate_request_end(weir_gate_request_t request, int result) {
    weir__object_check(&request->object);
    weir_gate_t gate = request->gate;
    if (result <= 0) {
        weir__misuse("a request at the gate \"%.100s\" was ended with the "
                     "result %d, but only the gate grants a request; pass an "
                     "error above 0",
                     gate->object.label, result);
    }
    WEIR_DECIDED(mine);
    WEIR_DECIDED(others);
    pthread_mutex_lock(&gate->lock);
    bool cancels = request->waiter.result == WEIR_UNDECIDED;
    if (cancels) {
        bool was_head = gate->waiters.head == &request->waiter;
        weir__gate_decide(gate, &request->waiter, result, &mine);
        if (was_head) {
            weir__gate_serve(gate, &others);
        }
    }
    pthread_mutex_unlock(&gate->lock);
    if (cancels) { /* at once, even within a delivery */
        if (result == ETIMEDOUT) {
            weir__trace(WEIR_TRACE_TIMED_OUT, gate, request->waiter.number, 0,
                        request->waiter.count);
        }
        request_notify(&request->waiter, result);
    }
    weir__deliver(&others);
    return cancels ? 0 : EALREADY;
}

void weir_gate_request_check(weir_gate_request_t request) {
    weir_gate_t gate = request->gate;
    pthread_mutex_lock(&gate->lock);
    bool is_stuck = request->waiter.changes == gate->changes &&
                    weir__gate_is_stuck(gate, &request->waiter);
    request->waiter.changes = gate->changes;
    pthread_mutex_unlock(&gate->lock);
    if (is_stuck) {
        weir__gate_report_stuck(gate, &request->waiter);
    }
}

void weir_gate_request_release(weir_gate_request_t request) {
    if (weir__object_release(&request->object)) {
        request_drop_hold(request);
    }
}

/* ---- asynchronous work ------------------------------------------------- */

struct gate_work {
    struct weir__waiter waiter;
    weir_gate_t gate;
    void *context;
    dispatch_queue_t queue; /* NULL for weir_gate_grant_f */
    dispatch_function_t function;
    void (*granted)(void *context, size_t count); /* if there is no queue */
};

static void gate_work_destroy(struct gate_work *work) {
    weir_gate_release(work->gate);
    if (work->queue) {
        dispatch_release(work->queue);
    }
    free(work);
}

static void gate_work_run(void *context) {
    struct gate_work *work = context;
    weir__gate_begin(work->gate, &work->waiter);
    size_t count = work->waiter.count;
    const weir_caller_t thread = {0};
    weir_gate_scope_t scope = weir_gate_scope(work->gate, count, &thread);
    work->function(work->context);
    weir_gate_leave(work->gate, count, scope);
    gate_work_destroy(work);
}

/* The result is 0: accepted work is never refused. */
static void gate_work_notify(struct weir__waiter *waiter, int result) {
    struct gate_work *work = (struct gate_work *)waiter; /* its first member */
    trace_grant(work->gate, waiter, result);
    if (work->queue) {
        weir__gate_hand_over(work->gate, waiter);
        dispatch_async_f(work->queue, work, gate_work_run);
    } else {
        work->granted(work->context, waiter->count);
        gate_work_destroy(work);
    }
}

static struct gate_work *gate_work_create(weir_gate_t gate, size_t count,
                                          void *context) {
    weir__object_check(&gate->object);
    struct gate_work *work = calloc(1, sizeof *work);
    if (work) {
        work->waiter.count = count;
        work->waiter.must_be_served = true;
        work->waiter.notify = gate_work_notify;
        work->gate = weir_gate_retain(gate);
        work->context = context;
    }
    return work;
}

static int gate_work_request(struct gate_work *work) {
    int result = request_permits(work->gate, &work->waiter);
    if (result == 0) {
        deliver_now(&work->waiter, 0);
    } else if (result != WEIR_UNDECIDED) {
        gate_work_destroy(work);
        return result;
    }
    return 0;
}

int weir_gate_async_f(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                      void *context, dispatch_function_t function) {
    struct gate_work *work = gate_work_create(gate, count, context);
    if (!work) {
        return ENOMEM;
    }
    work->waiter.is_work = true;
    work->queue = queue;
    work->function = function;
    store_relaxed(&gate->has_work, true);
    dispatch_retain(queue);
    return gate_work_request(work);
}

int weir_gate_grant_f(weir_gate_t gate, size_t count, void *context,
                      void (*granted)(void *context, size_t count)) {
    struct gate_work *work = gate_work_create(gate, count, context);
    if (!work) {
        return ENOMEM;
    }
    work->granted = granted;
    return gate_work_request(work);
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
static void call_gate_work(void *context) {
    ((void (^)(void))context)();
    Block_release(context);
}

int weir_gate_async(weir_gate_t gate, size_t count, dispatch_queue_t queue,
                    void (^work)(void)) {
    void *copy = (void *)Block_copy(work);
    int error =
        copy ? weir_gate_async_f(gate, count, queue, copy, call_gate_work)
             : ENOMEM;
    return weir__block_passed(copy, error);
}

int weir_gate_request(weir_gate_t gate, size_t count,
                      void (^decided)(int result),
                      weir_gate_request_t *request) {
    void *copy = (void *)Block_copy(decided);
    int error =
        copy ? weir_gate_request_f(gate, count, copy, weir__block_call, request)
             : ENOMEM;
    return weir__block_passed(copy, error);
}
#endif
