/*
 * scheduler.c: runs one schedule of a scenario.
 *
 * DESIGN. The scheduler is entered at points only, so what a fiber does between
 * two points happens at once. That leaves out no behavior of a program without
 * data races: whatever other threads can see happens at a lock, an atomic
 * operation, a submission or a system call, and each of them begins with a
 * point. Memory is sequentially consistent, but for orders.c.
 *
 * Time is simulated. A thread may be slow, so a deadline may come at any point:
 * to let a blocked fiber time out is one more option, which sets the clock to
 * its deadline.
 */
#include "fibers.h"
#include "strategy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing but time-outs for so long: nothing will ever happen. */
#define STALL_NANOSECONDS ((uint64_t)100 * 1000000000)

struct schedule_state *const *schedule_state_place;

struct fiber *fiber_current(void) {
    return STATE->current;
}
uint64_t schedule_now(void) { return STATE->now; }
void schedule_pass(uint64_t nanoseconds) { STATE->now += nanoseconds; }

/* ---- failing ------------------------------------------------------------ */

void schedule_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(STATE->failure, sizeof STATE->failure, format, arguments);
    va_end(arguments);
    if (!STATE->is_running) {
        fprintf(stderr, "schedules: %s\n", STATE->failure);
        abort();
    }
    fibers_leave();
}

void schedule_print_fibers(void) {
    static const char *const states[] = {"free", "ready", "blocked", "ended"};
    for (int i = 0; i < STATE->fiber_count; i++) {
        const struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state != FIBER_ENDED && fiber->doing) {
            printf("    %2d %-20s %s%s at %s %p\n", fiber->number, fiber->name,
                   fiber == STATE->current ? "running, " : "",
                   fiber->is_spare ? "spare" : states[fiber->state],
                   fiber->doing, fiber->object);
        }
    }
}

static void fail_of_deadlock(void) {
    char text[900];
    int used = 0;
    for (int i = 0; i < STATE->fiber_count; i++) {
        const struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state == FIBER_BLOCKED && !fiber->is_spare &&
            used < (int)sizeof text - 100) {
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "%s%d %s waits in %s of %p", used ? "; " : "",
                             fiber->number, fiber->name, fiber->doing,
                             fiber->object);
        }
    }
    schedule_fail("deadlock: %s", text);
}

/* ---- choosing ----------------------------------------------------------- */

static void add_option(struct options *options, struct fiber *fiber) {
    options->fibers[options->count++] = fiber;
}

/* The first option is the current fiber, if it can go on, else any other, else the
   nearest deadline. */
static void list_options(struct options *options, const struct fiber *current,
                         bool yields) {
    options->count = 0;
    bool goes_on = current->state == FIBER_READY;
    if (goes_on && !yields) {
        add_option(options, (struct fiber *)(uintptr_t)current);
    }
    for (int i = 0; i < STATE->fiber_count; i++) {
        struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state == FIBER_READY && fiber != current) {
            add_option(options, fiber);
        }
    }
    if (goes_on && options->count == 0) {
        add_option(options, (struct fiber *)(uintptr_t)current);
    }
    options->may_go_on = goes_on && !yields;
    unsigned ready = options->count;
    for (int i = 0; i < STATE->fiber_count; i++) {
        struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state == FIBER_BLOCKED && fiber->deadline != NEVER) {
            add_option(options, fiber);
            unsigned last = options->count - 1;
            if (ready == 0 && last > 0 &&
                fiber->deadline < options->fibers[0]->deadline) {
                options->fibers[last] = options->fibers[0];
                options->fibers[0] = fiber;
            }
        }
    }
}

static void time_out(struct fiber *fiber) {
    if (STATE->now < fiber->deadline) {
        STATE->now = fiber->deadline;
    }
    if (STATE->now > STATE->progress_at + STALL_NANOSECONDS) {
        schedule_fail("nothing happens any more but time-outs of fiber %d %s "
                      "in %s",
                      fiber->number, fiber->name, fiber->doing);
    }
    fiber->timed_out = true;
    fiber->state = FIBER_READY;
    fiber->deadline = NEVER;
}

static void count_step(void) {
    if (++STATE->steps > STATE->most_steps) {
        schedule_fail("no end after %llu steps",
                      (unsigned long long)STATE->most_steps);
    }
    STATE->now += STATE->tick;
}

/* Returns false if no fiber can run any more. */
static bool run_next(struct fiber *from, bool yields) {
    struct options options;
    count_step();
    list_options(&options, from, yields);
    if (options.count == 0) {
        return false;
    }
    struct fiber *next =
        options.fibers[options.count > 1 ? strategy_choose(&options) : 0];
    if (next->state == FIBER_BLOCKED) {
        time_out(next);
    }
    if (STATE->is_verbose) {
        printf("  %6llu: %2d %-16s %-28s %p%s\n",
               (unsigned long long)STATE->steps, next->number, next->name,
               next->doing ? next->doing : "begins", next->object,
               next->timed_out ? " (time-out)" : "");
    }
    fiber_switch(from, next);
    return true;
}

