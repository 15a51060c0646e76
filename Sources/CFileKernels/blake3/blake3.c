/*
 * blake3.c: the hasher of BLAKE3. blake3.h has the design.
 *
 * DESIGN. The hasher has a stack of the chaining values of complete subtrees,
 * one for each bit of the number of chunks, and an open chunk (section 5.1).
 * Two subtrees of one length are merged only when more input follows: their
 * parent may be the root. For the same reason the last chunk stays open when it
 * is full.
 */
#include "blake3.h"

#include <string.h>

#define SHORT_CHUNKS 16U /* fill the widest vector */

const uint32_t kernel_blake3_initial[8] = {
    INITIAL_0,   INITIAL_1,   INITIAL_2,   INITIAL_3,
    0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};

/* ---- the open chunk ----------------------------------------------------- */

static void begin_chunk(kernel_blake3_t *hasher) {
    memcpy(hasher->value, kernel_blake3_initial, sizeof hasher->value);
    hasher->block_length = 0;
    hasher->blocks = 0;
}

static size_t chunk_length(const kernel_blake3_t *hasher) {
    return (size_t)hasher->blocks * BLOCK_SIZE + hasher->block_length;
}

/* The last block of the open chunk, as if it ended the chunk or not. */
static struct blake3_node last_block(const kernel_blake3_t *hasher,
                                     uint32_t flags) {
    struct blake3_node node = {
        .length = hasher->block_length,
        .flags = flags | (hasher->blocks == 0 ? FLAG_CHUNK_START : 0),
        .counter = hasher->chunks};
    memcpy(node.value, hasher->value, sizeof node.value);
    memcpy(node.block, hasher->block, hasher->block_length);
    return node;
}

static void add_to_chunk(kernel_blake3_t *hasher, const unsigned char *bytes,
                         size_t length) {
    while (length > 0) {
        if (hasher->block_length == BLOCK_SIZE) {
            struct blake3_node node = last_block(hasher, 0);
            uint32_t words[16];
            kernel_blake3_compress(&node, words);
            memcpy(hasher->value, words, sizeof hasher->value);
            hasher->blocks++;
            hasher->block_length = 0;
        }
        size_t room = BLOCK_SIZE - hasher->block_length;
        size_t part = length < room ? length : room;
        memcpy(hasher->block + hasher->block_length, bytes, part);
        hasher->block_length += (uint32_t)part;
        bytes += part;
        length -= part;
    }
}

/* ---- the stack ---------------------------------------------------------- */

/* Merges the subtrees that are complete for certain: more input follows. */
static void merge(kernel_blake3_t *hasher) {
    uint32_t depth = (uint32_t)__builtin_popcountll(hasher->chunks);
    while (hasher->depth > depth) {
        unsigned char children[BLOCK_SIZE];
        hasher->depth--;
        memcpy(children, hasher->stack[hasher->depth - 1], BLOCK_SIZE);
        kernel_blake3_parent(children,
                             (unsigned char *)hasher->stack[hasher->depth - 1]);
    }
}

static void push(kernel_blake3_t *hasher, const void *value, uint64_t chunks) {
    merge(hasher);
    memcpy(hasher->stack[hasher->depth++], value, KEY_SIZE);
    hasher->chunks += chunks;
}

static void push_children(kernel_blake3_t *hasher,
                          const unsigned char children[BLOCK_SIZE],
                          uint64_t chunks) {
    push(hasher, children, chunks / 2);
    push(hasher, children + KEY_SIZE, chunks / 2);
}

static void push_chunk(kernel_blake3_t *hasher) {
    struct blake3_node node = last_block(hasher, FLAG_CHUNK_END);
    uint32_t words[16];
    kernel_blake3_compress(&node, words);
    push(hasher, words, 1);
    begin_chunk(hasher);
}

/* ---- input -------------------------------------------------------------- */

void kernel_blake3_begin(kernel_blake3_t *hasher) {
    hasher->chunks = 0;
    hasher->depth = 0;
    begin_chunk(hasher);
}

/* The number of chunks of the longest subtree that begins after the stack and
   has at most `length` bytes. */
static uint64_t next_chunks(const kernel_blake3_t *hasher, size_t length) {
    uint64_t most = length / CHUNK_SIZE;
    uint64_t chunks = 1ULL << (63 - __builtin_clzll(most));
    uint64_t lowest = hasher->chunks & (~hasher->chunks + 1);
    return lowest && lowest < chunks ? lowest : chunks;
}

/* Adds up to SHORT_CHUNKS chunks, of which the last one stays open: its blocks but
   the last one are compressed beside the other chunks. The open chunk is empty. */
