/*
 * bytes.c: a byte array that grows at its end.
 */
#include "base/bytes.h"

char *weir__bytes_reserve(struct bytes *bytes, size_t length) {
    if (length > SIZE_MAX / 4 - bytes->used) {
        return NULL;
    }
    if (!bytes->data || bytes->capacity - bytes->used < length) {
        size_t capacity = bytes->capacity * 2;
        if (capacity < bytes->used + length) {
            capacity = bytes->used + length;
        }
        if (capacity < 1024) {
            capacity = 1024;
        }
        char *data = realloc(bytes->data, capacity);
        if (!data) {
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    return bytes->data + bytes->used;
}
