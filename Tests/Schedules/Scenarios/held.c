/*
 * held.c: work of a gate that its queue cannot begin, and jobs that hold permits and
 * wait for more.
 *
 * Promises of weir/gate.h: the permits of work that cannot begin go to threads that
 * wait, after the first of them at once, until work begins; such work is the first to
 * get permits when it begins; a job that may wait for itself forever is a warning,
 * once, and the wait goes on; one that gets help is none.
 */
#include "scenarios.h"

#include "permits/gate_state.h"

static weir_lanes_t lanes;
static dispatch_queue_t queue;
static dispatch_semaphore_t held;
static size_t works, ran;
static bool may_end;

static void begin(size_t permits) {
    gate = weir_gate_create("gate", permits);
    queue = dispatch_queue_create("queue", NULL);
    held = dispatch_semaphore_create(0);
}

static size_t waiting(void) { return stats_of(gate).waiting; }

static void wait_until_waiting(size_t count) {
    while (waiting() < count) {
        schedule_yield("wait for the waiters");
    }
}

static void pass_seconds(unsigned count) {
    fiber_block("let time pass", NULL,
                schedule_now() + count * UINT64_C(1000000000));
}

static void signal_permits(void *count) {
    weir_gate_signal(gate, number_of(count));
}

static void use(void *count) {
    take(number_of(count));
    signal_permits(count);
}

/* All works run, and all permits are free. */
static void finish(size_t permits) {
    while (ran < works) {
        pass_seconds(10);
    }
    use(address_of(permits));
    CHECK(waiting() == 0, "%zu waiters were forgotten", waiting());
    dispatch_release(queue);
    dispatch_release(held);
    weir_gate_release(gate);
}

/* ---- work that cannot begin --------------------------------------------- */

static void wait_for_release(void *unused) {
    dispatch_semaphore_wait(held, FOREVER);
}

static void hold_queue(void) {
    dispatch_async_f(queue, NULL, wait_for_release);
}

static void release_queue(void) { dispatch_semaphore_signal(held); }

static void work(void *unused) { ran++; }

static void submit_work(size_t count, dispatch_queue_t target) {
    works++;
    CHECK(weir_gate_async_f(gate, count, target, NULL, work) == 0, "submit");
}

static void wait_in_block(void *count) {
    use(count);
    ran++;
}

/* Blocks that wait have the queue, or all its threads, and the works after them the
   permits. */
static void run_blocks(void) {
    size_t count = (size_t)1 << schedule_pick(3, "permits");
    bool is_global = schedule_pick(2, "queue");
    begin(4);
    take(4);
    dispatch_queue_t target =
        is_global ? dispatch_get_global_queue(0, 0) : queue;
    works = 1 + is_global;
    dispatch_async_f(target, address_of(count), wait_in_block);
    if (is_global) {
        dispatch_async_f(target, address_of(count), wait_in_block);
    }
    submit_work(3, target);
    submit_work(1, target);
    weir_gate_signal(gate, 4);
    finish(4);
}

static void use_until_the_end(void *unused) {
    take(1);
    while (!may_end) {
        pass_seconds(1);
    }
    weir_gate_signal(gate, 1);
}

static void after_the_work(void *unused, int result) {
    CHECK(result == 0 && ran == 1,
          "a waiter came before the work that had lent its permits");
    weir_gate_signal(gate, 1);
}

/* A thread has the permit of the work, which waits for it when it begins. */
static void run_again(void) {
    begin(1);
    hold_queue();
    submit_work(1, queue);
    thread_start("borrows", use_until_the_end, NULL);
    while (gate->reserved > 0 || waiting() > 0) {
        pass_seconds(1);
    }
    CHECK(weir_gate_request_f(gate, 1, NULL, after_the_work, NULL) == 0,
          "request");
    release_queue();
    wait_until_waiting(2);
    may_end = true;
    threads_join();
    finish(1);
}

/* The work lends two permits. The thread needs one, and the end of a work that gets the
   other one. */
static void run_rest(void) {
    begin(3);
    hold_queue();
    take(1);
    submit_work(2, queue);
    thread_start("borrows", use_until_the_end, NULL);
    while (waiting() == 0 && gate->reserved > 0) {
        schedule_yield("wait for the thread");
    }
    submit_work(1, dispatch_get_global_queue(0, 0));
    while (ran == 0) {
        pass_seconds(1);
    }
    may_end = true;
    threads_join();
    weir_gate_signal(gate, 1);
    release_queue();
    finish(3);
}

static void take_one(void *unused) { take(1); }

/* The work, and then a thread, wait for the permit that is signalled. */
static void signal_to_work_and_thread(void) {
    size_t before = waiting();
    submit_work(1, queue);
    wait_until_waiting(before + 1);
    thread_start("takes", take_one, NULL);
    wait_until_waiting(before + 2);
    weir_gate_signal(gate, 1);
}

