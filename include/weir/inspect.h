/*
 * weir/inspect.h: every gate, lanes and group that is alive: who holds permits,
 * what runs, what waits, and for how long.
 *
 * A program that hangs can print this by itself. One line at its beginning
 * writes the state to standard error each time the user types Ctrl-\ or calls
 * `kill -QUIT`:
 *
 *     weir_inspect_on_signal(SIGQUIT);
 *
 * The state is copied object by object, under the lock of each; two objects
 * are not seen at the same instant. An inspection can be made at any time, on
 * any thread, also while all threads of libdispatch wait. It is not safe in a
 * signal handler.
 *
 * The begin of a wait is always known. The begin of a job is known from the
 * first call of this header on, since a clock would be a part of the costs of
 * a short job: for a job that began before, the time is 0. Likewise for the
 * permits of work of weir_gate_async. Permits that a thread took outside of
 * jobs have no known holder.
 */
#ifndef WEIR_INSPECT_H
#define WEIR_INSPECT_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @enum weir_inspect_kind_t
 *
 * @constant WEIR_INSPECT_GATE  a gate
 * @constant WEIR_INSPECT_LANES lanes
 * @constant WEIR_INSPECT_GROUP a group
 */
typedef enum {
    WEIR_INSPECT_GATE = 1,
    WEIR_INSPECT_LANES = 2,
    WEIR_INSPECT_GROUP = 3
} weir_inspect_kind_t;

/*!
 * @enum weir_inspect_reason_t
 *
 * @constant WEIR_INSPECT_PERMITS a wait for permits of a gate
 * @constant WEIR_INSPECT_ROOM    a wait for a place in the backlog of lanes
 * @constant WEIR_INSPECT_END     a wait for the end of the work of lanes or of
 *                                a group
 */
typedef enum {
    WEIR_INSPECT_PERMITS = 1,
    WEIR_INSPECT_ROOM = 2,
    WEIR_INSPECT_END = 3
} weir_inspect_reason_t;

/*!
 * @struct weir_inspect_wait_t
 *
 * @abstract
 * A wait for an object.
 *
 * @field reason      the reason of the wait
 * @field thread      the thread that waits, as the system numbers it (gettid);
 *                    0 for a request or asynchronous work, which hold none
 * @field count       the permits asked for; 1 for the other reasons
 * @field nanoseconds the time since the begin of the wait
 * @field reserved    for later fields
 */
typedef struct {
    weir_inspect_reason_t reason;
    int thread;
    size_t count;
    uint64_t nanoseconds;
    uintptr_t reserved[4];
} weir_inspect_wait_t;

/*!
 * @struct weir_inspect_job_t
 *
 * @abstract
 * A job that runs on a lane.
 *
 * @field job         the number of the job, from 1, as in traces
 * @field lane        the number of the lane, from 0
 * @field thread      the thread that runs it
 * @field nanoseconds the time since its begin, to 10 ms; 0 if it is not known
 * @field reserved    for later fields
 */
typedef struct {
    uint64_t job;
    size_t lane;
    int thread;
    uint64_t nanoseconds;
    uintptr_t reserved[4];
} weir_inspect_job_t;

/*!
 * @struct weir_inspect_holder_t
 *
 * @abstract
 * A holder of permits of a gate.
 *
 * @field count       the permits
 * @field thread      the thread that the holder runs on
 * @field lanes       the label of the lanes that run the job that holds them;
 *                    NULL for work of weir_gate_async
 * @field job         the number of that job, or 0
 * @field is_certain  True for work of weir_gate_async, which returns its
 *                    permits itself. False for permits that a job took: another
 *                    thread may have returned them.
 * @field nanoseconds the time since the begin of the job or work, to 10 ms for
 *                    a job; 0 if it is not known
 * @field reserved    for later fields
 */
typedef struct {
    size_t count;
    int thread;
    const char *WEIR_NULLABLE lanes;
    uint64_t job;
    bool is_certain;
    uint64_t nanoseconds;
    uintptr_t reserved[4];
} weir_inspect_holder_t;

