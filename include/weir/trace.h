/*
 * weir/trace.h: what happens inside, as events; and a recorder that keeps them
 * and writes them as JSON lines or for Perfetto and chrome://tracing.
 *
 * Gates, lanes and groups record what they do at fixed points. With nobody to
 * tell, a point costs one load and one branch. Told is an observer of the
 * program's own, and a recorder: one of each at a time, at every point, on the
 * thread that got there.
 */
#ifndef WEIR_TRACE_H
#define WEIR_TRACE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @enum weir_trace_kind_t
 *
 * @constant WEIR_TRACE_SUBMIT    a job was put into the queue of its lanes
 * @constant WEIR_TRACE_START     a job begins on a lane
 * @constant WEIR_TRACE_END       a job has ended
 * @constant WEIR_TRACE_WAIT      somebody begins to wait for permits or for a
 *                                place in the backlog
 * @constant WEIR_TRACE_ACQUIRED  permits, or the place, were obtained
 * @constant WEIR_TRACE_TIMED_OUT a wait ended without permits
 * @constant WEIR_TRACE_SIGNAL    permits were given back
 * @constant WEIR_TRACE_WAKE      somebody who waits was let through; on the
 *                                thread that did so, after its SIGNAL
 * @constant WEIR_TRACE_CANCEL    a wait ended because the gate was closed or
 *                                resized or the request cancelled; a job was
 *                                dropped; a group was cancelled
 * @constant WEIR_TRACE_ENTER     a group has one thing more outstanding
 * @constant WEIR_TRACE_LEAVE     a group has one thing less outstanding
 * @constant WEIR_TRACE_NOTE      weir_trace_note was called
 */
typedef enum {
    WEIR_TRACE_SUBMIT = 1,
    WEIR_TRACE_START = 2,
    WEIR_TRACE_END = 3,
    WEIR_TRACE_WAIT = 4,
    WEIR_TRACE_ACQUIRED = 5,
    WEIR_TRACE_TIMED_OUT = 6,
    WEIR_TRACE_SIGNAL = 7,
    WEIR_TRACE_WAKE = 8,
    WEIR_TRACE_CANCEL = 9,
    WEIR_TRACE_ENTER = 10,
    WEIR_TRACE_LEAVE = 11,
    WEIR_TRACE_NOTE = 12
} weir_trace_kind_t;

/*!
 * @struct weir_trace_event_t
 *
 * @field kind        what happened
 * @field object      the gate, the lanes or the group it happened to, for
 *                    telling apart; NULL for NOTE
 * @field label       its label, valid during the call
 * @field job         for SUBMIT, START, END and a dropped job's CANCEL a number
 *                    that is the same for one job and differs between the jobs
 *                    of one object, from 1 on; for a gate's WAIT and the WAKE,
 *                    ACQUIRED, TIMED_OUT or CANCEL that ends it a number of the
 *                    wait in the same way; for NOTE the caller's; 0 otherwise,
 *                    as for permits that were obtained without waiting
 * @field lane        for START and END the lane's number from 0; for WAIT 1
 *                    where no thread waits, but a request or asynchronous work;
 *                    for WAKE 1 where it was a signal that let through; else 0
 * @field count       permits asked for, obtained or given back; how many are
 *                    outstanding after ENTER or LEAVE; for NOTE the caller's; 1
 *                    for jobs. Where several threads enter and leave at once,
 *                    they may tell of it in another order than they did it
 * @field nanoseconds CLOCK_MONOTONIC
 * @field serial      the object's number, which no other object of the process
 *                    has, also where one is made in the place of a freed one; 0
 *                    for NOTE
 */
typedef struct {
    weir_trace_kind_t kind;
    const void *WEIR_NULLABLE object;
    const char *label;
    uint64_t job;
    size_t lane;
    size_t count;
    uint64_t nanoseconds;
    uint64_t serial;
} weir_trace_event_t;

/*!
 * @struct weir_trace_observer_t
 *
 * @field context handed to observe
 * @field observe called for each event, on the thread where it happens, often
 *                from several threads at once. It must be quick, must not call
 *                Weir, and the event is gone when it returns.
 */
typedef struct {
    void *WEIR_NULLABLE context;
    void (*observe)(void *WEIR_NULLABLE context,
                    const weir_trace_event_t *event);
} weir_trace_observer_t;

/*!
 * @function weir_trace_set_observer
 *
 * @abstract
 * Begins to tell an observer of every event in the process, or stops. There is
 * one, besides a recorder: neither takes the place of the other, and an event is
 * told to the observer first.
 *
 * @param observer
 * The observer, or NULL for none. It is not copied, and threads that are in it
 * are not waited for: it has to stay as it is until the process ends.
 *
 * @result
 * The observer that was set before, or NULL; never a recorder's. Never blocks.
 */
WEIR_EXPORT const weir_trace_observer_t *WEIR_NULLABLE
weir_trace_set_observer(const weir_trace_observer_t *WEIR_NULLABLE observer);

/*!
 * @function weir_trace_note
 *
 * @abstract
 * Records something of the program's own among Weir's events: a mark on the
 * thread that calls.
 *
 * @param label What it is; valid during the call is enough.
 * @param job   A number to tell by, or 0.
 * @param value A figure to show, or 0.
 */
WEIR_EXPORT void weir_trace_note(const char *label, uint64_t job, size_t value);

/*! @typedef weir_trace_recorder_t  @abstract A recorder; counted. */
typedef struct weir_trace_recorder_s *weir_trace_recorder_t;

