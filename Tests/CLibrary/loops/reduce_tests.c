/* reduce_tests.c: weir_reduce on any queue and any number of cores. */
#include "objects.h"

/* Joined ranges: like strings, they show their order. */
struct chain {
    size_t begin, end, links, longest;
    bool empty, broken;
};

static void append(struct chain *chain, struct chain next) {
    chain->broken |= next.broken || next.empty || next.begin != chain->end;
    if (chain->empty) {
        chain->begin = next.begin;
    }
    chain->empty = false;
    chain->end = next.end;
    chain->links += next.links;
    if (next.longest > chain->longest) {
        chain->longest = next.longest;
    }
}

static void link_range(void *context, size_t begin, size_t end, void *partial) {
    struct chain *chain = partial;
    /* A partial result begins as a copy of the neutral value, which is empty. */
    bool broken = !chain->empty || begin >= end;
    *chain = (struct chain){begin, end, 1, end - begin, false, broken};
}

static void join(void *context, void *result, const void *partial) {
    append(result, *(const struct chain *)partial);
}

static void check_chain(size_t count, size_t stride, size_t expected_stride,
                        dispatch_queue_t queue, bool block) {
    struct chain chain = {.empty = true};
    int error = block ? weir_reduce(
                            count, stride, queue, &chain, sizeof chain,
                            ^(size_t begin, size_t end, void *partial) {
                              link_range(NULL, begin, end, partial);
                            },
                            ^(void *result, const void *partial) {
                              join(NULL, result, partial);
                            })
                      : weir_reduce_f(count, stride, queue, NULL, &chain,
                                      sizeof chain, link_range, join);
    CHECK_EQUAL(error, 0);
    CHECK(chain.end == count && chain.empty == (count == 0) && !chain.broken &&
              chain.links ==
                  (count == 0 ? 0 : (count - 1) / expected_stride + 1) &&
              chain.longest ==
                  (count < expected_stride ? count : expected_stride),
          "count %zu stride %zu: end %zu, %zu links, longest %zu", count,
          stride, chain.end, chain.links, chain.longest);
}

TEST(every_small_reduction_is_in_order) {
    for (int row = 0; row < 2 * PLACES; row++) {
        dispatch_queue_t queue = queue_at(row / 2);
        for (size_t count = 0; count <= 40; count++) {
            for (size_t stride = 1; stride <= 41; stride++) {
                check_chain(count, stride, stride, queue, row % 2);
            }
            check_chain(count, SIZE_MAX / 2, SIZE_MAX / 2, queue, row % 2);
            check_chain(count, 0, 1, queue, row % 2);
        }
    }
}

TEST(the_automatic_stride_is_the_smallest_of_1024_ranges) {
    struct check_random random = check_random("automatic reductions");
    EACH(size_t, fixed, 1, 1023, 1024, 1025, 2048, 2049, 0, 0, 0, 0, 0, 0, 0) {
        size_t count = fixed ? fixed : 1 + check_below(&random, 9999999);
        check_chain(count, 0, (count - 1) / 1024 + 1, NULL, false);
    }
}

TEST(huge_counts_do_not_overflow) {
    EACH(size_t, count, SIZE_MAX, SIZE_MAX - SIZE_MAX / 4, SIZE_MAX / 2 + 1) {
        EACH(size_t, stride, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2,
             SIZE_MAX / 3) {
            check_chain(count, stride, stride, NULL, false);
        }
        check_chain(count, 0, (count - 1) / 1024 + 1, NULL, false);
    }
}

/* Partial results of any size are aligned for any type of that size. */
TEST(partial_results_are_aligned) {
    EACH(size_t, size, 1, 2, 3, 7, 8, 16, 24, 32, 48, 64, 65, 128, 1000, 4096) {
        size_t alignment = (size & -size) < 64 ? (size & -size) : 64;
        _Atomic int wrong = 0, *wrongs = &wrong;
        unsigned char *result = aligned_alloc(64, (size + 63) / 64 * 64);
        unsigned char expected = 0x5A;
        memset(result, 0x5A, size);
        int error = weir_reduce(
            5000, 1, NULL, result, size,
            ^(size_t begin, size_t end, void *partial) {
              unsigned char *bytes = partial;
              bool first = (uintptr_t)partial % 128 == 0;
              for (size_t index = 0; index < size; index++) {
                  first = first && bytes[index] == 0x5A;
              }
              *wrongs += !first;
              bytes[0] = (unsigned char)begin;
            },
            ^(void *whole, const void *partial) {
              *wrongs += (uintptr_t)partial % alignment != 0;
              *(unsigned char *)whole += *(const unsigned char *)partial;
            });
        for (unsigned begin = 0; begin < 5000; begin++) {
            expected += (unsigned char)begin;
        }
        check_row("size %zu", size);
        CHECK(error == 0 && wrong == 0 && result[0] == expected);
        for (size_t index = 1; index < size; index++) {
            CHECK_EQUAL(result[index], 0x5A);
        }
        free(result);
    }
}

static void body_called(void *calls, size_t begin, size_t end, void *partial) {
    ++*(_Atomic int *)calls;
}

static void combine_called(void *calls, void *result, const void *partial) {
    ++*(_Atomic int *)calls;
}

TEST(invalid_sizes_are_refused_without_a_call) {
    static const struct {
        size_t count, stride, size;
        int error;
    } rows[] = {{10, 1, 0, EINVAL},
                {0, 0, 0, EINVAL},
                {0, 0, 8, 0},
                {0, 7, SIZE_MAX, 0},
                {SIZE_MAX, 1, 8, ENOMEM},
                {SIZE_MAX / 8, 1, 8, ENOMEM},
                {1, 1, (size_t)1 << 62, ENOMEM},
                {2, 1, SIZE_MAX, ENOMEM},
                {2, 1, SIZE_MAX / 2, ENOMEM},
                {1, 1, SIZE_MAX - 126, ENOMEM},
                {1, 1, SIZE_MAX - 127, ENOMEM},
                {1, 1, (size_t)1 << 63, ENOMEM},
                {SIZE_MAX / 128 + 1, 1, 128, ENOMEM},
                {3, 1, SIZE_MAX / 3, ENOMEM}};
    _Atomic int calls = 0;
    int sum = 5;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        check_row("%zu, %zu, %zu", rows[row].count, rows[row].stride,
                  rows[row].size);
        CHECK_EQUAL(weir_reduce_f(rows[row].count, rows[row].stride, NULL,
                                  &calls, &sum, rows[row].size, body_called,
                                  combine_called),
                    rows[row].error);
    }
    CHECK(calls == 0 && sum == 5);
}