static void run_at_once(void) {
    begin(1);
    hold_queue();
    take(1);
    signal_to_work_and_thread();
    while (waiting() > 0) {
        pass_seconds(1);
    }
    signal_to_work_and_thread();
    CHECK(waiting() == 0, "a permit was not lent at once");
    weir_gate_signal(gate, 1);
    release_queue();
    threads_join();
    while (ran < works) {
        pass_seconds(10);
    }
    CHECK(!gate->is_lending, "permits are lent after the queue has begun work");
    finish(1);
}

/* ---- jobs that wait for themselves -------------------------------------- */

/* The job has passed its permits on. After the warning there is time for another one. */
static void return_after_warning(void *unused) {
    while (STATE->warnings == 0) {
        pass_seconds(1);
    }
    pass_seconds(5);
    weir_gate_signal(gate, 3);
}

static void wait_for_itself(void *unused, void *lane_context) {
    take(3);
    dispatch_async_f(dispatch_get_global_queue(0, 0), NULL,
                     return_after_warning);
    use(address_of(2));
}

static void submit_to_lanes(void *unused) {
    CHECK(weir_lanes_async_f(lanes, NULL, wait_for_itself) == 0, "submit");
}

/* While another thread holds a permit, it may return that. */
static void run_warning(void) {
    static const size_t widths[] = {1, WEIR_LANES_INLINE};
    const weir_lanes_options_t options = {
        .width = widths[schedule_pick(2, "width")]};
    size_t another = schedule_pick(2, "permits of another thread");
    begin(4);
    lanes = weir_lanes_create(&options);
    take(another);
    thread_start("submits", submit_to_lanes, NULL);
    if (another > 0) {
        wait_until_waiting(1);
        pass_seconds(5);
        CHECK(STATE->warnings == 0, "%s", STATE->warning);
        weir_gate_signal(gate, another);
    }
    threads_join();
    CHECK(weir_lanes_wait(lanes, FOREVER) == 0, "wait");
    CHECK(STATE->warnings == 1, "there were %zu warnings", STATE->warnings);
    CHECK(strstr(STATE->warning, "weir: warning: the gate \"gate\"") &&
              strstr(STATE->warning, "itself") &&
              strstr(STATE->warning, "disown"),
          "%s", STATE->warning);
    weir_lanes_release(lanes);
    finish(4);
}

enum help { BY_THREAD, BY_BLOCK, BY_JOB, BY_RESIZE, BY_HOLDER, HELPS };

static bool is_held, may_help;

static void help(void *by) {
    bool holds = number_of(by) == BY_HOLDER;
    if (holds) {
        take(1);
        is_held = true;
    }
    while (!may_help || waiting() == 0) {
        schedule_yield("wait for the job");
    }
    if (number_of(by) == BY_RESIZE) {
        CHECK(weir_gate_resize(gate, 6) == 0, "resize");
    } else {
        weir_gate_signal(gate, holds ? 1 : 4);
    }
}

static void help_on_lane(void *by, void *lane_context) { help(by); }

static void wait_for_help(void *given, void *lane_context) {
    enum help by = (enum help)number_of(given);
    size_t first = by == BY_HOLDER ? 2 : 4;
    take(first);
    CHECK(by == BY_HOLDER ||
              (weir_gate_wait(gate, 1, in_milliseconds(1)) == ETIMEDOUT &&
               weir_gate_try(gate, 1) == EAGAIN),
          "a wait that ends by itself");
    if (by == BY_JOB || by == BY_HOLDER) {
        CHECK(weir_lanes_async_f(lanes, given, help_on_lane) == 0, "submit");
    } else if (by != BY_THREAD) {
        dispatch_async_f(dispatch_get_global_queue(0, 0), given, help);
    }
    while (by == BY_HOLDER && !is_held) {
        schedule_yield("wait for the holder");
    }
    may_help = true;
    take(2);
    weir_gate_signal(gate, by == BY_RESIZE ? 6 : by == BY_HOLDER ? 4 : 2);
}

static void run_help(void) {
    const weir_lanes_options_t options = {.width = 2};
    void *by = address_of(schedule_pick(HELPS, "help"));
    begin(4);
    lanes = weir_lanes_create(&options);
    CHECK(weir_lanes_async_f(lanes, by, wait_for_help) == 0, "submit");
    if (number_of(by) == BY_THREAD) {
        thread_start("helps", help, by);
    }
    CHECK(weir_lanes_wait(lanes, FOREVER) == 0, "wait");
    threads_join();
    weir_lanes_release(lanes);
    finish(4);
}

const struct scenario held_scenarios[] = {
    {"held-blocks",
     "work that cannot begin lends its permits to waiting blocks", run_blocks,
     .workers = 2},
    {"held-again",
     "work that has lent its permits is the first to get them back", run_again},
    {"held-rest", "permits that are left of those lent serve the next waiter",
     run_rest},
    {"held-at-once", "permits are lent at once until the queue begins work",
     run_at_once},
    {"job-warning",
     "a job that may wait for itself is reported once, and goes on",
     run_warning},
    {"job-help", "a job gets permits that something else returns", run_help},
    {NULL},
};
