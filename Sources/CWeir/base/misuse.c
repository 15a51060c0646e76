/*
 * misuse.c: a sentence before the trap.
 *
 * DESIGN. A programmer's error ends the program: going on would corrupt what
 * the caller believes about his own permits and jobs. The sentence is made on
 * the stack and written with one write, so that it comes out whole also from a
 * program that is short of memory or has stdio locked.
 */
#include "base/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <weir/misuse.h>

static _Atomic(weir_misuse_handler_t) handler;

weir_misuse_handler_t weir_misuse_set_handler(weir_misuse_handler_t new) {
    return atomic_exchange_explicit(&handler, new, memory_order_acq_rel);
}

static void write_line(const char *sentence) {
    char line[640];
    int length = snprintf(line, sizeof line, "weir: misuse: %s\n", sentence);
    if (length > 0) {
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
        (void)ignored;
    }
}

void weir__misuse(const char *format, ...) {
    char sentence[560];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    for (char *at = sentence; *at; at++) { /* of the label: one line it is */
        *at = (unsigned char)*at < ' ' || *at == 127 ? '?' : *at;
    }
    weir_misuse_handler_t said =
        atomic_load_explicit(&handler, memory_order_acquire);
    (said ? said : write_line)(sentence);
    __builtin_trap();
}

void weir_misuse_tell(const char *sentence) { weir__misuse("%s", sentence); }
