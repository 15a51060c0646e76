/* json.h: JSON text, through a buffer, to a descriptor or into memory. */
#pragma once

#include "base/bytes.h"
#include "base/internal.h"

#include <stdarg.h>

/* The output. Zeroed except for the descriptor at the beginning. */
struct weir__json {
    int descriptor;
    struct bytes *memory; /* that gets the text instead, or NULL */
    int error;            /* of write, or ENOMEM; 0 as long as there was none */
    size_t used;
    char bytes[32768];
};

WEIR_HIDDEN void weir__json_put(struct weir__json *json, const char *bytes,
                                size_t count);

/* For numbers and fixed words, at most 255 bytes. */
WEIR_HIDDEN void weir__json_print(struct weir__json *json, const char *format,
                                  va_list arguments)
    __attribute__((__format__(__printf__, 2, 0)));

/* Writes the text of a string, without its quotes. */
WEIR_HIDDEN void weir__json_put_text(struct weir__json *json, const char *text);

/* Writes the buffer to the descriptor or into the memory. */
WEIR_HIDDEN void weir__json_flush(struct weir__json *json);
