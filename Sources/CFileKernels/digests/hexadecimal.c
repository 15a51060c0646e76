/*
 * hexadecimal.c: bytes to hexadecimal digits, and back.
 *
 * DESIGN. An update checks the digits of each record on the thread that walks,
 * so this time matters if little else is done for a file. The code
 * works on blocks of sixteen digits, in the vectors that gcc and clang have on
 * every machine. A table of the digits' values takes several times as long. So
 * do loops to decode digits that the compiler vectorizes itself.
 */
#include "kernel_digest.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 16 /* digits */

typedef unsigned char block_t __attribute__((vector_size(BLOCK)));
typedef unsigned char half_t __attribute__((vector_size(BLOCK / 2)));

/* ---- from digits -------------------------------------------------------- */

/* The bit that distinguishes a letter in upper case from one in lower case. */
#define CASE 0x20

/* All bits are set in each byte that is a digit, after `fold` is set in it: CASE
   for digits in either case, 0 for those in lower case. */
static inline block_t are_digits(block_t text, unsigned char fold) {
    block_t decimal = text - '0', letter = (text | fold) - 'a';
    return (block_t)(decimal < 10) | (block_t)(letter < 6);
}

static inline bool is_block(const unsigned char *text, unsigned char fold) {
    block_t block;
    memcpy(&block, text, BLOCK);
    block_t are = are_digits(block, fold);
    uint64_t halves[2];
    memcpy(halves, &are, BLOCK);
    return (halves[0] & halves[1]) == UINT64_MAX;
}

static inline size_t count_digits(const unsigned char *text, size_t length,
                                  unsigned char fold) {
    size_t count = 0;
    while (length - count >= BLOCK && is_block(text + count, fold)) {
        count += BLOCK;
    }
    while (count < length && are_digits((block_t){0} + text[count], fold)[0]) {
        count++;
    }
    return count;
}

size_t kernel_digit_count(const unsigned char *text, size_t length) {
    return count_digits(text, length, CASE);
}

size_t kernel_lower_digit_count(const unsigned char *text, size_t length) {
    return count_digits(text, length, 0);
}

/* The bytes of pairs of digits. */
static half_t decoded(block_t digits) {
    block_t worth = (digits & 15) + ((block_t)(digits > '9') & 9);
    half_t high =
        __builtin_shufflevector(worth, worth, 0, 2, 4, 6, 8, 10, 12, 14);
    half_t low =
        __builtin_shufflevector(worth, worth, 1, 3, 5, 7, 9, 11, 13, 15);
    return high << 4 | low;
}

/* Decodes up to a block. The bytes may overwrite the digits. */
static inline void decode(unsigned char *out, const unsigned char *digits,
                          size_t count) {
    block_t block = {0};
    memcpy(&block, digits, 2 * count);
    half_t bytes = decoded(block);
    memcpy(out, &bytes, count);
}

void kernel_bytes(unsigned char *out, const unsigned char *digits,
                  size_t length) {
    size_t i = 0;
    for (; length - i >= BLOCK / 2; i += BLOCK / 2) {
        decode(out + i, digits + 2 * i, BLOCK / 2);
    }
    if (i < length) {
        decode(out + i, digits + 2 * i, length - i);
    }
}

/* ---- to digits ---------------------------------------------------------- */

static block_t encoded(half_t bytes) {
    half_t high = bytes >> 4, low = bytes & 15;
    block_t worth = __builtin_shufflevector(high, low, 0, 8, 1, 9, 2, 10, 3, 11,
                                            4, 12, 5, 13, 6, 14, 7, 15);
    return worth + '0' + ((block_t)(worth > 9) & ('a' - '0' - 10));
}

static inline void encode(char *out, const unsigned char *bytes, size_t count) {
    half_t half = {0};
    memcpy(&half, bytes, count);
    block_t digits = encoded(half);
    memcpy(out, &digits, 2 * count);
}

void kernel_hexadecimal(char *out, const unsigned char *bytes, size_t length) {
    size_t i = 0;
    for (; length - i >= BLOCK / 2; i += BLOCK / 2) {
        encode(out + 2 * i, bytes + i, BLOCK / 2);
    }
    if (i < length) {
        encode(out + 2 * i, bytes + i, length - i);
    }
}
