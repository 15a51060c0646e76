/* blake3_scalar.c: BLAKE3 of one input at a time, without vectors. */
#include "blake3.h"
#include "blake3_rounds.h"

#include <string.h>

#define ROTATE(bits, word) rotate(word, bits)

INLINE uint32_t rotate(uint32_t word, unsigned bits) {
    return word >> bits | word << (32 - bits);
}

void kernel_blake3_compress(const struct blake3_node *node, uint32_t out[16]) {
    const uint32_t *value = node->value;
    uint32_t message[16];
    memcpy(message, node->block, BLOCK_SIZE);
    uint32_t state[16] = {value[0],
                          value[1],
                          value[2],
                          value[3],
                          value[4],
                          value[5],
                          value[6],
                          value[7],
                          INITIAL_0,
                          INITIAL_1,
                          INITIAL_2,
                          INITIAL_3,
                          (uint32_t)node->counter,
                          (uint32_t)(node->counter >> 32),
                          node->length,
                          node->flags};
    ROUNDS;
    for (size_t i = 0; i < 8; i++) {
        out[i] = state[i] ^ state[i + 8];
        out[i + 8] = state[i + 8] ^ value[i];
    }
}

static void hash(const struct blake3_inputs *inputs, size_t number,
                 unsigned char *out) {
    const unsigned char *bytes = inputs->bytes + number * inputs->stride;
    struct blake3_node node = {.length = BLOCK_SIZE,
                               .counter =
                                   inputs->counter + number * inputs->counts,
                               .flags = inputs->flags | inputs->first};
    memcpy(node.value, inputs->key, sizeof node.value);
    bool is_open = inputs->open_blocks && number + 1 == inputs->count;
    size_t blocks = is_open ? inputs->open_blocks : inputs->blocks;
    for (size_t block = 0; block < blocks; block++) {
        uint32_t words[16];
        memcpy(node.block, bytes + block * BLOCK_SIZE, BLOCK_SIZE);
        node.flags |= block + 1 == inputs->blocks ? inputs->last : 0;
        kernel_blake3_compress(&node, words);
        memcpy(node.value, words, sizeof node.value);
        node.flags = inputs->flags;
    }
    memcpy(out + number * KEY_SIZE, node.value, KEY_SIZE);
}

void kernel_blake3_hash_rest(const struct blake3_inputs *inputs, size_t first,
                             unsigned char *out) {
    for (size_t number = first; number < inputs->count; number++) {
        hash(inputs, number, out);
    }
}

void kernel_blake3_hash_1(const struct blake3_inputs *inputs,
                          unsigned char *out) {
    kernel_blake3_hash_rest(inputs, 0, out);
}