static void record(const char *doing, const void *object) {
    STATE->current->doing = doing;
    STATE->current->object = object;
}

void schedule_point(const char *doing, const void *object) {
    if (!STATE->is_running) {
        return;
    }
    memory_check(object, doing);
    STATE->progress_at = STATE->now;
    record(doing, object);
    run_next(STATE->current, false);
    memory_check(object, doing);
}

void schedule_yield(const char *doing) {
    if (STATE->is_running) {
        record(doing, NULL);
        run_next(STATE->current, true);
    }
}

/* Nothing can happen any more: the end, or a deadlock. */
static void end_of_all(void) {
    for (int i = 0; i < STATE->fiber_count; i++) {
        const struct fiber *fiber = &STATE->fibers[i];
        if (fiber->state == FIBER_BLOCKED && !fiber->is_spare) {
            fail_of_deadlock();
        }
    }
    STATE->has_ended = true;
    fibers_leave();
}

bool fiber_block(const char *doing, const void *object, uint64_t deadline) {
    struct fiber *fiber = STATE->current;
    record(doing, object);
    fiber->state = FIBER_BLOCKED;
    fiber->deadline = deadline;
    fiber->timed_out = false;
    if (!run_next(fiber, false)) {
        end_of_all();
    }
    bool timed_out = fiber->timed_out;
    fiber->timed_out = false;
    return !timed_out;
}

void fiber_wake(struct fiber *fiber) {
    if (fiber->state == FIBER_BLOCKED) {
        fiber->state = FIBER_READY;
        fiber->deadline = NEVER;
    }
}

void fiber_ended(struct fiber *fiber) {
    fiber->state = FIBER_ENDED;
    if (!run_next(fiber, false)) {
        end_of_all();
    }
    abort();
}

struct fiber *fiber_create(const char *name, void (*function)(void *),
                           void *argument) {
    int i = 0;
    while (i < STATE->fiber_count && STATE->fibers[i].state != FIBER_ENDED) {
        i++;
    }
    CHECK(i < FIBERS_MAX, "more than %d threads at once", FIBERS_MAX);
    struct fiber *fiber = &STATE->fibers[i];
    if (i == STATE->fiber_count) {
        STATE->fiber_count++;
    }
    fiber->state = FIBER_READY;
    fiber->number = i;
    fiber->serial = STATE->serials++;
    snprintf(fiber->name, sizeof fiber->name, "%s", name);
    fiber->function = function;
    fiber->argument = argument;
    fiber->doing = NULL;
    fiber->object = NULL;
    fiber->deadline = NEVER;
    fiber->timed_out = fiber->is_spare = false;
    strategy_new_fiber(fiber);
    fiber_prepare(fiber);
    return fiber;
}

unsigned schedule_pick(unsigned n, const char *what) {
    (void)what;
    STATE->steps++;
    return n > 1 ? strategy_pick(n, false) : 0;
}

bool schedule_fault(const char *what) {
    (void)what;
    if (!STATE->is_running || !STATE->scenario->has_faults) {
        return false;
    }
    STATE->steps++;
    return strategy_pick(2, true) == 1;
}

/* ---- one schedule ------------------------------------------------------- */

void schedule_setup(void) {
    fibers_setup();
    orders_setup();
}

static void run_scenario(void *unused) {
    (void)unused;
    STATE->scenario->run();
}

static void check_end(void) {
    STATE->is_running = true; /* so that a failure is one of the schedule */
    CHECK(STATE->objects == 0, "%zu objects of libdispatch were not released",
          STATE->objects);
    /* The graveyard keeps the last 64 objects, each with its label. */
    size_t graves = STATE->buried < 64 ? STATE->buried : 64;
    size_t kept = STATE->scenario->kept + 2 * graves;
    CHECK(STATE->scenario->ignores_leaks || memory_blocks() == kept,
          "%zu blocks of memory were kept, not %zu", memory_blocks(), kept);
    if (STATE->scenario->ended) {
        STATE->scenario->ended();
    }
    fibers_leave();
}

bool schedule_run(void) {
    struct schedule_state *state = STATE;
    memory_begin();
    state->fiber_count = 0;
    state->serials = 0;
    state->current = NULL;
    state->warnings = 0;
    state->now = UINT64_C(4102444800000000000); /* in 2100: files are old */
    state->progress_at = state->now;
    state->steps = 0;
    state->has_ended = false;
    state->failure[0] = '\0';
    state->objects = state->buried = 0;
    state->tick = 1000;
    strategy_begin();
    orders_begin();
    dispatch_begin();
    system_begin();
    struct fiber *first = fiber_create("scenario", run_scenario, NULL);
    state->is_running = true;
    fibers_enter(first);
    if (!state->failure[0]) {
        if (_setjmp(state->driver) == 0) {
            check_end();
        }
    }
    state->is_running = false;
    if (state->steps > state->steps_most) {
        state->steps_most = state->steps;
    }
    if ((unsigned)state->fiber_count > state->fibers_most) {
        state->fibers_most = (unsigned)state->fiber_count;
    }
    return !state->failure[0];
}
