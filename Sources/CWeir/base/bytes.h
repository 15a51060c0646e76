/* bytes.h: memory that grows: arrays, and bytes that are appended. */
#pragma once

#include "base/internal.h"

/* Makes room for `needed` elements of `element` bytes each, by half as much
   again. `array` is the address of the pointer to the array. New elements are
   not initialized. Returns false and changes nothing if memory is short. */
WEIR_HIDDEN bool weir__grow_array(void *array, size_t element, size_t *capacity,
                                  size_t needed);

/* The same, without a call if there is room already. */
static inline bool weir__grow(void *array, size_t element, size_t *capacity,
                              size_t needed) {
    return needed <= *capacity ||
           weir__grow_array(array, element, capacity, needed);
}

/* Bytes that are appended. Zeroed, it is empty. The owner frees `data`. */
struct bytes {
    char *data;
    size_t used;
    size_t capacity;
};

/* Returns room for `length` more bytes, or NULL. The caller adds to `used`. */
WEIR_HIDDEN char *weir__bytes_reserve(struct bytes *bytes, size_t length);

/* Replaces the bytes by a copy and a NUL. NULL and no bytes without memory. */
WEIR_HIDDEN char *weir__bytes_set(struct bytes *bytes, const void *from,
                                  size_t length);
