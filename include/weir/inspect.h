/*
 * weir/inspect.h: every gate, lanes and group that is alive, and the maps and
 * queues of Swift: who holds permits, what runs, what waits, and for how long.
 *
 * A program that hangs can print this by itself. One line at its beginning
 * writes the state to standard error each time the user types Ctrl-\ or calls
 * `kill -QUIT`:
 *
 *     weir_inspect_on_signal(SIGQUIT);
 *
 * WEIR_WATCH=10 in the environment of any program, or weir_inspect_watch(10),
 * reports by itself what has waited for ten seconds without progress.
 *
 * The state is read object by object, under the lock of each. An inspection can
 * be made at any time, also while all threads of libdispatch wait, but not in a
 * signal handler.
 *
 * The begin of a wait is always known. The begin of a job, and of permits of
 * work of weir_gate_async, is known from the first call of this header on,
 * since a clock would be a part of the costs of a short job. Scopes of tasks in
 * Swift are always known, those of its threads from then on. Other permits that
 * a thread took outside of jobs have no known holder.
 */
#ifndef WEIR_INSPECT_H
#define WEIR_INSPECT_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * Writes the state as text, for people; its form may change.
 *
 * @discussion
 * A gate of three permits, for example, with one thread waiting:
 *
 *     gate "downloads": 3 of 3 permits in use, 1 waiting
 *       thread 4713 waits for 1, for 2.503 s
 *       job 7 of "work" took 1, thread 4715, running for 3.001 s
 *
 * The permits that a job took are a guess: another thread may have returned
 * them. Those of work of weir_gate_async are certain.
 *
 * @param descriptor The file to write to; not closed.
 *
 * @result 0, ENOMEM, or the error of write. Blocks as writing does, with no
 * lock held. An observer of events must not call this.
 */
WEIR_EXPORT int weir_inspect_write(int descriptor);

/*!
 * Writes the state to standard error whenever the process gets a signal. A
 * thread of its own writes, so that it works when every other thread waits,
 * without a descriptor. System calls that a handler can interrupt go on as with
 * SA_RESTART. The handler replaces the one before, if any, and the program goes
 * on after the signal. Can be called for several signals, such as SIGQUIT or
 * SIGUSR2.
 *
 * @result 0; EINVAL for a number that is no signal or that cannot be handled;
 * EAGAIN if the system has no thread.
 */
WEIR_EXPORT int weir_inspect_on_signal(int number);

/*!
 * Reports waits without progress on standard error, each of them once.
 *
 * @discussion
 * A wait is reported if it is as old as the time and as long nothing happened
 * that brings waits for its object nearer to their end: permits came back, the
 * gate was resized, a job of the lanes or the queue began or ended, work left
 * the group. Jobs that are queued wait, too. The object, the new waits and the
 * known holders have a line each:
 *
 *     weir: watch: gate "rooms": 1 of 1 permits in use, 1 waiting; no progress for 10.004 s
 *     weir: watch: gate "rooms": thread 4715 waits for 1, for 11.253 s
 *     weir: watch: gate "rooms": job 7 of "work" took 1, thread 4715, running for 11.253 s
 *
 * A holder that works for longer is reported too. Reports come up to a quarter
 * of the time later, from a thread that is not of libdispatch. Calls then cost
 * as after weir_inspect_write.
 *
 * @param seconds The time, at most 1e9; 0 ends the watch, and less than 0.01
 *                counts as 0.01. Replaces that of an earlier call or of
 *                WEIR_WATCH.
 *
 * @result 0; EINVAL for another number; ENOMEM or EAGAIN without a thread.
 */
WEIR_EXPORT int weir_inspect_watch(double seconds);

WEIR_END_DECLS

#endif /* WEIR_INSPECT_H */
