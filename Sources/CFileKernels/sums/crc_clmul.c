/*
 * crc_clmul.c: the CRC-32 of cksum with carry-less multiplication.
 *
 * Source: V. Gopal and others, "Fast CRC Computation for Generic Polynomials
 * Using PCLMULQDQ Instruction", Intel, 2009.
 *
 * DESIGN. A block of 16 bytes is a polynomial, of which high * x^64 + low are the
 * halves. Moved forward by n bits it is congruent to high * (x^(n + 64) mod P) +
 * low * (x^n mod P), which has less than 128 bits again: two multiplications and
 * two additions take a block past n bits. Four blocks move at once, by 64 bytes,
 * because a multiplication has a latency of several cycles; at the end they are
 * moved into one. The remainder of that block is left to the tables. The paper's
 * reduction by Barrett's method would save some 30 cycles a call, that is, a
 * piece of 32 KiB or more of a file.
 */
#include "../target.h"
#include "crc.h"

#if defined(__x86_64__)

#include <immintrin.h>

TARGET_BEGIN("pclmul,avx")

static inline __m128i reversed(__m128i block) {
    return _mm_shuffle_epi8(block, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                                10, 11, 12, 13, 14, 15));
}

static inline __m128i load(const unsigned char *bytes) {
    return reversed(_mm_loadu_si128((const __m128i *)bytes));
}

/* Moves a block forward, and adds the one that is there. */
static inline __m128i fold(__m128i block, __m128i by, __m128i onto) {
    __m128i low = _mm_clmulepi64_si128(block, by, 0x00);
    __m128i high = _mm_clmulepi64_si128(block, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

static inline __m128i factor(const uint64_t factors[2]) {
    return _mm_loadu_si128((const __m128i *)factors);
}

size_t kernel_crc_fold(uint32_t crc, const unsigned char *bytes, size_t length,
                       const kernel_crc_factors_t *factors,
                       unsigned char out[16]) {
    const __m128i by_64 = factor(factors->by_64);
    const __m128i by_16 = factor(factors->by_16);
    size_t done = CRC_CLMUL_MIN;
    __m128i block[4];
    for (int i = 0; i < 4; i++) {
        block[i] = load(bytes + 16 * i);
    }
    /* The register is added to the first 32 bits. */
    block[0] = _mm_xor_si128(block[0], _mm_set_epi32((int)crc, 0, 0, 0));
    for (; length - done >= CRC_CLMUL_MIN; done += CRC_CLMUL_MIN) {
        for (int i = 0; i < 4; i++) {
            block[i] = fold(block[i], by_64, load(bytes + done + 16 * i));
        }
    }
    __m128i last = block[0];
    for (int i = 1; i < 4; i++) {
        last = fold(last, by_16, block[i]);
    }
    for (; length - done >= 16; done += 16) {
        last = fold(last, by_16, load(bytes + done));
    }
    _mm_storeu_si128((__m128i *)out, reversed(last));
    return done;
}

TARGET_END

#endif /* __x86_64__ */
