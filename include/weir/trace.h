/*
 * weir/trace.h: events of gates, lanes and groups, and a recorder that writes
 * them as JSON lines or for Perfetto and chrome://tracing.
 *
 * Gates, lanes and groups report events at fixed points. Without an observer a
 * point costs one load and one branch. Each event goes to the program's own
 * observer and to a recorder, at most one of each at a time, on the thread that
 * reached the point.
 *
 * WEIR_TRACE=FILE in the environment records any program that links Weir,
 * beside the program's own observer and recorder, from before main to after the
 * functions of atexit:
 *
 *     WEIR_TRACE=trace.json ./program
 *
 * - FILE gets JSON lines if its name ends in .jsonl, otherwise Trace Event JSON
 *   for ui.perfetto.dev. A %p in the name becomes the number of the process, %%
 *   becomes %.
 * - It is written when main returns and by exit and quick_exit, on any thread,
 *   so also after dispatch_main; not by _exit, unless the program calls
 *   weir_trace_finish before, nor if a signal ends the program: FILE is then
 *   empty.
 * - FILE is created and emptied at the beginning; one that is neither empty nor
 *   a trace is left unchanged. If that or the writing fails, or memory was
 *   short for events, standard error gets one line, "weir: FILE: reason"; the
 *   program goes on, with its exit status. SIGPIPE and SIGXFSZ act as usual.
 * - A child made by fork does not write. A program that a recorded process
 *   starts is recorded only if the name has a %p; it knows that from
 *   WEIR_TRACE_PROCESS, which the recorded process adds to its environment. An
 *   exec without a fork begins anew.
 * - WEIR_TRACE_EVENTS=N keeps N events for each thread in place of 65,536.
 * - A program with more rights than its user (secure_getenv) ignores all this.
 *   So does a statically linked program that uses no gate, lanes, group, note
 *   or event.
 */
#ifndef WEIR_TRACE_H
#define WEIR_TRACE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @constant WEIR_TRACE_SUBMIT    a job was put into the queue of its lanes
 * @constant WEIR_TRACE_START     a job begins on a lane
 * @constant WEIR_TRACE_END       a job has ended
 * @constant WEIR_TRACE_WAIT      a wait begins, for permits or for a place in
 *                                the backlog
 * @constant WEIR_TRACE_ACQUIRED  permits, or the place, were obtained
 * @constant WEIR_TRACE_TIMED_OUT a wait ended without permits
 * @constant WEIR_TRACE_SIGNAL    permits were returned
 * @constant WEIR_TRACE_WAKE      a waiter got its permits; reported on the
 *                                thread that granted them, after its SIGNAL
 * @constant WEIR_TRACE_CANCEL    a wait ended because the gate was closed or
 *                                resized or the request cancelled; a job was
 *                                dropped; a group was cancelled
 * @constant WEIR_TRACE_ENTER     the outstanding work of a group grew by one
 * @constant WEIR_TRACE_LEAVE     the outstanding work of a group shrank by one
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
 * @field kind        the kind of event
 * @field object      the gate, the lanes or the group, as an identity only;
 *                    NULL for NOTE
 * @field label       the label of the object, valid during the call
 * @field job         For SUBMIT, START, END and a dropped job's CANCEL: the
 *                    number of the job, unique for its object, from 1. For a
 *                    gate's WAIT and what ends it: the number of the wait,
 *                    likewise. For NOTE: the caller's. Otherwise 0, for
 *                    instance for permits obtained without waiting.
 * @field lane        For START and END: the number of the lane, from 0. For
 *                    WAIT: 1 if a request or asynchronous work waits, and no
 *                    thread. For WAKE: 1 if a signal granted the permits.
 *                    Otherwise 0.
 * @field count       The permits asked for, obtained or returned. For ENTER and
 *                    LEAVE: the outstanding work afterwards, perhaps out of
 *                    order. For NOTE: the caller's. For jobs: 1.
 * @field nanoseconds the time, of CLOCK_MONOTONIC
 * @field serial      the object's number, unique in the process even if the
 *                    address is reused; 0 for NOTE
 * @field caller      for a gate's WAIT, WAKE and ACQUIRED: the task and the
 *                    place of the call, as "task 5 at Main.swift:12", or NULL
 *                    if they are not known
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
    const char *WEIR_NULLABLE caller;
} weir_trace_event_t;

/*!
 * @field context  passed to observe
 * @field observe  called for each event, on the thread of the event, often from
 *                 several threads at once. It must be quick and must not call
 *                 Weir. The event is valid only during the call.
 */
typedef struct {
    void *WEIR_NULLABLE context;
    void (*observe)(void *WEIR_NULLABLE context,
                    const weir_trace_event_t *event);
    uintptr_t reserved[4];
} weir_trace_observer_t;

/*!
 * Sets the observer of every event in the process, beside a recorder, or NULL
 * for none. It is not copied, and the call does not wait for threads within it,
 * so it has to stay unchanged until the process ends.
 *
 * @result The former observer, or NULL; never a recorder's. NULL with errno
 * EINVAL, and the former one stays, if reserved is not zero.
 */
WEIR_EXPORT const weir_trace_observer_t *WEIR_NULLABLE
weir_trace_set_observer(const weir_trace_observer_t *WEIR_NULLABLE observer);

/*! Records an event of the program's own, as a mark on the calling thread, with
 *  a text that is valid during the call, a number that identifies the event, or
 *  0, and a value to show, or 0. */
WEIR_EXPORT void weir_trace_note(const char *label, uint64_t job, size_t value);

/*! Returns a new number for the serial of an object of the program's own, for
 *  weir_trace_emit. */
WEIR_EXPORT WEIR_WARN_RESULT uint64_t weir_trace_serial(void);

