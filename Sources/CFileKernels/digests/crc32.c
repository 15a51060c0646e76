/*
 * crc32.c: the CRC-32 of SFV, ZIP and zlib.
 *
 * DESIGN. The polynomial is that of cksum (sums/crc.c), but the first bit of a
 * byte is its lowest, the register begins with ones and is inverted at the end,
 * and the length is not part of it. Bits in the other order need other shifts
 * and other tables, so the two have no code in common. Eight bytes are taken at
 * a time: table k has the effect of a byte that k further bytes follow. That is
 * fast enough for the disks that lists of SFV come from.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "family.h"

#define AT_ONCE 8
#define REVERSED_POLYNOMIAL 0xEDB88320U

static uint32_t crc32_tables[AT_ONCE][256];
static pthread_once_t crc32_made = PTHREAD_ONCE_INIT;

static void make_crc32_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t word = byte;
        for (int bit = 0; bit < 8; bit++) {
            word = word >> 1 ^ (word & 1 ? REVERSED_POLYNOMIAL : 0);
        }
        crc32_tables[0][byte] = word;
    }
    for (int k = 1; k < AT_ONCE; k++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t word = crc32_tables[k - 1][byte];
            crc32_tables[k][byte] = word >> 8 ^ crc32_tables[0][word & 255];
        }
    }
}

static void *crc32_create(const kernel_algorithm_t *algorithm) {
    (void)algorithm;
    pthread_once(&crc32_made, make_crc32_tables);
    return malloc(sizeof(uint32_t));
}

static bool crc32_begin(void *opaque) {
    *(uint32_t *)opaque = UINT32_MAX;
    return true;
}

static bool crc32_update(void *opaque, const void *start, size_t length) {
    const unsigned char *bytes = start;
    uint32_t crc = *(uint32_t *)opaque;
    for (; length >= AT_ONCE; length -= AT_ONCE, bytes += AT_ONCE) {
        crc = crc32_tables[7][(crc & 255) ^ bytes[0]] ^
              crc32_tables[6][(crc >> 8 & 255) ^ bytes[1]] ^
              crc32_tables[5][(crc >> 16 & 255) ^ bytes[2]] ^
              crc32_tables[4][crc >> 24 ^ bytes[3]] ^
              crc32_tables[3][bytes[4]] ^ crc32_tables[2][bytes[5]] ^
              crc32_tables[1][bytes[6]] ^ crc32_tables[0][bytes[7]];
    }
    for (size_t i = 0; i < length; i++) {
        crc = crc >> 8 ^ crc32_tables[0][(crc & 255) ^ bytes[i]];
    }
    *(uint32_t *)opaque = crc;
    return true;
}

static bool crc32_finish(void *opaque, unsigned char *out) {
    uint32_t crc = ~*(uint32_t *)opaque;
    for (int i = 0; i < 4; i++) {
        out[i] = (unsigned char)(crc >> (24 - 8 * i));
    }
    return true;
}

const kernel_family_t kernel_crc32_family = {crc32_create, free, crc32_begin,
                                             crc32_update, crc32_finish};
