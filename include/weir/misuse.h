/*
 * weir/misuse.h: a sentence before the trap.
 *
 * libdispatch's texts for programmer errors are compiled out on Linux: an
 * unbalanced leave is a bare SIGILL. If Weir detects a mistake, it writes one
 * line to standard error that names the object by its label, what was done and
 * what is right, and then traps (SIGILL or SIGTRAP, depending on the machine).
 *
 * Only what is certain traps. What Weir merely suspects (a job that seems to
 * wait for permits of its own, weir/gate.h) is one line on standard error,
 * "weir: warning: SENTENCE", and the program goes on.
 */
#ifndef WEIR_MISUSE_H
#define WEIR_MISUSE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * Receives the sentence, without a newline, on the thread that made the
 * mistake; perhaps on several threads at once. It may read Weir's statistics.
 * The trap follows when it returns; it must not leave by longjmp or an
 * exception.
 */
typedef void (*weir_misuse_handler_t)(const char *sentence);

/*!
 * Replaces the handler of the process, which receives the sentence before the
 * trap. NULL is the default, which writes "weir: misuse: SENTENCE" to standard
 * error.
 *
 * @result The handler before, NULL for the default.
 */
WEIR_EXPORT weir_misuse_handler_t WEIR_NULLABLE
weir_misuse_set_handler(weir_misuse_handler_t WEIR_NULLABLE handler);

/*! Reports a sentence as Weir reports its own, and traps: for libraries on top
 *  of Weir that detect a programmer's error of their own. The sentence names
 *  the object, what was done, and what is right, without a newline; it is cut
 *  off at 559 bytes. */
WEIR_EXPORT void weir_misuse_report(const char *sentence)
    __attribute__((__noreturn__));

WEIR_END_DECLS

#endif /* WEIR_MISUSE_H */
