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
 * The state is read object by object, under the lock of each; two objects are
 * not seen at the same instant. An inspection can be made at any time, on any
 * thread, also while all threads of libdispatch wait. It is not safe in a
 * signal handler.
 *
 * The begin of a wait is always known. The begin of a job is known from the
 * first call of this header on, since a clock would be a part of the costs of
 * a short job. Likewise for the permits of work of weir_gate_async. Scopes of
 * tasks in Swift are always known, those of its threads from then on. Other
 * permits that a thread took outside of jobs have no known holder.
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
 * @result
 * 0, ENOMEM, or the error of write. Blocks as writing does, with no lock held.
 * An observer of events must not call this.
 */
WEIR_EXPORT int weir_inspect_write(int descriptor);

/*!
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
 * Reports waits without progress on standard error, each of them once.
 *
 * @discussion
 * A wait is reported if it is as old as the time and as long nothing happened
 * that brings waits for its object nearer to their end: permits came back, the
 * gate was resized, a job of the lanes or the queue began or ended, work left the
 * group. Jobs that are queued wait, too. The object, the new waits and the known
 * holders have a line each:
 *
 *     weir: watch: gate "rooms": 1 of 1 permits in use, 1 waiting; no progress for 10.004 s
 *     weir: watch: gate "rooms": thread 4715 waits for 1, for 11.253 s
 *     weir: watch: gate "rooms": job 7 of "work" took 1, thread 4715, running for 11.253 s
 *
 * A holder that works for longer is reported too: only a reader can tell that
 * from a hang. Reports come up to a quarter of the time later, from a thread
 * that is not of libdispatch. Calls then cost as after weir_inspect_write.
 *
 * @param seconds The time, at most 1e9; 0 ends the watch.
 *
 * @result
 * 0; EINVAL for another number; ENOMEM or EAGAIN without a thread. Replaces the
 * time of an earlier call or of WEIR_WATCH. Never blocks.
 */
WEIR_EXPORT int weir_inspect_watch(double seconds);

WEIR_END_DECLS

#endif /* WEIR_INSPECT_H */
