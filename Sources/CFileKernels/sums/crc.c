/*
 * crc.c: the CRC-32 of cksum.
 *
 * DESIGN. Without carry-less multiplication eight bytes are taken at a time, by
 * eight tables of 256 words: table k has the effect of a byte that k further
 * bytes follow. The tables are made at their first use, which takes as long as
 * the CRC of 16 KiB.
 */
#include "crc.h"
#include "kernel_sum.h"

#include <pthread.h>

#define AT_ONCE 8

static uint32_t tables[AT_ONCE][256];
static kernel_crc_factors_t factors;
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* The remainder of the register times x. */
static uint32_t times_x(uint32_t crc) {
    return crc << 1 ^ (crc >> 31 ? CRC_POLYNOMIAL : 0);
}

/* The remainder of x^exponent. */
static uint32_t power_of_x(int exponent) {
    uint32_t remainder = 1;
    while (exponent-- > 0) {
        remainder = times_x(remainder);
    }
    return remainder;
}

static void make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t word = byte << 24;
        for (int bit = 0; bit < 8; bit++) {
            word = times_x(word);
        }
        tables[0][byte] = word;
    }
    for (int k = 1; k < AT_ONCE; k++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t word = tables[k - 1][byte];
            tables[k][byte] = word << 8 ^ tables[0][word >> 24];
        }
    }
    factors = (kernel_crc_factors_t){
        .by_64 = {power_of_x(512), power_of_x(512 + 64)},
        .by_16 = {power_of_x(128), power_of_x(128 + 64)},
    };
}

static uint32_t add_plain(uint32_t crc, const unsigned char *bytes,
                          size_t length) {
    for (; length >= AT_ONCE; length -= AT_ONCE, bytes += AT_ONCE) {
        crc = tables[7][crc >> 24 ^ bytes[0]] ^
              tables[6][(crc >> 16 & 255) ^ bytes[1]] ^
              tables[5][(crc >> 8 & 255) ^ bytes[2]] ^
              tables[4][(crc & 255) ^ bytes[3]] ^ tables[3][bytes[4]] ^
              tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
    }
    for (size_t i = 0; i < length; i++) {
        crc = crc << 8 ^ tables[0][crc >> 24 ^ bytes[i]];
    }
    return crc;
}

uint32_t kernel_crc_add(uint32_t crc, const unsigned char *bytes,
                        size_t length) {
    pthread_once(&made, make_tables);
#if defined(__x86_64__)
    if (length >= CRC_CLMUL_MIN && kernel_sum_has_clmul()) {
        unsigned char rest[16];
        size_t folded = kernel_crc_fold(crc, bytes, length, &factors, rest);
        crc = add_plain(0, rest, sizeof rest);
        bytes += folded;
        length -= folded;
    }
#endif
    return add_plain(crc, bytes, length);
}

bool kernel_sum_has_clmul(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx");
#else
    return false;
#endif
}
