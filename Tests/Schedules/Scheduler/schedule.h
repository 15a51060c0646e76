/*
 * schedule.h: the deterministic scheduler, for the stand-ins and the scenarios.
 *
 * A program has one thread. The threads of a scenario are fibers on it, of which
 * one runs until it reaches a point: a lock, an atomic operation, a submission,
 * a system call. There a strategy chooses the fiber that runs next.
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- fibers ------------------------------------------------------------- */

#define NEVER UINT64_MAX

enum fiber_state { FIBER_FREE, FIBER_READY, FIBER_BLOCKED, FIBER_ENDED };

struct fiber {
    enum fiber_state state;
    int number;      /* from 0, the scenario's own; a later fiber may have it */
    unsigned serial; /* unique in the schedule */
    char name[24];
    void (*function)(void *argument);
    void *argument;
    const char *doing;  /* the last point */
    const void *object; /* of that point */
    uint64_t deadline;  /* of a blocked one, or NEVER */
    bool timed_out;
    bool is_spare; /* a worker without work: no deadlock */
    unsigned priority;
    int saved_errno;
    jmp_buf context;
    bool has_context;
    char *stack;
    char *locals; /* its copy of the program's thread-local variables */
};

#define FIBERS_MAX 64

/* Makes a fiber that is ready to run. */
struct fiber *fiber_create(const char *name, void (*function)(void *),
                           void *argument);
struct fiber *fiber_current(void);

/* A point: another fiber may run before the caller goes on, which then uses the
   object. */
void schedule_point(const char *doing, const void *object);

/* Like schedule_point, but the caller goes on only if no other one can. */
void schedule_yield(const char *doing);

/* Blocks the current fiber until fiber_wake or the deadline. Returns false if
   the deadline has come. */
bool fiber_block(const char *doing, const void *object, uint64_t deadline);
void fiber_wake(struct fiber *fiber);

void schedule_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

#define CHECK(condition, ...)                                                  \
    ((condition) ? (void)0 : schedule_fail(__VA_ARGS__))

/* The simulated time, in nanoseconds. */
uint64_t schedule_now(void);
void schedule_pass(uint64_t nanoseconds);

/* Chooses one of n for a scenario. */
unsigned schedule_pick(unsigned n, const char *what);

/* Decides whether a fault happens, such as a spurious wake-up. False unless the
   scenario allows such faults. */
bool schedule_fault(const char *what);

/* ---- scenarios ---------------------------------------------------------- */

struct scenario {
    const char *name;
    const char *promise;
    void (*run)(void);   /* the first fiber; the schedule ends after it, when
                           no fiber can run any more */
    void (*ended)(void); /* checks the end; may be NULL */
    unsigned workers;    /* the threads of the stand-in libdispatch; 0: 16 */
    bool has_faults;     /* spurious wake-ups and failures of weak exchanges */
    bool ignores_leaks;  /* of memory */
    size_t kept;         /* blocks of memory that stay allocated at its end */
    unsigned outcomes;   /* as bits: those that the schedules must have */
    size_t permits;      /* of the gate that it makes */
    struct {
        const char *name;
        void (*function)(void *argument);
        size_t argument; /* as an address */
    } threads[6];        /* for threads_run */
};

extern const struct scenario *const scenario_lists[];

/* Called once, before the first schedule. */
void scenarios_setup(void);

/* ---- options and state -------------------------------------------------- */

/* The state of the scheduler lies outside of the memory that every schedule
   begins anew. */
struct schedule_state {
    const struct scenario *scenario;
    struct fiber fibers[FIBERS_MAX];
    int fiber_count;
    unsigned serials;
    struct fiber *current;
    jmp_buf driver;
    bool is_running;
    bool has_ended; /* the scenario's own fiber */
    uint64_t now;
    uint64_t progress_at; /* the time of the last step that was no time-out */
    uint64_t steps;
    uint64_t steps_most; /* of all schedules */
    uint64_t most_steps; /* a schedule with more does not end */
    unsigned fibers_most;
    unsigned tick; /* nanoseconds of a step */
    bool is_verbose;
    char failure[1024];
    size_t objects;    /* of the stand-in libdispatch, alive */
    size_t buried;     /* objects of the library that ended */
    size_t warnings;   /* of the library, on standard error */
    char warning[512]; /* the last one */
    int orders;        /* ORDERS: 0: ignored; 1: data races; 2: old values */
    unsigned outcomes; /* of a scenario, as bits */
};

extern struct schedule_state *const *schedule_state_place;
#define STATE (*schedule_state_place)

bool schedule_run(void);
void schedule_print_fibers(void);
void schedule_setup(void);

/* ---- strategy.c --------------------------------------------------------- */

enum { OPTIONS_MAX = FIBERS_MAX * 2 };

struct options {
    unsigned count;
    bool may_go_on; /* the first option is the current fiber */
    struct fiber *fibers[OPTIONS_MAX];
};

void strategy_begin(void);
unsigned strategy_choose(const struct options *options);
/* If it is rare, mostly the first one. */
unsigned strategy_pick(unsigned count, bool is_rare);
void strategy_new_fiber(struct fiber *fiber);

/* ---- memory.c ----------------------------------------------------------- */

/* Returns memory that stays as it is between schedules. */
void *memory_map(void *place, size_t size);
void memory_setup(void);
void memory_begin(void); /* as it was at the start of the program */
size_t memory_blocks(void);
void memory_print_blocks(void);
bool memory_is_own(const void *address);
void memory_check(const void *address, const char *use);
void *memory_allocate(size_t size, bool zeroed);
void memory_free(void *address);

/* ---- orders.c ----------------------------------------------------------- */

enum { READ = 0, WRITE = 1, ATOMIC = 2, NEWEST = 4 }; /* kinds, as bits */
void orders_setup(void);
void orders_begin(void);

/* What comes before where an edge begins happens before what follows its end. */
void orders_edge(const void *object, bool begins);

/* Fails if an access at this place of the code races with an earlier one. */
void orders_access(const void *at, size_t size, const void *code, int kind);

/* A load or, with WRITE, a store, or both with NEWEST: of the value `now`. */
uint64_t orders_atomic(const void *at, size_t size, const void *code, int kind,
                       int order, uint64_t now, uint64_t value);

/* ---- the stand-ins ------------------------------------------------------ */

void dispatch_begin(void);
void system_begin(void);
