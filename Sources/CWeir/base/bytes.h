/* bytes.h: memory that grows: arrays of any element, and bytes that are
   appended. */
#pragma once

#include "base/internal.h"

/* Makes room for at least `needed` elements of `element` bytes each, by half as
   much again. `array` is the address of the pointer to the array, which
   may be NULL while `*capacity` is 0. New elements are not initialized. Returns
   false and changes nothing if memory is short. */
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

/* Returns room for `length` more bytes after those in use, or NULL if memory is
   short. The caller adds to `used` what it wrote. */
WEIR_HIDDEN char *weir__bytes_reserve(struct bytes *bytes, size_t length);

/* Replaces the bytes by a copy of others, with a NUL after them that is not in
   use. Returns them, or NULL, and then there are none, if memory is short. */
WEIR_HIDDEN char *weir__bytes_set(struct bytes *bytes, const void *from,
                                  size_t length);
