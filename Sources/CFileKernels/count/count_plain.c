/*
 * count_plain.c: counting by the instructions that every machine has, eight
 * bytes at a time in a register.
 *
 * DESIGN. Bytes are compared by an addition without carries between them: a
 * byte without its highest bit, plus a number below 0x80, has that bit set if
 * the byte is large enough. A multiplication gathers the eight bits.
 */
#include "count.h"

#include <string.h>

#define HIGHS 0x8080808080808080ULL
#define ONES 0x0101010101010101ULL

typedef struct {
    uint64_t words[8];
} block_t;

static inline block_t block_load(const unsigned char *bytes) {
    block_t block;
    memcpy(&block, bytes, sizeof block);
    return block;
}

/* The highest bits of eight bytes as the bits of one byte. */
static inline uint64_t gathered(uint64_t highs) {
    return ((highs >> 7) * 0x0102040810204080ULL) >> 56;
}

/* Sets the highest bit of each byte from `from` to `to`. */
static inline uint64_t within(uint64_t word, unsigned from, unsigned to) {
    uint64_t low = word & ~HIGHS;
    uint64_t at_least = low + ONES * (0x80 - from);
    uint64_t above = low + ONES * (0x7F - to);
    return at_least & ~above & ~word & HIGHS;
}

static inline uint64_t block_within(block_t block, unsigned from, unsigned to) {
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        mask |= gathered(within(block.words[i], from, to)) << 8 * i;
    }
    return mask;
}

static inline uint64_t block_equals(block_t block, unsigned byte) {
    return block_within(block, byte, byte);
}

static inline uint64_t block_high(block_t block) {
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        mask |= gathered(block.words[i] & HIGHS) << 8 * i;
    }
    return mask;
}

static inline uint64_t block_from(block_t block, unsigned byte) {
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t word = block.words[i];
        uint64_t at_least = (word & ~HIGHS) + ONES * (0x100 - byte);
        mask |= gathered(at_least & word & HIGHS) << 8 * i;
    }
    return mask;
}

static uint64_t count_newlines(const unsigned char *bytes, size_t length) {
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++) {
        lines += bytes[i] == '\n';
    }
    return lines;
}

#define KERNEL kernel_count_blocks_plain
#include "count_blocks.h"
