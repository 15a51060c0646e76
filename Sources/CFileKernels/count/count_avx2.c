/* count_avx2.c: counting by AVX2. */
#include "../target.h"
#include "count.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

TARGET_BEGIN("avx2,popcnt,bmi")

typedef struct {
    __m256i low, high;
} block_t;

static inline block_t block_load(const unsigned char *bytes) {
    return (block_t){_mm256_loadu_si256((const __m256i *)bytes),
                     _mm256_loadu_si256((const __m256i *)(bytes + 32))};
}

static inline uint64_t gathered(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline uint64_t block_equals(block_t block, unsigned byte) {
    __m256i wanted = _mm256_set1_epi8((char)byte);
    return gathered(_mm256_cmpeq_epi8(block.low, wanted),
                    _mm256_cmpeq_epi8(block.high, wanted));
}

/* Compares signed numbers, so bytes from 0x80 on are less than all others. */
static inline __m256i within(__m256i bytes, unsigned from, unsigned to) {
    return _mm256_and_si256(
        _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8((char)(from - 1))),
        _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(to + 1)), bytes));
}

static inline uint64_t block_within(block_t block, unsigned from, unsigned to) {
    return gathered(within(block.low, from, to), within(block.high, from, to));
}

static inline uint64_t block_high(block_t block) {
    return gathered(block.low, block.high);
}

static inline uint64_t block_from(block_t block, unsigned byte) {
    __m256i least = _mm256_set1_epi8((char)byte);
    return gathered(
        _mm256_cmpeq_epi8(_mm256_max_epu8(block.low, least), block.low),
        _mm256_cmpeq_epi8(_mm256_max_epu8(block.high, least), block.high));
}

/* The maximum number that a byte can count. */
#define ROUNDS 255

static uint64_t count_newlines(const unsigned char *bytes, size_t length) {
    const __m256i newline = _mm256_set1_epi8('\n');
    __m256i sums = _mm256_setzero_si256();
    while (length >= 64) {
        size_t rounds = length / 64 < ROUNDS ? length / 64 : ROUNDS;
        __m256i even = _mm256_setzero_si256(), odd = even;
        for (size_t i = 0; i < rounds; i++, bytes += 64) {
            block_t block = block_load(bytes);
            even = _mm256_sub_epi8(even, _mm256_cmpeq_epi8(block.low, newline));
            odd = _mm256_sub_epi8(odd, _mm256_cmpeq_epi8(block.high, newline));
        }
        length -= rounds * 64;
        const __m256i zero = _mm256_setzero_si256();
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(even, zero));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(odd, zero));
    }
    uint64_t lines = (uint64_t)_mm256_extract_epi64(sums, 0) +
                     (uint64_t)_mm256_extract_epi64(sums, 1) +
                     (uint64_t)_mm256_extract_epi64(sums, 2) +
                     (uint64_t)_mm256_extract_epi64(sums, 3);
    for (size_t i = 0; i < length; i++) {
        lines += bytes[i] == '\n';
    }
    return lines;
}

#define KERNEL kernel_count_blocks_avx2
#include "count_blocks.h"

TARGET_END

#endif
