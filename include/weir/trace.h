/*
 * weir/trace.h: what happens inside, as events.
 *
 * Gates and lanes record what they do at fixed points. With no observer a
 * point costs one load and one branch. With one, it is called at every point,
 * on the thread that got there.
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
 */
typedef enum {
    WEIR_TRACE_SUBMIT = 1,
    WEIR_TRACE_START = 2,
    WEIR_TRACE_END = 3,
    WEIR_TRACE_WAIT = 4,
    WEIR_TRACE_ACQUIRED = 5,
    WEIR_TRACE_TIMED_OUT = 6,
    WEIR_TRACE_SIGNAL = 7
} weir_trace_kind_t;

/*!
 * @struct weir_trace_event_t
 *
 * @field kind        what happened
 * @field object      the gate or the lanes it happened to, for telling apart
 * @field label       its label, valid during the call
 * @field job         for SUBMIT, START and END a number that is the same for
 *                    one job and differs between the jobs of one object, from
 *                    1 on; 0 otherwise
 * @field lane        for START and END the lane's number from 0; else 0
 * @field count       permits asked for, obtained or given back; 1 for jobs
 * @field nanoseconds CLOCK_MONOTONIC
 */
typedef struct {
    weir_trace_kind_t kind;
    const void *object;
    const char *label;
    uint64_t job;
    size_t lane;
    size_t count;
    uint64_t nanoseconds;
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
 * Begins to tell an observer of every event in the process, or stops.
 *
 * @param observer
 * The observer, or NULL for none. It is not copied, and threads that are in it
 * are not waited for: it has to stay as it is until the process ends.
 *
 * @result
 * The observer that was there before, or NULL. Never blocks.
 */
WEIR_EXPORT const weir_trace_observer_t *WEIR_NULLABLE
weir_trace_set_observer(const weir_trace_observer_t *WEIR_NULLABLE observer);

WEIR_END_DECLS

#endif /* WEIR_TRACE_H */
