/*
 * kernel_sum.h: the checksums of cksum, sum -r and sum -s. They find accidents,
 * not intent.
 *
 * Source: POSIX.1-2017, cksum (CRC); the algorithms of BSD's and System V's sum
 * as GNU coreutils documents them.
 *
 * A sum is a plain value, all zeros at the beginning. No function blocks,
 * allocates memory or fails.
 *
 *     kernel_sum_t sum = {0};
 *     kernel_sum_add(&sum, KERNEL_SUM_CRC, bytes, length);
 *     printf("%" PRIu32 " %" PRIu64 "\n",
 *            kernel_sum_value(&sum, KERNEL_SUM_CRC), sum.length);
 */
#ifndef KERNEL_SUM_H
#define KERNEL_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    KERNEL_SUM_BSD,  /* 16 bits, rotated by one with each byte */
    KERNEL_SUM_SYSV, /* the sum of all bytes, folded to 16 bits */
    KERNEL_SUM_CRC   /* CRC-32 of the bytes and of their number */
} kernel_sum_kind_t;

typedef struct {
    uint64_t length; /* the number of bytes */
    uint32_t state;
} kernel_sum_t;

/* Adds bytes. Takes time that is proportional to the length. */
void kernel_sum_add(kernel_sum_t *sum, kernel_sum_kind_t kind,
                    const void *bytes, size_t length);

uint32_t kernel_sum_value(const kernel_sum_t *sum, kernel_sum_kind_t kind);

/* True if the CRC is computed with carry-less multiplication on this machine. */
bool kernel_sum_has_clmul(void);

#ifdef __cplusplus
}
#endif

#endif /* KERNEL_SUM_H */
