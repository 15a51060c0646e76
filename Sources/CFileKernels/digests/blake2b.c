/*
 * blake2b.c: BLAKE2b with digests of 1 to 64 bytes.
 *
 * Source: M-J. Saarinen, J-P. Aumasson, "The BLAKE2 Cryptographic Hash and
 * Message Authentication Code (MAC)", RFC 7693, sections 2 and 3.
 *
 * DESIGN. libcrypto takes a length for BLAKE2b from OpenSSL 3.2 on, and Debian
 * 12 has 3.0. A digest of another length is no prefix of the one of 64 bytes,
 * since the length is part of the first value. The 64 bytes are computed here
 * too: as fast as by libcrypto, without its start, which takes several times as
 * long as a small file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

#define BLAKE2B_BLOCK 128

struct blake2b_state {
    uint64_t value[8];
    uint64_t count; /* bytes of the input that are compressed */
    size_t length;  /* of the digest */
    size_t filled;  /* bytes in the block */
    unsigned char block[BLAKE2B_BLOCK];
};

static const uint64_t blake2b_start[8] = {
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B,
    0xA54FF53A5F1D36F1, 0x510E527FADE682D1, 0x9B05688C2B3E6C1F,
    0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

/* The order of the message words in each round; the last two rounds repeat the
   first two. */
static const unsigned char blake2b_order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t load_64(const unsigned char *bytes) {
    uint64_t word = 0;
    for (size_t i = 8; i-- > 0;) {
        word = word << 8 | bytes[i];
    }
    return word;
}

static uint64_t rotate_right(uint64_t word, unsigned bits) {
    return word >> bits | word << (64 - bits);
}

/* Inlined with constant arguments, so that v is in registers and the order of the
   words needs no loads. */
#define INLINED static inline __attribute__((always_inline))

INLINED void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x,
                 uint64_t y) {
    v[a] += v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate_right(v[b] ^ v[c], 63);
}

INLINED void mix_all(uint64_t v[16], const uint64_t m[16],
                     const unsigned char s[16]) {
    mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
}

static void compress(struct blake2b_state *state, const unsigned char *block,
                     bool is_last) {
    uint64_t v[16], m[16];
    memcpy(v, state->value, sizeof state->value);
    memcpy(v + 8, blake2b_start, sizeof blake2b_start);
    v[12] ^= state->count;
    v[14] ^= is_last ? UINT64_MAX : 0;
    for (size_t i = 0; i < 16; i++) {
        m[i] = load_64(block + 8 * i);
    }
    mix_all(v, m, blake2b_order[0]);
    mix_all(v, m, blake2b_order[1]);
    mix_all(v, m, blake2b_order[2]);
    mix_all(v, m, blake2b_order[3]);
    mix_all(v, m, blake2b_order[4]);
    mix_all(v, m, blake2b_order[5]);
    mix_all(v, m, blake2b_order[6]);
    mix_all(v, m, blake2b_order[7]);
    mix_all(v, m, blake2b_order[8]);
    mix_all(v, m, blake2b_order[9]);
    mix_all(v, m, blake2b_order[0]);
    mix_all(v, m, blake2b_order[1]);
    for (size_t i = 0; i < 8; i++) {
        state->value[i] ^= v[i] ^ v[i + 8];
    }
}

static void *blake2b_create(const kernel_algorithm_t *algorithm) {
    struct blake2b_state *state = malloc(sizeof *state);
    if (state) {
        state->length = algorithm->length;
    }
    return state;
}

static bool blake2b_begin(void *opaque) {
    struct blake2b_state *state = opaque;
    memcpy(state->value, blake2b_start, sizeof state->value);
    /* The parameter block: no key, one leaf, the length of the digest. */
    state->value[0] ^= 0x01010000 ^ state->length;
    state->count = 0;
    state->filled = 0;
    return true;
}

/* The last block of the input waits in the state, because it is compressed as
   the last one. */
static bool blake2b_update(void *opaque, const void *input, size_t length) {
    struct blake2b_state *state = opaque;
    const unsigned char *bytes = input;
    while (length > 0) {
        if (state->filled == BLAKE2B_BLOCK) {
            state->count += BLAKE2B_BLOCK;
            compress(state, state->block, false);
            state->filled = 0;
        }
        while (state->filled == 0 && length > BLAKE2B_BLOCK) {
            state->count += BLAKE2B_BLOCK;
            compress(state, bytes, false);
            bytes += BLAKE2B_BLOCK;
            length -= BLAKE2B_BLOCK;
        }
        size_t room = BLAKE2B_BLOCK - state->filled;
        size_t part = length < room ? length : room;
        memcpy(state->block + state->filled, bytes, part);
        state->filled += part;
        bytes += part;
        length -= part;
    }
    return true;
}

static bool blake2b_finish(void *opaque, unsigned char *out) {
    struct blake2b_state *state = opaque;
    memset(state->block + state->filled, 0, BLAKE2B_BLOCK - state->filled);
    state->count += state->filled;
    compress(state, state->block, true);
    for (size_t i = 0; i < state->length; i++) {
        out[i] = (unsigned char)(state->value[i / 8] >> 8 * (i % 8));
    }
    return true;
}

const kernel_family_t kernel_blake2b_family = {
    blake2b_create, free, blake2b_begin, blake2b_update, blake2b_finish};