static void add_short(kernel_blake3_t *hasher, const unsigned char *bytes,
                      size_t length) {
    unsigned char values[SHORT_CHUNKS][KEY_SIZE];
    size_t whole = (length - 1) / CHUNK_SIZE;
    size_t rest = length - whole * CHUNK_SIZE;
    size_t open_blocks = (rest - 1) / BLOCK_SIZE;
    kernel_blake3_hash()(
        &(struct blake3_inputs){.key = kernel_blake3_initial,
                                .bytes = bytes,
                                .stride = CHUNK_SIZE,
                                .count = whole + (open_blocks ? 1 : 0),
                                .blocks = CHUNK_BLOCKS,
                                .open_blocks = open_blocks,
                                .counter = hasher->chunks,
                                .counts = 1,
                                .first = FLAG_CHUNK_START,
                                .last = FLAG_CHUNK_END},
        values[0]);
    for (size_t chunk = 0; chunk < whole; chunk++) {
        push(hasher, values[chunk], 1);
    }
    merge(hasher);
    if (open_blocks) {
        memcpy(hasher->value, values[whole], KEY_SIZE);
        hasher->blocks = (uint32_t)open_blocks;
    }
    hasher->block_length = (uint32_t)(rest - open_blocks * BLOCK_SIZE);
    memcpy(hasher->block, bytes + length - hasher->block_length,
           hasher->block_length);
}

void kernel_blake3_update(kernel_blake3_t *hasher, const void *input,
                          size_t length) {
    const unsigned char *bytes = input;
    size_t open = chunk_length(hasher);
    if (length == 0) {
        return;
    }
    if (open > 0) {
        size_t part = CHUNK_SIZE - open < length ? CHUNK_SIZE - open : length;
        add_to_chunk(hasher, bytes, part);
        bytes += part;
        length -= part;
        if (length == 0) {
            return;
        }
        push_chunk(hasher);
    }
    while (length > CHUNK_SIZE) {
        uint64_t chunks = next_chunks(hasher, length);
        if (length <= SHORT_CHUNKS * CHUNK_SIZE &&
            length != chunks * CHUNK_SIZE) {
            add_short(hasher, bytes, length);
            return;
        }
        if (chunks == 1) {
            add_to_chunk(hasher, bytes, CHUNK_SIZE);
            push_chunk(hasher);
        } else {
            unsigned char children[BLOCK_SIZE];
            kernel_blake3_subtree_top(bytes, chunks, hasher->chunks, children);
            push_children(hasher, children, chunks);
        }
        bytes += chunks * CHUNK_SIZE;
        length -= (size_t)chunks * CHUNK_SIZE;
    }
    if (length > 0) {
        merge(hasher);
        add_to_chunk(hasher, bytes, length);
    }
}

bool kernel_blake3_join(kernel_blake3_t *hasher,
                        const kernel_blake3_subtree_t *subtree) {
    size_t open = chunk_length(hasher);
    if (hasher->chunks * CHUNK_SIZE + open != subtree->offset) {
        return false;
    }
    if (open > 0) {
        push_chunk(hasher);
    }
    push_children(hasher, subtree->children, subtree->length / CHUNK_SIZE);
    return true;
}

/* ---- output ------------------------------------------------------------- */

/* The root as a node, whose flags lack FLAG_ROOT. */
static struct blake3_node root_node(const kernel_blake3_t *hasher) {
    struct blake3_node node = last_block(hasher, FLAG_CHUNK_END);
    uint32_t depth = hasher->depth;
    bool has_node = chunk_length(hasher) > 0 || depth == 0;
    while (depth > 0) {
        unsigned char block[BLOCK_SIZE];
        if (has_node) {
            uint32_t words[16];
            kernel_blake3_compress(&node, words);
            memcpy(block + KEY_SIZE, words, KEY_SIZE);
        } else {
            memcpy(block + KEY_SIZE, hasher->stack[--depth], KEY_SIZE);
        }
        memcpy(block, hasher->stack[--depth], KEY_SIZE);
        node = (struct blake3_node){.length = BLOCK_SIZE, .flags = FLAG_PARENT};
        memcpy(node.value, kernel_blake3_initial, sizeof node.value);
        memcpy(node.block, block, BLOCK_SIZE);
        has_node = true;
    }
    return node;
}

void kernel_blake3_finish(const kernel_blake3_t *hasher,
                          unsigned char out[KERNEL_BLAKE3_LENGTH]) {
    struct blake3_node node = root_node(hasher);
    node.flags |= FLAG_ROOT;
    node.counter = 0;
    uint32_t words[16];
    kernel_blake3_compress(&node, words);
    memcpy(out, words, KERNEL_BLAKE3_LENGTH);
}