/*!
 * Reports an event of an object of the program's own, such as a dispatch
 * semaphore, a dispatch queue or a thread pool, among Weir's events, on the
 * calling thread.
 *
 * @param event The event, read during the call. serial is the object's, from
 *              weir_trace_serial; object may be NULL. If nanoseconds is 0, the
 *              time is now. caller is not read.
 *
 * @discussion An object whose events are SUBMIT, START and END is shown like
 * lanes; one whose events are ENTER and LEAVE, like a group; any other, like a
 * gate. A wait may end with ACQUIRED or TIMED_OUT alone, without a WAKE; job is
 * then 0 for a thread's wait. If nothing records, the call costs one load and
 * one branch.
 */
WEIR_EXPORT void weir_trace_emit(const weir_trace_event_t *event);

/*! A recorder; reference-counted. */
typedef struct weir_trace_recorder_s *weir_trace_recorder_t;

/*!
 * Makes a recorder. It keeps every event from weir_trace_recorder_start to
 * weir_trace_recorder_stop, in a buffer for each thread, without a lock. Labels
 * are copied, up to 79 bytes of each.
 *
 * @param events The number of events to keep for each thread before the oldest
 *               are dropped, or 0 for 65,536. Each takes 128 bytes, allocated
 *               as needed.
 *
 * @result A recorder, or NULL with errno ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_trace_recorder_t WEIR_NULLABLE
weir_trace_recorder_create(size_t events);

/*! Drops a reference. The last release stops a recorder that records. */
WEIR_EXPORT void weir_trace_recorder_release(weir_trace_recorder_t recorder);

/*!
 * Begins to record, for the whole process. Earlier recorded events are dropped.
 *
 * @result 0, or EBUSY if this or another recorder records, or while the events
 * are being written; the earlier events are then kept. That of WEIR_TRACE does
 * not count.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_trace_recorder_start(weir_trace_recorder_t recorder);

/*! Stops recording. Returns when no thread is recording an event any more. */
WEIR_EXPORT void weir_trace_recorder_stop(weir_trace_recorder_t recorder);

/*!
 * @constant WEIR_TRACE_JSON_LINES  one JSON object a line and event, in the
 *                                  order of time
 * @constant WEIR_TRACE_EVENT_JSON  Trace Event JSON, which ui.perfetto.dev and
 *                                  chrome://tracing open
 *
 * @discussion
 * Both are UTF-8; a byte of a label that is not UTF-8 becomes U+FFFD. Times are
 * relative to the first event that was kept. Threads have numbers from 1, in
 * the order of their first event.
 *
 * The free permits of a gate are counted from the most permits that were in use
 * at once. The queued, running and waiting counts are relative to their least
 * value: a count that never came to 0 was higher. If a thread's buffer was too
 * small, all counts begin at the time from which all threads' events are kept.
 *
 * The members of a JSON line, in this order:
 *   t      nanoseconds
 *   ev     submit, start, end, wait, acquired, timeout, signal, wake, cancel,
 *          enter, leave or note
 *   thr    the thread's number
 *   q      the label
 *   obj    the number of the gate, lanes or group, from 1, which distinguishes
 *          objects with one label; not for notes
 *   task   the number of the job, wait or note, if it is not 0
 *   lane   for start and end; 1 for a wait that blocks no thread
 *   v      the event's count
 *   woken  for signal: true if it woke a waiter
 *   jobs   for lanes: {"queued":n,"running":n} from this event on
 *   sem    for gates: {"free":n,"waiting":n} from this event on
 * More members may be added at the end.
 *
 * Trace Event JSON has a row for each thread, with slices for jobs ("lanes 7"),
 * for waiting ("wait gate") and, a microsecond long, for submit, signal, wake
 * and acquired; an arrow from each submit to the start and from each wake to
 * the acquired; a row for each job, and for each wait that blocked no thread;
 * and counters for gates, lanes and groups. An activity that had not ended has
 * no end.
 */
typedef enum {
    WEIR_TRACE_JSON_LINES = 1,
    WEIR_TRACE_EVENT_JSON = 2
} weir_trace_format_t;

/*!
 * Writes the recorded events. Can be repeated, in either format.
 *
 * @param recorder   A recorder that is stopped.
 * @param descriptor The file to write to; not closed.
 * @param format     The format.
 *
 * @result 0; EBUSY while it records; EINVAL for an unknown format; ENOMEM; the
 * error of write, or EIO if write wrote nothing. Blocks as writing does;
 * meanwhile weir_trace_recorder_start returns EBUSY for this recorder.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_trace_recorder_write(weir_trace_recorder_t recorder, int descriptor,
                          weir_trace_format_t format);

/*!
 * @field events  the events that are kept
 * @field dropped the events that are not: the oldest ones of a thread whose
 *                buffer was full, and those for which memory was short
 * @field threads the number of threads that had events
 */
typedef struct {
    uint64_t events;
    uint64_t dropped;
    size_t threads;
} weir_trace_recorder_stats_t;

/*! Reads the statistics, also while it records. The size is sizeof *stats, so
 *  that the struct can grow. */
WEIR_EXPORT void weir_trace_recorder_stats(weir_trace_recorder_t recorder,
                                           weir_trace_recorder_stats_t *stats,
                                           size_t size);

/*!
 * Ends the recording of WEIR_TRACE and writes its file now, for a program that
 * ends by _exit or by a signal. Does nothing without such a recording, and in a
 * child made by fork.
 *
 * @result 0, or the error that was reported on standard error. Blocks as
 * writing does. Not safe in a signal handler.
 */
WEIR_EXPORT int weir_trace_finish(void);

WEIR_END_DECLS

#endif /* WEIR_TRACE_H */
