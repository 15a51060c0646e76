/*
 * kernel_blake3.h: the digest BLAKE3, for whole inputs on one thread and for
 * the parts of a big input on several threads.
 *
 * Source: J. O'Connor, J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, "BLAKE3:
 * one function, fast everywhere" (2020), sections 2 and 5.
 *
 * Lengths and offsets are in bytes. The functions keep no pointer to their
 * arguments, allocate no memory and cannot fail, except the two that return a
 * bool. The structs are plain values: the caller owns them, may copy them, and
 * has nothing to release. One thread at a time may change a struct; several may
 * read it. No function blocks.
 *
 * The vector instructions are chosen at run time; all of them give the same
 * digests.
 *
 * One thread:
 *
 *     kernel_blake3_t hasher;
 *     unsigned char digest[KERNEL_BLAKE3_LENGTH];
 *     kernel_blake3_begin(&hasher);
 *     kernel_blake3_update(&hasher, bytes, length);
 *     kernel_blake3_finish(&hasher, digest);
 *
 * Several threads: each takes pieces of, say, 1 MiB and computes
 *
 *     kernel_blake3_subtree(piece, 1 << 20, number << 20, &subtrees[number]);
 *
 * Then one thread joins the subtrees in order and adds the rest:
 *
 *     for (size_t number = 0; number < count; number++) {
 *         kernel_blake3_join(&hasher, &subtrees[number]);
 *     }
 *     kernel_blake3_update(&hasher, rest, rest_length);
 */
#ifndef KERNEL_BLAKE3_H
#define KERNEL_BLAKE3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of bytes that are written. A digest is 32 bytes or more from their
   beginning. */
#define KERNEL_BLAKE3_LENGTH ((size_t)64)

/* The minimum number of bytes in a subtree. */
#define KERNEL_BLAKE3_SUBTREE_MIN ((size_t)2048)

/* ---- one thread --------------------------------------------------------- */

/* The state of one digest, about 1.9 KB. The fields are private. */
typedef struct {
    uint64_t chunks;         /* number of chunks on the stack */
    uint32_t value[8];       /* chaining value of the last, open chunk */
    unsigned char block[64]; /* its last block */
    uint32_t block_length;   /* bytes in the block */
    uint32_t blocks;         /* blocks of the chunk before the last one */
    uint32_t depth;          /* number of chaining values on the stack */
    uint32_t stack[55][8];   /* of subtrees, from the left */
} kernel_blake3_t;

void kernel_blake3_begin(kernel_blake3_t *hasher);

/* Adds bytes to the input, which may have up to 2^64 - 1 bytes. `bytes` may be
   NULL if the length is 0. Takes time that is proportional to the length; calls
   with 16 KiB or more at offsets that are multiples of 16 KiB are fastest. */
void kernel_blake3_update(kernel_blake3_t *hasher, const void *bytes,
                          size_t length);

/* Writes the first 64 bytes of the output. The hasher does not change: it can
   be asked again, or be updated with more input. Takes constant time: at most
   54 compressions. */
void kernel_blake3_finish(const kernel_blake3_t *hasher,
                          unsigned char out[KERNEL_BLAKE3_LENGTH]);

/* ---- several threads ---------------------------------------------------- */

/* A subtree of the tree that BLAKE3 builds over its input (section 2.1): a
   digest of a part of the input that knows its place. It holds the two chaining
   values under its top node, because the top node may be the root. The fields
   are private. */
typedef struct {
    unsigned char children[64];
    uint64_t offset, length;
} kernel_blake3_subtree_t;

/* Computes the subtree of `length` bytes at an offset of the input. The length
   is a power of two from KERNEL_BLAKE3_SUBTREE_MIN on, and the offset is a
   multiple of it; otherwise returns false and leaves `out` as it is. Takes time
   that is proportional to the length, and about 12 KB of stack (up to 90 KB in
   a debug build), like kernel_blake3_update. Any number of threads may compute
   subtrees of one input at once, in any order. */
bool kernel_blake3_subtree(const void *bytes, size_t length, uint64_t offset,
                           kernel_blake3_subtree_t *out);

/* Makes one subtree of two neighbors: `first` grows by `next`. The two have the
   same length, `next` follows `first`, and the offset of `first` is a multiple
   of both lengths together; otherwise returns false and leaves `first` as it
   is.
   Saves memory if there are many subtrees. Takes constant time. */
bool kernel_blake3_subtree_grow(kernel_blake3_subtree_t *first,
                                const kernel_blake3_subtree_t *next);

/* Adds a subtree to the input, as kernel_blake3_update adds its bytes. The
   subtree's offset is the number of bytes that the hasher has; at another
   offset returns false and leaves the hasher as it is.
   Joins, updates and subtrees of different lengths can follow each other. Takes
   time that is proportional to the depth of the tree, at most 54 compressions,
   and constant time on average. */
bool kernel_blake3_join(kernel_blake3_t *hasher,
                        const kernel_blake3_subtree_t *subtree);

/* ---- instructions ------------------------------------------------------- */

/* The number of widths that this machine has, the fastest last, which is in use
   at first. A width is a set of vector instructions and the number of chunks
   that they hash at once. */
size_t kernel_blake3_width_count(void);

/* Sets the width for all threads of the process; for tests and benchmarks.
   Returns false if the machine does not have it. A call on another thread may
   change its width in between, with the same result. */
bool kernel_blake3_set_width(size_t index);

#ifdef __cplusplus
}
#endif

#endif /* KERNEL_BLAKE3_H */
