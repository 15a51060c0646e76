/* ranges.h: the ranges of a fixed stride in [0, count), numbered from 0. */
#pragma once

#include <stddef.h>

/* Returns the number of ranges. A sum of indices might not fit into size_t. */
static inline size_t weir__ranges(size_t count, size_t stride) {
    return count == 0 ? 0 : (count - 1) / stride + 1;
}

/* Returns the end of a range, which begins at number * stride. */
static inline size_t weir__range_end(size_t count, size_t stride,
                                     size_t number) {
    size_t begin = number * stride;
    return count - begin < stride ? count : begin + stride;
}
