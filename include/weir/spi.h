/*
 * weir/spi.h: calls for language overlays, such as the Swift module Weir.
 *
 * weir.h does not include this header. These calls may change or go in any
 * minor version, unlike the rest of the library.
 */
#ifndef WEIR_SPI_H
#define WEIR_SPI_H

#include <weir/file.h>
#include <weir/gate.h>
#include <weir/lanes.h>
#include <weir/trace.h>
#include <weir/walk.h>

WEIR_BEGIN_DECLS

/*!
 * weir_gate_async_f for work that does not run on a C dispatch queue: calls a
 * function once permits are held, and leaves the permits to it: count of them,
 * or all of the gate if a resize left fewer. The rules for decided of
 * weir_gate_request_f apply to it.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_gate_grant_f(weir_gate_t gate, size_t count, void *WEIR_NULLABLE context,
                  void (*granted)(void *WEIR_NULLABLE context, size_t count));

/*! weir_gate_request_cancel with the reason, an error above 0, for decided.
 *  Statistics and traces count ETIMEDOUT as a time-out. */
WEIR_EXPORT int weir_gate_request_end(weir_gate_request_t request, int result);

/*! The code that takes permits, for messages, traces and inspections. */
typedef struct {
    uint64_t task; /* its number, never used again; 0 for this thread */
    const char *WEIR_NULLABLE name; /* of the task; copied */
    const char *WEIR_NULLABLE file; /* of the call; not copied */
    size_t line;
    size_t kept; /* by the task's scopes, for a wait without a time-out */
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

/*! weir_gate_try for a scope. Its record is NULL without permits or memory. */
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

/*! Lets inspections show an object until weir_show_end. Describe calls
 *  weir_show_line, on any thread, under a lock: it must create, end or wait for
 *  nothing of Weir. The first line begins with KIND "LABEL": and a space. The
 *  progress of the watch is a number above 0 that changes when a job begins or
 *  ends, or 0 if none waits; NULL: not watched. */
WEIR_EXPORT weir_shown_t WEIR_NULLABLE
weir_show(void *WEIR_NULLABLE context,
          void (*describe)(void *WEIR_NULLABLE context, void *text),
          uint64_t (*WEIR_NULLABLE progress)(void *WEIR_NULLABLE context));

/*! Adds a line to the text. */
WEIR_EXPORT void weir_show_line(void *text, const char *line);

/*! Ends the showing. Waits for an inspection of the object. */
WEIR_EXPORT void weir_show_end(weir_shown_t WEIR_NULLABLE shown);

/*! weir_lanes_async_f for a job that must run, as a step of a task whose
 *  executor these lanes are: neither a close refuses it nor a cancel drops it,
 *  and it has no place in the backlog. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_lanes_async_must_f(weir_lanes_t lanes, void *WEIR_NULLABLE context,
                        void (*work)(void *WEIR_NULLABLE context,
                                     void *WEIR_NULLABLE lane_context));

/*! Marks that this thread runs work of a group, whose enter and leave the
 *  caller makes, until weir_spi_group_work_end. Calls nest. A wait for the group
 *  without a time-out is misuse there. */
WEIR_EXPORT void weir_spi_group_work_begin(weir_group_t group);

/*! Ends the innermost mark of this thread. */
WEIR_EXPORT void weir_spi_group_work_end(void);

/*! The wait of a task for a group, which inspections and the watch show. */
typedef struct weir_spi_wait_s *weir_spi_wait_t;

/*! Begins such a wait; the name of the task is copied. NULL without memory. */
WEIR_EXPORT WEIR_WARN_RESULT weir_spi_wait_t WEIR_NULLABLE
weir_spi_group_wait_begin(weir_group_t group, const weir_caller_t *caller);

/*! Ends and frees it. */
WEIR_EXPORT void weir_spi_group_wait_end(weir_spi_wait_t WEIR_NULLABLE wait);

/*! Creates a descriptor in memory, above 2 and close-on-exec, from which a
 *  child reads a copy of the bytes. Returns 0, EMFILE, ENFILE or ENOSPC. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_spi_spawn_input(const void *WEIR_NULLABLE bytes, size_t count, int *input);

/*! An alarm: a call at a time. */
typedef struct weir_spi_alarm_s *weir_spi_alarm_t;

/*! Calls ring once when the clock of dispatch_time shows these nanoseconds, on
 *  a thread that all alarms share and that is not of libdispatch. It must not
 *  wait. Returns NULL without memory. */
WEIR_EXPORT WEIR_WARN_RESULT weir_spi_alarm_t WEIR_NULLABLE
weir_spi_alarm_set(uint64_t time, void *WEIR_NULLABLE context,
                   void (*ring)(void *WEIR_NULLABLE context));

/*! Frees an alarm, also one that rang. Returns true if ring is not called;
 *  otherwise it may not have returned yet. */
WEIR_EXPORT bool weir_spi_alarm_end(weir_spi_alarm_t alarm);

/*! Calls body on a new thread that is not of libdispatch, with all signals
 *  blocked; on one of libdispatch if there is no other. Returns 0 or ENOMEM. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_spi_thread_start(void *WEIR_NULLABLE context,
                      void (*body)(void *WEIR_NULLABLE context));

/*! Returns how many of count threads the system can start. Starts them, which
 *  live at the same time, and ends them. */
WEIR_EXPORT WEIR_WARN_RESULT size_t weir_spi_threads_available(size_t count);

/*! Writes "weir: warning: SENTENCE" to standard error, at most 559 bytes. */
WEIR_EXPORT void weir_spi_warn(const char *sentence);

/*! Returns true if a filter matches a file by its path relative to the root of a
 *  walk, or a directory above it. Without memory nothing matches. */
WEIR_EXPORT bool weir_spi_filter_matches(const weir_walk_filter_t *filter,
                                         const char *path);

/*! The memory of one thread that reads parts of a file beside the job. */
typedef struct weir_spi_view_s *weir_spi_view_t;

/*! Returns a view, which reads at most `size` bytes at a time; NULL without
 *  memory. It may be used as long as weir_file_read_at. */
WEIR_EXPORT WEIR_WARN_RESULT weir_spi_view_t WEIR_NULLABLE
weir_spi_view_create(const weir_file_t *file, size_t size);

/*! weir_file_read_at into the memory of the view. With WEIR_FILES_MAPPED, the
 *  bytes may be mapped, and then be more than the view reads at a time. They are
 *  valid until the next call. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_spi_view_read(weir_spi_view_t view, uint64_t offset, size_t size,
                   const void *WEIR_NULLABLE *WEIR_NONNULL bytes,
                   size_t *length);

/*! Frees the view. */
WEIR_EXPORT void weir_spi_view_end(weir_spi_view_t view);

/*! Returns a time in nanoseconds, on any thread, and never goes back. */
typedef uint64_t (*weir_spi_trace_clock_t)(void);

/*! Sets the clock of traced events, for simulated time; NULL for
 *  CLOCK_MONOTONIC. */
WEIR_EXPORT void
weir_spi_trace_set_clock(weir_spi_trace_clock_t WEIR_NULLABLE clock);

WEIR_END_DECLS

#endif /* WEIR_SPI_H */
