/*
 * weir/spi.h: calls for language overlays, such as the Swift module Weir.
 *
 * weir.h does not include this header. These calls may change or go in any
 * minor version, unlike the rest of the library.
 */
#ifndef WEIR_SPI_H
#define WEIR_SPI_H

#include <weir/gate.h>
#include <weir/lanes.h>
#include <weir/trace.h>

WEIR_BEGIN_DECLS

/*!
 * weir_gate_async_f for work that does not run on a C dispatch queue: calls a
 * function once permits are held, and leaves the permits to it.
 *
 * @param gate    The gate; held until granted has returned.
 * @param count   The number of permits.
 * @param context Passed to granted; may be NULL.
 *
 * @param granted
 * Called exactly once, with the number of permits that the caller now has to
 * signal: count, or all permits of the gate if a resize left fewer than count.
 * It runs on the calling thread before this call returns, or later on the
 * thread that signals, resizes or closes the gate. The rules for decided of
 * weir_gate_request_f apply to it.
 *
 * @result
 * 0 and granted will be called, even if the gate is closed before its turn
 * comes. Otherwise ECANCELED, EINVAL or ENOMEM, and granted will not be called.
 * Never blocks.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_grant_f(weir_gate_t gate, size_t count, void *WEIR_NULLABLE context,
                  void (*granted)(void *WEIR_NULLABLE context, size_t count));

/*!
 * weir_gate_request_cancel with a result that the caller chooses: decided
 * receives the reason why the request ended.
 *
 * @param request The request.
 * @param result  An error above 0. Statistics and traces count ETIMEDOUT as a
 *                time-out and any other value as a cancellation.
 *
 * @result
 * 0, or EALREADY, as from weir_gate_request_cancel.
 */
WEIR_EXPORT int weir_gate_request_end(weir_gate_request_t request, int result);

/*!
 * The code that takes permits, for messages, traces and inspections.
 *
 * @field task the number of the task, never used again; 0 for this thread
 * @field name the name of the task; copied
 * @field file the source of the call; not copied
 * @field line its line
 * @field kept for a wait without a time-out: the number of permits that the
 *             task's scopes hold
 * @field reserved must be zero
 */
typedef struct {
    uint64_t task;
    const char *WEIR_NULLABLE name;
    const char *WEIR_NULLABLE file;
    size_t line;
    size_t kept;
    uintptr_t reserved[2];
} weir_caller_t;

#ifdef __swift__
/* Of Swift's runtime, which has no public number of a task. */
__attribute__((__swiftcall__)) void *WEIR_NULLABLE swift_task_getCurrent(void);
__attribute__((__swiftcall__)) uint64_t swift_task_getJobTaskId(void *task);

/* Returns the number of the Swift task on this thread, or 0. */
static inline uint64_t weir_task_number(void) {
    void *task = swift_task_getCurrent();
    return task ? swift_task_getJobTaskId(task) : 0;
}
#endif

/*! weir_gate_wait for a known caller. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_wait_from(weir_gate_t gate, size_t count, dispatch_time_t timeout,
                    const weir_caller_t *WEIR_NULLABLE caller);

/*! weir_gate_request_f for a known caller. */
WEIR_EXPORT WEIR_WARN_RESULT int weir_gate_request_from(
    weir_gate_t gate, size_t count, const weir_caller_t *WEIR_NULLABLE caller,
    void *WEIR_NULLABLE context,
    void (*decided)(void *WEIR_NULLABLE context, int result),
    weir_gate_request_t WEIR_NULLABLE *WEIR_NULLABLE request);

/*! Reports misuse if only a resize or a close can end the wait. */
WEIR_EXPORT void weir_gate_request_check(weir_gate_request_t request);

/*! The record of a scope: permits that a task or a thread holds until its body
 *  ends. */
typedef struct weir_gate_scope_s *weir_gate_scope_t;

