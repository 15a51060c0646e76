/* bytes.c: memory that grows. */
#include "base/bytes.h"

bool weir__grow_array(void *array, size_t element, size_t *capacity,
                      size_t needed) {
    size_t larger = *capacity + *capacity / 2 + 16;
    if (larger < needed) {
        larger = needed;
    }
    void *memory;
    memcpy(&memory, array, sizeof memory);
    size_t bytes; /* Darwin has no reallocarray */
    if (__builtin_mul_overflow(larger, element, &bytes) ||
        !(memory = realloc(memory, bytes))) {
        return false;
    }
    memcpy(array, &memory, sizeof memory);
    *capacity = larger;
    return true;
}

/* A new array begins with 1 KiB: most hold a directory's names or a line. */
char *weir__bytes_reserve(struct bytes *bytes, size_t length) {
    if (length > SIZE_MAX / 4 - bytes->used) {
        return NULL;
    }
    size_t needed = bytes->used + length;
    if (!bytes->data) {
        bytes->capacity = 0;
        needed = needed < 1024 ? 1024 : needed;
    }
    return weir__grow(&bytes->data, 1, &bytes->capacity, needed)
               ? bytes->data + bytes->used
               : NULL;
}

char *weir__bytes_set(struct bytes *bytes, const void *from, size_t length) {
    bytes->used = 0;
    char *copy =
        length < SIZE_MAX ? weir__bytes_reserve(bytes, length + 1) : NULL;
    if (copy) {
        memcpy(copy, length ? from : "", length);
        copy[length] = '\0';
        bytes->used = length;
    }
    return copy;
}
