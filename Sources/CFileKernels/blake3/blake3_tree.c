/* blake3_tree.c: subtrees of chunks, and parents. blake3.h has the design. */
#include "blake3.h"

#include <string.h>

#define GROUP_CHUNKS 256U /* compressed before their parents */

void kernel_blake3_parent(const unsigned char children[BLOCK_SIZE],
                          unsigned char out[KEY_SIZE]) {
    struct blake3_node node = {.length = BLOCK_SIZE, .flags = FLAG_PARENT};
    uint32_t words[16];
    memcpy(node.value, kernel_blake3_initial, sizeof node.value);
    memcpy(node.block, children, BLOCK_SIZE);
    kernel_blake3_compress(&node, words);
    memcpy(out, words, KEY_SIZE);
}

/* Like kernel_blake3_subtree_top, for up to GROUP_CHUNKS chunks. Not inlined,
   because the caller is recursive. */
static __attribute__((noinline)) void group_top(const unsigned char *bytes,
                                                size_t chunks, uint64_t counter,
                                                unsigned char out[BLOCK_SIZE]) {
    kernel_blake3_hash_t *hash = kernel_blake3_hash();
    unsigned char values[GROUP_CHUNKS * KEY_SIZE];
    hash(&(struct blake3_inputs){.key = kernel_blake3_initial,
                                 .bytes = bytes,
                                 .stride = CHUNK_SIZE,
                                 .count = chunks,
                                 .blocks = CHUNK_BLOCKS,
                                 .counter = counter,
                                 .counts = 1,
                                 .first = FLAG_CHUNK_START,
                                 .last = FLAG_CHUNK_END},
         values);
    for (size_t count = chunks / 2; count > 1; count /= 2) {
        hash(&(struct blake3_inputs){.key = kernel_blake3_initial,
                                     .bytes = values,
                                     .stride = BLOCK_SIZE,
                                     .count = count,
                                     .blocks = 1,
                                     .flags = FLAG_PARENT},
             values);
    }
    memcpy(out, values, BLOCK_SIZE);
}

void kernel_blake3_subtree_top(const unsigned char *bytes, uint64_t chunks,
                               uint64_t counter,
                               unsigned char out[BLOCK_SIZE]) {
    if (chunks <= GROUP_CHUNKS) {
        group_top(bytes, (size_t)chunks, counter, out);
        return;
    }
    uint64_t half = chunks / 2;
    unsigned char children[BLOCK_SIZE];
    kernel_blake3_subtree_top(bytes, half, counter, children);
    kernel_blake3_parent(children, out);
    kernel_blake3_subtree_top(bytes + half * CHUNK_SIZE, half, counter + half,
                              children);
    kernel_blake3_parent(children, out + KEY_SIZE);
}

bool kernel_blake3_subtree(const void *bytes, size_t length, uint64_t offset,
                           kernel_blake3_subtree_t *out) {
    if (length < KERNEL_BLAKE3_SUBTREE_MIN || (length & (length - 1)) ||
        (offset & (length - 1))) {
        return false;
    }
    kernel_blake3_subtree_top(bytes, length / CHUNK_SIZE, offset / CHUNK_SIZE,
                              out->children);
    out->offset = offset;
    out->length = length;
    return true;
}

bool kernel_blake3_subtree_grow(kernel_blake3_subtree_t *first,
                                const kernel_blake3_subtree_t *next) {
    uint64_t length = first->length;
    if (next->length != length || next->offset - first->offset != length ||
        (first->offset & (2 * length - 1))) {
        return false;
    }
    kernel_blake3_parent(first->children, first->children);
    kernel_blake3_parent(next->children, first->children + KEY_SIZE);
    first->length = 2 * length;
    return true;
}
