/*
 * xxh3.h: XXH3 and XXH128 by the vector instructions of this machine.
 *
 * DESIGN. xxHash takes its vector instructions when it is compiled. Its library
 * can choose among them when it runs, but not everywhere: Debian's libxxhash.a
 * leaves that part out, and a program that has everything inside would take
 * twice as long. So the whole of xxHash is compiled here, from its header
 * (XXH_INLINE_ALL, its own name for that), once for each kind of instructions,
 * each in a file of its own; digests.c chooses. Nothing of xxHash is linked
 * then, and a piece of a few KiB takes a fifth less time than in the library.
 * Rejected: xxh_x86dispatch.h, which needs that part of the library; calling
 * XXH3's inner loops, whose names change from version to version; AVX-512, of
 * which the compiler makes nothing that is faster than AVX2.
 */
#ifndef KERNEL_XXH3_H
#define KERNEL_XXH3_H

#include <stddef.h>
#include <stdint.h>

/* A state is XXH3_state_t, as XXH3_createState makes it. */
typedef struct {
    void (*update_64)(void *state, const void *bytes, size_t length);
    void (*update_128)(void *state, const void *bytes, size_t length);
    /* Write the digest in canonical (big-endian) order. */
    void (*finish_64)(const void *state, unsigned char out[8]);
    void (*finish_128)(const void *state, unsigned char out[16]);
} kernel_xxh3_t;

extern const kernel_xxh3_t kernel_xxh3_plain;
#if defined(__x86_64__)
extern const kernel_xxh3_t kernel_xxh3_avx2;
#endif

#endif /* KERNEL_XXH3_H */