/*!
 * weir_gate_try for a scope of the caller, which weir_gate_leave ends.
 *
 * @param scope Set to the record, or to NULL without permits or memory.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_enter(weir_gate_t gate, size_t count, const weir_caller_t *caller,
                weir_gate_scope_t WEIR_NULLABLE *WEIR_NONNULL scope);

/*! Returns the record of a scope that waited for its permits, or NULL. */
WEIR_EXPORT weir_gate_scope_t WEIR_NULLABLE
weir_gate_scope(weir_gate_t gate, size_t count, const weir_caller_t *caller);

/*! Ends a scope, signals permits, and returns the scope's loans. */
WEIR_EXPORT void *WEIR_NULLABLE weir_gate_leave(
    weir_gate_t gate, size_t count, weir_gate_scope_t WEIR_NULLABLE scope);

/*! Returns the number of permits that the scopes of a task hold. */
WEIR_EXPORT size_t weir_gate_scopes_hold(weir_gate_t gate, uint64_t task);

/*! Returns the place of the loans of a scope of the calling task, and the
 *  number of its permits; NULL if it has no scope. */
WEIR_EXPORT void *WEIR_NULLABLE *WEIR_NULLABLE
weir_gate_scope_loans(weir_gate_t gate, uint64_t task, size_t *count);

/*! Returns true if the program was inspected or is traced, so that names of
 *  tasks are wanted. */
WEIR_EXPORT bool weir_is_seen(void);

/*! An object that inspections show. */
typedef struct weir_shown_s *weir_shown_t;

/*!
 * Lets inspections show an object until weir_show_end.
 *
 * @param describe Called on any thread, under a lock: it must create, end or
 *                 wait for nothing of Weir. It calls weir_show_line.
 */
WEIR_EXPORT weir_shown_t WEIR_NULLABLE
weir_show(void *WEIR_NULLABLE context,
          void (*describe)(void *WEIR_NULLABLE context, void *text));

/*! Adds a line to the text. */
WEIR_EXPORT void weir_show_line(void *text, const char *line);

/*! Ends the showing. Waits for an inspection of the object. */
WEIR_EXPORT void weir_show_end(weir_shown_t WEIR_NULLABLE shown);

/*!
 * weir_lanes_async_f for a job that must run, for example a step of a task
 * whose executor these lanes are.
 *
 * @param lanes   The lanes.
 * @param context Passed to work; may be NULL.
 * @param work    The job.
 *
 * @result
 * 0 or ENOMEM. The job is accepted even after weir_lanes_close, and
 * weir_lanes_cancel does not drop it. It neither waits for the backlog nor
 * takes a place in it. Does not block, unless the lanes are WEIR_LANES_INLINE.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_lanes_async_must_f(weir_lanes_t lanes, void *WEIR_NULLABLE context,
                        void (*work)(void *WEIR_NULLABLE context,
                                     void *WEIR_NULLABLE lane_context));

/*!
 * Creates a descriptor in memory from which a child reads bytes.
 *
 * @param bytes The bytes, which are copied; may be NULL if there are none.
 * @param count Their number.
 * @param input The descriptor, on return: close-on-exec, and not 0, 1 or 2.
 *
 * @result
 * 0 or an errno value: EMFILE, ENFILE, ENOSPC. Never blocks.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_spi_spawn_input(const void *WEIR_NULLABLE bytes, size_t count, int *input);

/*!
 * Writes "weir: warning: SENTENCE" to standard error.
 *
 * @param sentence Without a newline. It is cut off at 559 bytes.
 */
WEIR_EXPORT void weir_spi_warn(const char *sentence);

/*! Returns a time in nanoseconds, on any thread, and never goes back. */
typedef uint64_t (*weir_spi_trace_clock_t)(void);

/*!
 * Sets the clock of the times of traced events, for a program that runs in
 * simulated time.
 *
 * @param clock The clock, or NULL for CLOCK_MONOTONIC.
 */
WEIR_EXPORT void
weir_spi_trace_set_clock(weir_spi_trace_clock_t WEIR_NULLABLE clock);

WEIR_END_DECLS

#endif /* WEIR_SPI_H */
