/*
 * crc.h: the CRC-32 of cksum, by tables and with carry-less multiplication.
 *
 * The functions work on the register of the CRC: the remainder of the bytes so
 * far, times x^32, by the polynomial; 0 at the beginning. The first bit of a byte
 * is its highest.
 */
#ifndef KERNEL_CRC_H
#define KERNEL_CRC_H

#include <stddef.h>
#include <stdint.h>

/* x^32 + CRC_POLYNOMIAL */
#define CRC_POLYNOMIAL 0x04C11DB7U

/* The factors that move the two halves of a block forward, by 64 and by 16
   bytes. */
typedef struct {
    uint64_t by_64[2];
    uint64_t by_16[2];
} kernel_crc_factors_t;

uint32_t kernel_crc_add(uint32_t crc, const unsigned char *bytes,
                        size_t length);

#if defined(__x86_64__)
#define CRC_CLMUL_MIN ((size_t)64)

/* Replaces bytes, at least CRC_CLMUL_MIN, by 16 bytes that have the same effect on
   a register of 0. Returns the number of bytes replaced: all but at most 15. */
size_t kernel_crc_fold(uint32_t crc, const unsigned char *bytes, size_t length,
                       const kernel_crc_factors_t *factors,
                       unsigned char out[16]);
#endif

#endif /* KERNEL_CRC_H */
