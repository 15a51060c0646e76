/*
 * blake3.h: the declarations that the parts of BLAKE3 share: rounds of the
 * compression (blake3_rounds.h), several inputs at once (blake3_vectors.h, once
 * for each width and set of instructions), the tree (blake3_tree.c) and the
 * hasher (blake3.c).
 *
 * Source: J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3:
 * one function, fast everywhere" (2020). Section 2.1 has the tree, 2.2 the
 * compression, 2.4 the chunks, 2.5 the parents, 2.6 the root, 5.1 the incremental hasher, 5.3 the vectors. No code is from
 * elsewhere.
 *
 * DESIGN. The input is cut into chunks of 1024 bytes, the leaves of a binary
 * tree. Chunks do not depend on each other, so a vector of 32-bit words holds
 * the same word of as many chunks as it has elements, and one sequence of
 * instructions compresses all of them. The same holds for the parents of one
 * level. blake3_vectors.h has the one text of that, for vectors of 4, 8 and 16
 * words; the source files that include it choose the instructions.
 *
 * A last group that is not full is compressed with copies of its first input if
 * more than half of a vector is used, because a vector takes as long as one
 * word. Below that the group goes to the next narrower width.
 *
 * blake3_tree.c compresses up to 256 chunks before their parents, so that most
 * parents fill a vector too. A subtree is kept as the two chaining values under
 * its top node: the top node itself may be the root, which is compressed with
 * another flag, and only the end of the input decides that.
 *
 * The message words are permuted by constant indices, so no instruction is
 * spent on it. Blocks are transposed as 4 x 4 words in each 128 bits; the parts
 * of 128 bits come from memory in the order that leaves no other exchange to
 * do. With each block a part of the next group of inputs is prefetched, in the
 * order of memory.
 *
 * The last chunk of an input has an open end: only kernel_blake3_finish knows
 * that nothing follows. Its blocks but the last one are compressed in the same
 * vectors as the chunks before it, as an input with fewer blocks, whose value is
 * taken out on the way. So a file of 2 to 8 KiB takes the time of one vector.
 *
 * Measured with clang 21 on an AMD EPYC with AVX2, two cores, on one thread,
 * best of ten: 0.68, 1.98 and 4.1 GB/s at the widths 1, 4 and 8, for 128 KiB in
 * the cache. The assembly of the Python package blake3
 * 1.0.11 has 4.2 there, and 3.6 for 16 MiB, which this code hashes with 4.0.
 *
 * Rejected, with the speed at width 8 if not said otherwise: quarter-rounds one
 * after another (-4 %) or two by two (-3 %); a prefetch of each input's next
 * blocks (-4 %); no prefetch (+1 % in the cache, -15 % in memory); SSE4.1 for
 * processors without AVX2 (+10 % at width 4, for those made before 2014); one
 * compression in four rows of vectors, for short inputs (-8 % against words
 * without vectors).
 */
#pragma once

#include "kernel_blake3.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "words are loaded in the byte order of the machine");

#define INLINE static inline __attribute__((always_inline))
#define HIDDEN __attribute__((visibility("hidden")))

#define KEY_SIZE 32U     /* bytes in a chaining value */
#define BLOCK_SIZE 64U   /* bytes */
#define CHUNK_SIZE 1024U /* bytes */
#define CHUNK_BLOCKS (CHUNK_SIZE / BLOCK_SIZE)

/* The flags of a compression (section 2.2). */
#define FLAG_CHUNK_START 1U
#define FLAG_CHUNK_END 2U
#define FLAG_PARENT 4U
#define FLAG_ROOT 8U

/* The first words of the initial value (section 2.2). */
#define INITIAL_0 0x6A09E667U
#define INITIAL_1 0xBB67AE85U
#define INITIAL_2 0x3C6EF372U
#define INITIAL_3 0xA54FF53AU

/* The inputs of one call: chunks, or parents of one level. */
struct blake3_inputs {
    const uint32_t *key;
    const unsigned char *bytes; /* input i begins at bytes + i * stride */
    size_t stride, count;
    size_t blocks;      /* of each input; all are full */
    size_t open_blocks; /* fewer, of the last input, if its end is open; or 0 */
    uint64_t counter;   /* of the first input */
    uint32_t counts;    /* 1 if the counter grows with the inputs, else 0 */
    uint32_t flags;     /* of each block */
    uint32_t first, last; /* more flags of the first and the last block */
};

/* Writes the chaining value of each input, KEY_SIZE bytes each. `out` may be
   the address of the inputs. */
typedef void kernel_blake3_hash_t(const struct blake3_inputs *inputs,
                                  unsigned char *out);

HIDDEN kernel_blake3_hash_t kernel_blake3_hash_1;
HIDDEN kernel_blake3_hash_t kernel_blake3_hash_plain;
#if defined(__x86_64__)
HIDDEN kernel_blake3_hash_t kernel_blake3_hash_avx2;
HIDDEN kernel_blake3_hash_t kernel_blake3_hash_avx512;
#endif

/* Writes the chaining values of the inputs from number `first` on, one by
   one. */
HIDDEN void kernel_blake3_hash_rest(const struct blake3_inputs *inputs,
                                    size_t first, unsigned char *out);

HIDDEN kernel_blake3_hash_t *kernel_blake3_hash(void);

/* The chaining value before the first block: the mode `hash` (section 2.3). */
HIDDEN extern const uint32_t kernel_blake3_initial[8];

/* A compression: a block and what goes with it (section 2.2). */
struct blake3_node {
    uint32_t value[8];               /* chaining value */
    unsigned char block[BLOCK_SIZE]; /* filled with zeros */
    uint32_t length;                 /* bytes in the block */
    uint32_t flags;
    uint64_t counter;
};

HIDDEN void kernel_blake3_compress(const struct blake3_node *node,
                                   uint32_t out[16]);

HIDDEN void kernel_blake3_parent(const unsigned char children[BLOCK_SIZE],
                                 unsigned char out[KEY_SIZE]);

/* Writes the chaining values under the top node of a subtree. `chunks` is a
   power of two from 2 on and divides `counter`. */
HIDDEN void kernel_blake3_subtree_top(const unsigned char *bytes,
                                      uint64_t chunks, uint64_t counter,
                                      unsigned char out[BLOCK_SIZE]);
