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
 * @function weir_gate_grant_f
 *
 * @abstract
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
 * @function weir_gate_request_end
 *
 * @abstract
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
 * @function weir_lanes_async_must_f
 *
 * @abstract
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
 * @function weir_spi_spawn_input
 *
 * @abstract
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
 * @function weir_spi_warn
 *
 * @abstract
 * Writes "weir: warning: SENTENCE" to standard error.
 *
 * @param sentence Without a newline. It is cut off at 559 bytes.
 */
WEIR_EXPORT void weir_spi_warn(const char *sentence);

/*!
 * @typedef weir_spi_trace_clock_t
 * @abstract Returns a time in nanoseconds, on any thread, and never goes back.
 */
typedef uint64_t (*weir_spi_trace_clock_t)(void);

/*!
 * @function weir_spi_trace_set_clock
 *
 * @abstract
 * Sets the clock of the times of traced events, for a program that runs in
 * simulated time.
 *
 * @param clock The clock, or NULL for CLOCK_MONOTONIC.
 */
WEIR_EXPORT void
weir_spi_trace_set_clock(weir_spi_trace_clock_t WEIR_NULLABLE clock);

WEIR_END_DECLS

#endif /* WEIR_SPI_H */