/*!
 * @function weir_trace_recorder_create
 *
 * @abstract
 * Makes a recorder. It keeps every event from weir_trace_recorder_start to
 * weir_trace_recorder_stop, each thread's in a buffer of its own, without a
 * lock on the way. Labels are copied.
 *
 * @param events
 * How many events to keep for each thread before the oldest are dropped, or 0
 * for 65,536. They take 64 bytes each, as they are needed.
 *
 * @result
 * A recorder with one reference, or NULL with errno ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_trace_recorder_t WEIR_NULLABLE
weir_trace_recorder_create(size_t events);

/*! @function weir_trace_recorder_retain  @result The recorder itself. */
WEIR_EXPORT weir_trace_recorder_t
weir_trace_recorder_retain(weir_trace_recorder_t recorder);

/*!
 * @function weir_trace_recorder_release
 *
 * @abstract
 * Drops a reference. A recorder that records is stopped by its last.
 */
WEIR_EXPORT void weir_trace_recorder_release(weir_trace_recorder_t recorder);

/*!
 * @function weir_trace_recorder_start
 *
 * @abstract
 * Begins to record, for the whole process, with what was recorded before
 * forgotten.
 *
 * @result
 * 0, or EBUSY when another recorder records, when it records already, or while
 * it is being written; what was recorded before is then still there.
 */
WEIR_EXPORT int weir_trace_recorder_start(weir_trace_recorder_t recorder);

/*!
 * @function weir_trace_recorder_stop
 *
 * @abstract
 * Ends recording. Returns when no thread is in the recorder any more, which is
 * at once but for one that is just writing an event.
 */
WEIR_EXPORT void weir_trace_recorder_stop(weir_trace_recorder_t recorder);

/*!
 * @enum weir_trace_format_t
 *
 * @constant WEIR_TRACE_JSON_LINES  one JSON object a line and event, in the
 *                                  order of time
 * @constant WEIR_TRACE_EVENT_JSON  Trace Event JSON, which ui.perfetto.dev and
 *                                  chrome://tracing open
 *
 * @discussion
 * Both are UTF-8; a byte of a label that is none becomes U+FFFD. Times are
 * counted from the first event that was kept. Threads have small numbers, from
 * 1 on, in the order of their first event.
 *
 * What is free at a gate is counted from the most permits that were seen out at
 * once, and what is queued, runs or waits from the least there was: where it
 * never came to 0 while it was recorded, there was more. Where a thread had more
 * events than its buffer holds, all is counted from the first moment on of which
 * every thread's events are kept, and stands before it as it was then.
 *
 * The members of a JSON line, in this order:
 *   t      nanoseconds
 *   ev     submit, start, end, wait, acquired, timeout, signal, wake, cancel,
 *          enter, leave or note
 *   thr    the thread's number
 *   q      the label
 *   obj    the number of the gate, lanes or group, from 1 on, which tells apart
 *          what has one label; not for notes
 *   task   the job's, wait's or note's number, where it is not 0
 *   lane   for start and end
 *   v      the event's count
 *   woken  for signal: whether it let somebody through
 *   jobs   for lanes: {"queued":n,"running":n} from this event on
 *   sem    for gates: {"free":n,"waiting":n} from this event on
 * More members may be added at the end.
 *
 * Trace Event JSON has a row for each thread, with slices for jobs ("lanes 7"),
 * for waiting ("wait gate") and, a microsecond long, for submit, signal, wake
 * and acquired; an arrow from each submit to the job's start and from each wake
 * to what was acquired; marks for the rest; a row of its own for each job, in
 * which it is pending and running, and for each wait that blocked no thread;
 * and counters: free and waiting for gates, queued and running for lanes,
 * outstanding for groups. What had not ended has no end.
 */
typedef enum {
    WEIR_TRACE_JSON_LINES = 1,
    WEIR_TRACE_EVENT_JSON = 2
} weir_trace_format_t;

/*!
 * @function weir_trace_recorder_write
 *
 * @abstract
 * Writes what was recorded. Can be repeated, in either format.
 *
 * @param recorder   A recorder that is stopped.
 * @param descriptor Where to write; not closed.
 * @param format     How.
 *
 * @result
 * 0; EBUSY while it records; EINVAL for a format that there is not; ENOMEM; or
 * what write said, EIO where it wrote nothing. Blocks as writing to the
 * descriptor does. Meanwhile start of this recorder returns EBUSY; nothing else
 * is held up.
 */
WEIR_EXPORT int weir_trace_recorder_write(weir_trace_recorder_t recorder,
                                          int descriptor,
                                          weir_trace_format_t format);

/*!
 * @struct weir_trace_recorder_stats_t
 *
 * @field events  how many events are kept
 * @field dropped how many are not: the oldest, where a thread had more than its
 *                buffer holds, and those for which there was no memory
 * @field threads on how many threads they happened
 */
typedef struct {
    uint64_t events;
    uint64_t dropped;
    size_t threads;
} weir_trace_recorder_stats_t;

/*!
 * @function weir_trace_recorder_stats
 *
 * @abstract
 * Reads the figures.
 *
 * @param recorder The recorder, also while it records.
 * @param stats    Where to write.
 * @param size     sizeof *stats, so that the struct can grow.
 */
WEIR_EXPORT void weir_trace_recorder_stats(weir_trace_recorder_t recorder,
                                           weir_trace_recorder_stats_t *stats,
                                           size_t size);

WEIR_END_DECLS

#endif /* WEIR_TRACE_H */
