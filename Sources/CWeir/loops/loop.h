/*
 * loop.h: ranges of a fixed stride, which apply.c and reduce.c claim by number.
 */
#ifndef WEIR_LOOP_H
#define WEIR_LOOP_H

#include <stddef.h>

/* How many ranges of a stride there are in [0, count). Counting in ranges and
   not in indices keeps count + workers * stride out of the sums, which might
   not fit into a size_t. */
static inline size_t weir__ranges(size_t count, size_t stride) {
    return count == 0 ? 0 : (count - 1) / stride + 1;
}

/* Where range `number` ends that begins at number * stride. */
static inline size_t weir__range_end(size_t count, size_t stride,
                                     size_t number) {
    size_t begin = number * stride;
    return count - begin < stride ? count : begin + stride;
}

#endif /* WEIR_LOOP_H */
