/*
 * weir/misuse.h: a sentence before the trap.
 *
 * libdispatch's texts for programmer errors are compiled out on Linux: an
 * unbalanced leave is a bare SIGILL. Where Weir can see a mistake it writes
 * one line to standard error that names the object by its label, what was done
 * and what is right, and then traps (SIGILL or SIGTRAP, as the machine has it).
 */
#ifndef WEIR_MISUSE_H
#define WEIR_MISUSE_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @typedef weir_misuse_handler_t
 *
 * @abstract
 * Is given the sentence, without a newline, on the thread that made the
 * mistake, perhaps on several at once. It may read Weir's statistics. When it
 * returns, the trap follows; it must not leave by longjmp or an exception.
 */
typedef void (*weir_misuse_handler_t)(const char *sentence);

/*!
 * @function weir_misuse_set_handler
 *
 * @abstract
 * Replaces what is done with the sentence before the trap.
 *
 * @param handler
 * The handler, for the whole process, or NULL for the usual one, which writes
 * "weir: misuse: SENTENCE" to standard error.
 *
 * @result
 * The handler that was there before, NULL for the usual one. Never blocks; may
 * be called from any thread.
 */
WEIR_EXPORT weir_misuse_handler_t WEIR_NULLABLE
weir_misuse_set_handler(weir_misuse_handler_t WEIR_NULLABLE handler);

/*!
 * @function weir_misuse_tell
 *
 * @abstract
 * Says a sentence as Weir says its own, and traps: for what is built upon Weir
 * and finds a programmer's error of its own kind.
 *
 * @param sentence
 * What object, what was done, and what is right; without a newline. It is cut
 * off at 559 bytes.
 */
WEIR_EXPORT void weir_misuse_tell(const char *sentence)
    __attribute__((__noreturn__));

WEIR_END_DECLS

#endif /* WEIR_MISUSE_H */
