/*
 * sum.c: the checksums of cksum, sum -r and sum -s.
 */
#include "crc.h"
#include "kernel_sum.h"

/* The CRC of the bytes and of their number, the lowest byte of which is first. */
static uint32_t crc_value(const kernel_sum_t *sum) {
    uint32_t crc = sum->state;
    for (uint64_t rest = sum->length; rest > 0; rest >>= 8) {
        unsigned char byte = (unsigned char)rest;
        crc = kernel_crc_add(crc, &byte, 1);
    }
    return ~crc;
}

static uint32_t bsd_add(uint32_t state, const unsigned char *bytes,
                        size_t length) {
    for (size_t i = 0; i < length; i++) {
        state = ((state >> 1) + ((state & 1) << 15) + bytes[i]) & 0xFFFF;
    }
    return state;
}

/* The state wraps at 2^32, as that of GNU's tool. */
static uint32_t sysv_add(uint32_t state, const unsigned char *bytes,
                         size_t length) {
    for (size_t i = 0; i < length; i++) {
        state += bytes[i];
    }
    return state;
}

static uint32_t sysv_value(uint32_t state) {
    uint32_t folded = (state & 0xFFFF) + (state >> 16);
    return (folded & 0xFFFF) + (folded >> 16);
}

void kernel_sum_add(kernel_sum_t *sum, kernel_sum_kind_t kind,
                    const void *bytes, size_t length) {
    sum->length += length;
    switch (kind) {
    case KERNEL_SUM_BSD:
        sum->state = bsd_add(sum->state, bytes, length);
        break;
    case KERNEL_SUM_SYSV:
        sum->state = sysv_add(sum->state, bytes, length);
        break;
    case KERNEL_SUM_CRC:
        sum->state = kernel_crc_add(sum->state, bytes, length);
        break;
    }
}

uint32_t kernel_sum_value(const kernel_sum_t *sum, kernel_sum_kind_t kind) {
    switch (kind) {
    case KERNEL_SUM_SYSV:
        return sysv_value(sum->state);
    case KERNEL_SUM_CRC:
        return crc_value(sum);
    case KERNEL_SUM_BSD:
        break;
    }
    return sum->state;
}