/*!
 * @struct weir_inspect_object_t
 *
 * @abstract
 * A gate, lanes or a group. Fields that do not belong to its kind are 0.
 *
 * @field kind         the kind of the object, which decides about the fields
 * @field object       the object, as an identity only
 * @field label        its label
 * @field serial       its number, unique in the process, as in traces
 * @field permits      of a gate: the permits in all
 * @field in_use       of a gate: the permits in use
 * @field width        of lanes: the jobs that may run at once
 * @field running      of lanes: the jobs that run
 * @field queued       of lanes: the jobs that wait for a lane
 * @field suspended    of lanes: the suspensions that were not resumed
 * @field stalled      of lanes: the nanoseconds for which jobs have been queued
 *                     and none began, to 10 ms; 0 if it is not known
 * @field outstanding  of a group: the outstanding work
 * @field notifications of a group: the notifications that have not run
 * @field is_closed    true for a closed gate, closed lanes, a cancelled group
 * @field wait_count   the number of waits
 * @field waits        the waits: at a gate in the order in which they are
 *                     served, elsewhere the longest first
 * @field job_count    of lanes: the number of jobs in jobs
 * @field jobs         of lanes: the running jobs
 * @field holder_count of a gate: the number of known holders
 * @field holders      of a gate: the known holders
 * @field reserved     for later fields
 */
typedef struct {
    weir_inspect_kind_t kind;
    const void *object;
    const char *label;
    uint64_t serial;
    size_t permits;
    size_t in_use;
    size_t width;
    size_t running;
    size_t queued;
    size_t suspended;
    uint64_t stalled;
    size_t outstanding;
    size_t notifications;
    bool is_closed;
    size_t wait_count;
    const weir_inspect_wait_t *WEIR_NULLABLE waits;
    size_t job_count;
    const weir_inspect_job_t *WEIR_NULLABLE jobs;
    size_t holder_count;
    const weir_inspect_holder_t *WEIR_NULLABLE holders;
    uintptr_t reserved[8];
} weir_inspect_object_t;

/*!
 * @function weir_inspect_f
 *
 * @abstract
 * Visits every gate, lanes and group that is alive, in the order in which they
 * were created. The state is copied before the first visit, so that visit may
 * call anything, and no lock is held.
 *
 * @param context Passed to visit; may be NULL.
 *
 * @param visit
 * Called on the calling thread for each object. What it is given is valid only
 * during the call; the object itself may be gone already.
 *
 * @result
 * 0 or ENOMEM, and then no object is visited. Waits for a moment for threads
 * that hold the lock of an object, which no code of a program runs under,
 * except for an observer of events: an observer must not call this.
 */
WEIR_EXPORT int
weir_inspect_f(void *WEIR_NULLABLE context,
               void (*visit)(void *WEIR_NULLABLE context,
                             const weir_inspect_object_t *object));

#ifdef __BLOCKS__
/*! @function weir_inspect  @abstract weir_inspect_f for a block. */
WEIR_EXPORT int
weir_inspect(WEIR_NOESCAPE void (^visit)(const weir_inspect_object_t *object));
#endif

/*!
 * @function weir_inspect_write
 *
 * @abstract
 * Writes the state as text, for people; its form may change.
 *
 * @discussion
 * A gate of three permits, for example, with one thread waiting:
 *
 *     gate "downloads": 3 of 3 permits in use, 1 waiting
 *       job 7 of "work" took 1, thread 4715, running for 3.001 s
 *       thread 4713 waits for 1, for 2.503 s
 *
 * @param descriptor The file to write to; not closed.
 *
 * @result
 * 0, ENOMEM, or the error of write. Blocks as writing does.
 */
WEIR_EXPORT int weir_inspect_write(int descriptor);

/*!
 * @function weir_inspect_on_signal
 *
 * @abstract
 * Writes the state to standard error whenever the process gets a signal.
 *
 * @discussion
 * A thread of its own writes, so that it works when every other thread waits.
 * It needs no descriptor, and no signal mask is changed outside of it: the
 * handler only wakes the thread, and system calls that a handler can interrupt
 * go on as with SA_RESTART. The handler replaces the one before, if any, and
 * the program goes on after the signal: by default SIGQUIT would have ended it.
 *
 * @param number The signal, for example SIGQUIT or SIGUSR2.
 *
 * @result
 * 0; EINVAL for a number that is no signal or that cannot be handled; EAGAIN if
 * the system has no thread. Can be called for several signals.
 */
WEIR_EXPORT int weir_inspect_on_signal(int number);

/*!
 * @function weir_inspect_begin
 *
 * @abstract
 * Keeps the times of jobs, and the holders among asynchronous work, from now
 * on, for a later inspection. The other calls of this header do the same. Costs
 * some 5 ns a job. Never blocks.
 */
WEIR_EXPORT void weir_inspect_begin(void);

WEIR_END_DECLS

#endif /* WEIR_INSPECT_H */
