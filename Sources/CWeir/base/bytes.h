/*
 * bytes.h: a byte array that grows at its end.
 */
#ifndef WEIR_BASE_BYTES_H
#define WEIR_BASE_BYTES_H

#include "base/internal.h"

/* Zeroed, it is empty. The owner frees `data`. */
struct bytes {
    char *data;
    size_t used;
    size_t capacity;
};

/* Returns room for `length` more bytes after those in use, or NULL if memory is
   short. The caller adds to `used` what it wrote. */
WEIR_HIDDEN char *weir__bytes_reserve(struct bytes *bytes, size_t length);

#endif /* WEIR_BASE_BYTES_H */
