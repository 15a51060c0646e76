/*
 * misuse.c: a sentence on standard error before the trap, or as a warning.
 *
 * DESIGN. The sentence is built on the stack and written with one write, so
 * that it comes out whole even if the program is short of memory or stdio is
 * locked.
 */
#include "base/internal.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <weir/misuse.h>
#include <weir/spi.h>

static _Atomic(weir_misuse_handler_t) handler;

weir_misuse_handler_t weir_misuse_set_handler(weir_misuse_handler_t new) {
    return atomic_exchange_explicit(&handler, new, memory_order_acq_rel);
}

static void write_line(const char *kind, const char *sentence) {
    char line[640];
    int length = snprintf(line, sizeof line, "weir: %s: %s\n", kind, sentence);
    if (length > 0) {
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
        (void)ignored;
    }
}

static void write_misuse(const char *sentence) {
    write_line("misuse", sentence);
}

/* Without control characters: a label may have newlines. */
static void build(char *sentence, size_t size, const char *format,
                  va_list arguments) {
    vsnprintf(sentence, size, format, arguments);
    weir__text_show(sentence);
}

void weir__misuse(const char *format, ...) {
    char sentence[560];
    va_list arguments;
    va_start(arguments, format);
    build(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    weir_misuse_handler_t replacement =
        atomic_load_explicit(&handler, memory_order_acquire);
    (replacement ? replacement : write_misuse)(sentence);
    __builtin_trap();
}

void weir__warn(const char *format, ...) {
    char sentence[560];
    va_list arguments;
    va_start(arguments, format);
    build(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    write_line("warning", sentence);
}

void weir_spi_warn(const char *sentence) { weir__warn("%s", sentence); }

void weir_misuse_report(const char *sentence) { weir__misuse("%s", sentence); }
